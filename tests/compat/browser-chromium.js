/** Chromium without a window, and with a temporary profile. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { need } from './programs.js';

const PROGRAM = '/usr/bin/chromium';
// Few options, so that it sends the same requests as a user's browser. It reaches only this machine.
const ARGUMENTS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--no-proxy-server', '--remote-debugging-port=0',
  '--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  'about:blank',
];

/** Starts Chromium, uses it, and ends it. Ends this program with `NOT_RUN` if it is missing, and cannot be installed. */
export async function withChromium(use) {
  need(PROGRAM, 'chromium');
  const profile = mkdtempSync(join(tmpdir(), 'restpoint-chromium-'));
  try {
    const browser = await puppeteer.launch({
      executablePath: PROGRAM,
      ignoreDefaultArgs: true,
      args: [`--user-data-dir=${profile}`, ...ARGUMENTS],
    });
    try {
      await use(browser);
    } finally {
      await browser.close();
    }
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
