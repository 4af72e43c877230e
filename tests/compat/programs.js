/** Programs of the system, which are installed if that is possible. */
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Debian has some programs in /usr/sbin, which is not on the path of every user.
const ENVIRONMENT = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin`, DEBIAN_FRONTEND: 'noninteractive' };

const LOCK = join(tmpdir(), 'restpoint-apt-get.lock');

/** Exit status of a program whose needs are not met. */
export const NOT_RUN = 77;

/**
 * Returns why a program is missing, or `undefined` if it is there. Installs Debian's package if it is missing and the process is allowed to.
 * `option` makes the program print its version.
 */
export function missing(program, debianPackage, option = '--version') {
  if (runs(program, [option])) return undefined;
  if (process.getuid?.() !== 0) return `${program} is not installed. As root: apt-get install ${debianPackage}`;
  if (!runs('apt-get', ['--version'])) return `${program} is not installed, and there is no apt-get to install it with`;
  console.log(`${program} is not installed: installing it with apt-get`);
  // One after the other, since apt-get fails while it runs elsewhere.
  runs('flock', [LOCK, 'sh', '-c', `apt-get update -qq; apt-get install -y -qq --no-install-recommends ${debianPackage}`]);
  return runs(program, [option]) ? undefined : `${program} is not installed, and apt-get could not install it`;
}

/** Ends this program with `NOT_RUN` if a program is missing. */
export function need(program, debianPackage, option) {
  const why = missing(program, debianPackage, option);
  if (why === undefined) return;
  console.log(why);
  process.exit(NOT_RUN);
}

function runs(command, args) {
  try {
    execFileSync(command, args, { stdio: 'ignore', env: ENVIRONMENT });
    return true;
  } catch {
    return false;
  }
}
