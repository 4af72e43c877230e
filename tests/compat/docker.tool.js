/**
 * The Dockerfile in examples/deploy makes an image that serves, and stops at SIGTERM. `buildah` builds it without a daemon and without a
 * registry: a stand-in for the base image is made of this machine's Node, npm and shell, and this process serves the package.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checking } from './checks.js';
import { freePort } from './free-port.js';
import { need, NOT_RUN } from './programs.js';
import { until } from './until.js';

need('buildah', 'buildah');

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DEPLOY = join(ROOT, 'examples', 'deploy');
const DEADLINE_MS = 60_000;
const scratch = mkdtempSync(join(tmpdir(), 'restpoint-docker-'));
const running = promisify(execFile);

/** Runs a command of buildah, with separate images. Resolves to its output. */
async function buildah(...args) {
  const { stdout } = await running('buildah', [...STORE, ...args], { timeout: DEADLINE_MS });
  return stdout.trim();
}
const STORE = ['--root', join(scratch, 'images'), '--runroot', join(scratch, 'run'), '--storage-driver', 'vfs'];

/** Copies a program into a file system, with the libraries that it needs. */
async function install(program, root, path) {
  const { stdout } = await running('ldd', [program]);
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, library]) => library);
  for (const [from, to] of [[program, path], ...libraries.map((library) => [library, library])]) {
    mkdirSync(join(root, dirname(to)), { recursive: true });
    copyFileSync(realpathSync(from), join(root, to));
  }
}

/** Makes an image with the programs that the Dockerfile runs, and with the user of the official image. */
async function makeBase(name) {
  const container = await buildah('from', 'scratch');
  const root = await buildah('mount', container);
  const node = realpathSync(process.execPath);
  await install(node, root, '/usr/local/bin/node');
  for (const program of ['/bin/sh', '/usr/bin/env']) await install(program, root, program);
  const npm = join(dirname(node), '..', 'lib', 'node_modules', 'npm');
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
  for (const folder of ['tmp', 'etc']) mkdirSync(join(root, folder), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/tmp:/bin/sh\nnode:x:1000:1000::/tmp:/bin/sh\n');
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', container);
  await buildah('commit', '-q', '--rm', container, name);
}

/** Returns why containers cannot run here, or `undefined`. A machine may lack the permissions for them. */
async function refusedHere(image) {
  try {
    const container = await buildah('from', '--pull-never', image);
    await buildah('run', '--isolation', 'chroot', container, '--', 'node', '--version');
    await buildah('rm', container);
    return undefined;
  } catch ({ message }) {
    return message;
  }
}

/** Serves a file to npm. Resolves to the server and to the file's address. */
async function serving(file) {
  const bytes = readFileSync(file);
  const server = createServer((request, response) => response.end(bytes)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}/restpoint.tgz` };
}

/** Makes the folder that the Dockerfile is for: the program, and a package that depends on this one. */
async function makeContext(url) {
  const folder = join(scratch, 'context');
  mkdirSync(folder);
  for (const name of ['Dockerfile', 'main.js']) copyFileSync(join(DEPLOY, name), join(folder, name));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'api', version: '1.0.0', type: 'module', dependencies: { restpoint: url } }));
  await running('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], { cwd: folder, timeout: DEADLINE_MS });
  return folder;
}

async function packed() {
  await running('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch], { cwd: ROOT, timeout: DEADLINE_MS });
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return join(scratch, `${name}-${version}.tgz`);
}

/** Asks until there is an answer. Resolves to its status. */
async function statusOf(url) {
  let status;
  await until(async () => {
    status = await answeredStatus(url).catch(() => undefined);
    return status !== undefined;
  }, () => `an answer of ${url}`, DEADLINE_MS);
  return status;
}

async function answeredStatus(url) {
  const response = await fetch(url);
  await response.text();
  return response.status;
}

const [base] = /(?<=^FROM ).*/m.exec(readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8'));
const image = `docker.io/library/${base}`;
const refused = await makeBase(image).then(() => refusedHere(image), ({ message }) => message);
if (refused !== undefined) {
  console.log(`buildah cannot run a container here: ${refused}`);
  rmSync(scratch, { recursive: true, force: true });
  process.exit(NOT_RUN);
}

await checking('docker', async (check) => {
  const { server, url } = await serving(await packed());
  try {
    const context = await makeContext(url);
    await check('the image is built', () => buildah('build', '-q', '--isolation', 'chroot', '--pull-never', '-t', 'api', context));

    await check('it runs the program itself, as a user without rights', async () => {
      const { OCIv1 } = JSON.parse(await buildah('inspect', '--type', 'image', 'api'));
      const { User, Cmd, StopSignal, ExposedPorts } = OCIv1.config;
      assert.deepEqual({ User, Cmd, StopSignal, ExposedPorts }, {
        User: 'node',
        Cmd: ['node', 'main.js'],
        StopSignal: 'SIGTERM',
        ExposedPorts: { '8080/tcp': {} },
      });
    });

    await check('it serves, and stops at SIGTERM', async () => {
      const port = await freePort();
      const container = await buildah('from', '--pull-never', 'api');
      const args = ['run', '--isolation', 'chroot', '--env', `PORT=${port}`, '--env', 'DRAIN_MS=0', container, '--', 'node', 'main.js'];
      const child = spawn('buildah', [...STORE, ...args], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      const closed = once(child, 'close');
      try {
        for (const path of ['/ready', '/alive', '/v1/animal/ant']) assert.equal(await statusOf(`http://127.0.0.1:${port}${path}`), 200, output);
        process.kill(-child.pid, 'SIGTERM');
        await Promise.race([closed, after(DEADLINE_MS, undefined, { ref: false })]);
        await assert.rejects(fetch(`http://127.0.0.1:${port}/ready`));
      } finally {
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // All of it has ended.
        }
      }
    });
  } finally {
    server.close();
    rmSync(scratch, { recursive: true, force: true });
  }
});
