/** Programs of the system, which are installed if that is possible. */
import { canRun, installDebianPackage, NOT_RUN } from '../../build/tests/support/debian-package.js';

export { NOT_RUN };

/**
 * Returns why a program is missing, or `undefined` if it is there. Installs Debian's package if it is missing and the process is allowed to.
 * `option` makes the program print its version.
 */
export function findMissing(program, debianPackage, option = '--version') {
  return installDebianPackage(debianPackage, () => canRun(program, [option]));
}

/** Ends this program with `NOT_RUN` if a program is missing. */
export function need(program, debianPackage, option) {
  const why = findMissing(program, debianPackage, option);
  if (why === undefined) return;
  console.log(why);
  process.exit(NOT_RUN);
}
