/** Chromium without a window and with a temporary profile, its tabs, and servers of pages. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';
import { need } from './programs.js';
import { PATIENCE_MS } from './until.js';

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

/** Opens a page in a tab, uses it, and closes it. `prepare` gets the tab before. */
export async function withTab(browser, url, use, prepare = () => {}) {
  const tab = await browser.newPage();
  try {
    await prepare(tab);
    await tab.goto(url, { timeout: PATIENCE_MS });
    return await use(tab);
  } finally {
    await tab.close();
  }
}

/** Serves with a listener, on a free port. */
export async function listen(listener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { port, url: `http://127.0.0.1:${port}`, close };
}

export const HTML = { 'Content-Type': 'text/html' };
export const PAGE = '<!doctype html><title>a page</title>';
