/**
 * Does what the README says, in an empty folder, with the packed package: makes the files of the first program, runs each command, and compares what
 * the commands and the programs print. At the end, the oldest Node runs what the compiler makes of it.
 *
 *   node .ci/first-program.js restpoint-0.1.0.tgz          on Node 22.18 or later
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findFreePort } from '../tests/compat/free-port.js';

const ADDRESS = '127.0.0.1:8080';
const SERVES = 'node api.ts';
const FENCE = /^(?:(?<text>\S.*)\n\n)?```(?<language>\w+)\n(?<body>[^]*?)^```$/gm;

const [, , tarball = ''] = process.argv;
const readme = readFileSync('README.md', 'utf8');
const [oldest] = /[\d.]+/.exec(JSON.parse(readFileSync('package.json', 'utf8')).engines.node);
const chapters = readme.slice(0, readme.indexOf('\n## When not to use it\n'));
const folder = mkdtempSync(join(tmpdir(), 'first-program-'));
const address = `127.0.0.1:${await findFreePort()}`;
const written = [];
const ran = { commands: 0, requests: 0, programs: 0 };
let server;

try {
  for (const { groups: { text = '', language, body } } of chapters.matchAll(FENCE)) {
    const [, name] = /^`([\w.]+\.(?:ts|json))`/.exec(text) ?? [];
    if (language === 'sh') await runAll(body.trim().split('\n'));
    else if (language === 'console') requestAll(body);
    else if (language === 'text') assert.equal(runProgram(text), body);
    else if (name !== undefined) write(name, body);
    else throw new Error(`nothing says what to do with a block of ${language}: ${text}`);
  }
  assert.deepEqual(written, ['api.ts', 'client.ts', 'tsconfig.json']);
  assert.deepEqual(ran, { commands: 2, requests: 3, programs: 1 });
  await stop();
  await serveCompiled();
  rejectsTheClient();
  console.log(`${written.length} files, ${ran.commands} commands, ${ran.requests} requests and ${ran.programs} program, on Node ${process.version}`);
} finally {
  server?.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}

async function runAll(lines) {
  for (const line of lines) {
    ran.commands += 1;
    const [before, serves] = line.split(` && ${SERVES}`);
    shell(before.replace('install restpoint ', `install ${resolve(tarball)} `));
    if (serves !== undefined) server = await serve(SERVES);
  }
}

async function serve(line) {
  const [command, ...args] = line.split(' ');
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    if (String(chunk).includes(`listening on http://${address}`)) return child;
  }
  throw new Error('the server has not started');
}

function requestAll(body) {
  for (const [, command, printed] of body.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
    ran.requests += 1;
    assert.equal(shell(command).trimEnd(), printed.trimEnd(), command);
  }
}

async function stop() {
  server.kill();
  assert.deepEqual(await once(server, 'exit'), [0, null]);
}

function runProgram(text) {
  const [, command] = /^`(.+)` prints$/.exec(text) ?? [];
  ran.programs += 1;
  return shell(command);
}

/** Compiles, and runs the result on the oldest Node, by the command that the README gives for it. */
async function serveCompiled() {
  const [, command] = /run what it compiles: `(node .+)`\./.exec(readme) ?? [];
  shell('npx tsc');
  const node = execFileSync('npx', ['-y', '-p', `node@${oldest}`, 'node', '-p', 'process.execPath'], { encoding: 'utf8' }).trim();
  server = await serve(command.replace('node', node));
  assert.equal(shell('node build/client.js'), '2 Bee\n');
  await stop();
}

/** Renames `legs` in the server alone: the compiler has to reject the client, with the words of the README. */
function rejectsTheClient() {
  const [, message = ''] = /`npx tsc` rejects this client: `(.+?)`\./.exec(readme) ?? [];
  const api = join(folder, 'api.ts');
  writeFileSync(api, readFileSync(api, 'utf8').replaceAll('legs', 'feet'));
  const { status, stdout } = spawnSync('npx', ['tsc', '--noEmit'], { cwd: folder, encoding: 'utf8' });
  assert.notEqual(message, '');
  assert.equal(status === 0, false);
  assert.ok(stdout.startsWith('client.ts') && stdout.includes(message), stdout);
}

function write(name, body) {
  written.push(name);
  writeFileSync(join(folder, name), body.replaceAll(ADDRESS, address));
}

function shell(command) {
  return execFileSync('bash', ['-c', command.replaceAll(ADDRESS, address).replace('curl ', 'curl -sS ')], { cwd: folder, encoding: 'utf8' });
}
