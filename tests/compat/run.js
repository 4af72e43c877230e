/**
 * Runs the library with its peers: other engines, and libraries that call it. A peer is a program that prints `ok` and `FAIL` lines and ends
 * with `N passed, N failed`. It has a time limit, and must leave no process running. `<name>.peer.js` is for every Node that is supported,
 * `<name>.from-22.peer.js` for Node 22 and later, which the packages of that peer need, and `<name>.tool.js` for the one that develops: tools
 * of development and of operation. A program that cannot run here ends with 77, after a line that says why, and is counted as skipped.
 *
 *   node tests/compat/run.js [text that a peer's file name contains]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const LIMIT_MS = 120_000;
// Some install a program of the system first.
const TOOL_LIMIT_MS = 300_000;
const NOT_RUN = 77;

let passed = 0;
let failed = 0;
let skipped = 0;
let running;

function fail(what) {
  failed += 1;
  console.log(`FAIL  ${what}`);
}

/** Kills all processes of a peer, which are one group. Returns `false` if no process was left. */
function killGroup({ pid }) {
  try {
    return process.kill(-pid, 'SIGKILL');
  } catch {
    return false;
  }
}

async function run(file, limitMs) {
  const peer = spawn(process.execPath, [file], { cwd: FOLDER, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  running = peer;
  let output = '';
  peer.stdout.on('data', (chunk) => {
    output += chunk;
    process.stdout.write(chunk);
  });
  let isLate = false;
  const timer = setTimeout(() => (isLate = killGroup(peer)), limitMs);
  const [status] = await once(peer, 'exit');
  clearTimeout(timer);
  running = undefined;
  const isLeftBehind = killGroup(peer);
  if (peer.stdout.readable) await once(peer.stdout, 'close');
  return { output, status, isLate, isLeftBehind };
}

/** Runs a peer, and counts its checks. */
async function count(file) {
  console.log(`# ${file}`);
  const limitMs = file.endsWith('.tool.js') ? TOOL_LIMIT_MS : LIMIT_MS;
  const { output, status, isLate, isLeftBehind } = await run(file, limitMs);
  if (status === NOT_RUN && !isLate && !isLeftBehind) {
    skipped += 1;
    return;
  }
  const [, ran, broke] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [];
  passed += Number(ran ?? 0);
  failed += Number(broke ?? 0);
  if (isLate) fail(`${file} took longer than ${limitMs} ms`);
  else if (isLeftBehind) fail(`${file} left a process running`);
  else if (ran === undefined || (status !== 0) !== (broke !== '0')) fail(`${file} ended with ${status}, and without a count that fits`);
}

process.on('exit', () => running && killGroup(running));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const [, , filter = ''] = process.argv;
const [major] = process.versions.node.split('.').map(Number);
const isForThisNode = (file) => Number(/\.from-(\d+)\./.exec(file)?.[1] ?? 0) <= major;
const peers = readdirSync(FOLDER).filter((file) => /\.(?:peer|tool)\.js$/.test(file) && file.includes(filter)).filter(isForThisNode);
for (const peer of peers) await count(peer);
if (passed === 0) fail('no check passed');
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
