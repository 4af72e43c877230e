/** A program that a test needs, and that Debian has in a package. */
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Exit status of a test whose program is missing. */
export const NOT_RUN = 77;

// The folder of some of Debian's programs, which is not on the path of every user.
export const ENVIRONMENT = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin`, DEBIAN_FRONTEND: 'noninteractive' };

const LOCK = join(tmpdir(), 'restpoint-apt-get.lock');

/**
 * Returns why a package is missing, or `undefined` if `isThere`. Installs it with `apt-get` if it is missing and the process is allowed
 * to.
 */
export function installDebianPackage(name: string, isThere: () => boolean): string | undefined {
  if (isThere()) return undefined;
  if (process.getuid?.() !== 0) return `${name} is not installed. As root: apt-get install ${name}`;
  if (!canRun('apt-get', ['--version'])) return `${name} is not installed, and there is no apt-get to install it with`;
  console.log(`${name} is not installed: installing it with apt-get`);
  // One after the other, since apt-get fails while it runs elsewhere.
  canRun('flock', [LOCK, 'sh', '-c', `apt-get update -qq; apt-get install -y -qq --no-install-recommends ${name}`]);
  return isThere() ? undefined : `${name} is not installed, and apt-get could not install it`;
}

/** Whether a command exits with 0. */
export function canRun(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore', env: ENVIRONMENT });
    return true;
  } catch {
    return false;
  }
}

const MAX_RUN_MS = 3_600_000;

/** Rejects if a run takes too long or is interrupted, so that what it has started is ended in these cases too. */
export function waitForInterrupt(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`not over after ${MAX_RUN_MS / 1000} s`)), MAX_RUN_MS).unref();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => reject(new Error(signal)));
  });
}
