/** Chromium without a window, and with a temporary profile. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import puppeteer from 'puppeteer-core';

const PROGRAM = '/usr/bin/chromium';
const ENVIRONMENT = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
// Few options, so that it sends what a user's browser sends. It reaches only this machine.
const ARGUMENTS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--no-proxy-server', '--remote-debugging-port=0',
  '--host-resolver-rules=MAP *.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  'about:blank',
];

/**
 * Returns why Chromium is missing, or `undefined` if it is installed. Installs Debian's package if it is missing and the process is
 * allowed to.
 */
export function missingChromium() {
  if (runs(PROGRAM, ['--version'])) return undefined;
  if (process.getuid?.() !== 0) return 'chromium is not installed. As root: apt-get install chromium';
  if (!runs('apt-get', ['--version'])) return 'chromium is not installed, and there is no apt-get to install it with';
  console.log('chromium is not installed: installing it with apt-get');
  runs('apt-get', ['update', '-qq']);
  runs('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium']);
  return runs(PROGRAM, ['--version']) ? undefined : 'chromium is not installed, and apt-get could not install it';
}

function runs(command, args) {
  try {
    execFileSync(command, args, { stdio: 'ignore', env: ENVIRONMENT });
    return true;
  } catch {
    return false;
  }
}

/** Starts Chromium, uses it, and ends it. */
export async function withChromium(use) {
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
