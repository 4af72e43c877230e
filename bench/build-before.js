/**
 * Builds the commit before, as a contender: what a change costs is seen beside it. With changes that are not committed, that is the last
 * commit; otherwise the one before it. Another one by its name, or none:
 *
 *   BEFORE=v0.1.0 npm run bench          BEFORE= npm run bench
 */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = fileURLToPath(new URL('before/', import.meta.url));

const run = (command, args, cwd = ROOT) => execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();

rmSync(FOLDER, { recursive: true, force: true });
run('git', ['worktree', 'prune']);
const { BEFORE: named = run('git', ['status', '--porcelain', '--untracked-files=no']) === '' ? 'HEAD~1' : 'HEAD' } = process.env;
if (named !== '') {
  run('git', ['worktree', 'add', '--detach', FOLDER, named]);
  run('npm', ['ci', '--ignore-scripts'], FOLDER);
  run('npm', ['run', 'bundle'], FOLDER);
  console.log(`before: ${run('git', ['log', '-1', '--format=%h %s'], FOLDER)}`);
}
