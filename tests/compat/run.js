/**
 * Runs the library with its peers: other engines, and libraries that call it. A peer is a program that prints `ok` and `FAIL` lines and ends
 * with `N passed, N failed`. It has a time limit, and must leave no process running. `<name>.peer.js` is for every Node that is supported,
 * `<name>.from-22.peer.js` for Node 22 and later, which the packages of that peer need, and `<name>.tool.js` for the one that develops: tools
 * of development and of operation. A program that cannot run here ends with 77, after a line that says why, and is counted as skipped. Two peers
 * run at a time.
 *
 *   node tests/compat/run.js [text that a peer's file name contains]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NOT_RUN } from './programs.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
// What has ended stays in its group until the system's first process has seen it.
const ENDING_MS = 5_000;
// On a busy machine, and with the installation of a program of the system.
const LIMIT_MS = 3_600_000;

let passed = 0;
let failed = 0;
let skipped = 0;
const running = new Set();

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

/** Whether processes of a peer go on after it. Ends them. */
async function leavesProcesses({ pid }) {
  for (const end = performance.now() + ENDING_MS; performance.now() < end; await delay(50)) {
    try {
      process.kill(-pid, 0);
    } catch {
      return false;
    }
  }
  return killGroup({ pid });
}

async function run(file) {
  const peer = spawn(process.execPath, [file], { cwd: FOLDER, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  running.add(peer);
  let output = '';
  peer.stdout.setEncoding('utf8').on('data', (chunk) => (output += chunk));
  let isLate = false;
  const timer = setTimeout(() => (isLate = killGroup(peer)), LIMIT_MS);
  const [status] = await once(peer, 'exit');
  clearTimeout(timer);
  running.delete(peer);
  const isLeftBehind = await leavesProcesses(peer);
  if (peer.stdout.readable) await once(peer.stdout, 'close');
  return { output, status, isLate, isLeftBehind };
}

/** Runs a peer, and counts its checks. */
async function count(file) {
  const start = performance.now();
  const { output, status, isLate, isLeftBehind } = await run(file);
  console.log(`# ${file}, in ${Math.round((performance.now() - start) / 1000)} s\n${output.trimEnd()}`);
  if (status === NOT_RUN && !isLate && !isLeftBehind) {
    skipped += 1;
    return;
  }
  const [, ran, broke] = /^(\d+) passed, (\d+) failed$/m.exec(output) ?? [];
  passed += Number(ran ?? 0);
  failed += Number(broke ?? 0);
  if (isLate) fail(`${file} took longer than ${LIMIT_MS} ms`);
  else if (isLeftBehind) fail(`${file} left a process running`);
  else if (ran === undefined || (status !== 0) !== (broke !== '0')) fail(`${file} ended with ${status}, and without a count that fits`);
}

/** Takes peers from a list, and runs them, until it is empty. */
async function countAll(list) {
  for (let file = list.shift(); file !== undefined; file = list.shift()) await count(file);
}

process.on('exit', () => running.forEach(killGroup));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const [, , filter = ''] = process.argv;
const [major] = process.versions.node.split('.').map(Number);
const isTool = (file) => file.endsWith('.tool.js');
const isForThisNode = (file) => Number(/\.from-(\d+)\./.exec(file)?.[1] ?? 0) <= major;
const peers = readdirSync(FOLDER).filter((file) => /\.(?:peer|tool)\.js$/.test(file) && file.includes(filter)).filter(isForThisNode);
// The tools take longest.
peers.sort((a, b) => isTool(b) - isTool(a));
await Promise.all([countAll(peers), countAll(peers)]);
if (passed === 0) fail('no check passed');
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;
