/**
 * The Dockerfiles in examples/deploy and examples/starter make images that serve, and stop at SIGTERM. `buildah` builds them without a daemon
 * and without a registry of images: a stand-in for the base image is made of this machine's Node, npm and shell. The package comes from a
 * registry in this process.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serveRegistry } from '../create/registry.js';
import { checking } from './checks.js';
import { freePort } from './free-port.js';
import { need, NOT_RUN } from './programs.js';
import { until } from './until.js';

need('buildah', 'buildah');

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DEPLOY = join(ROOT, 'examples', 'deploy');
const STARTER = join(ROOT, 'examples', 'starter');
const DEADLINE_MS = 120_000;
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
async function makeBase(name, registry) {
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
  await buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', '--env', `npm_config_registry=${registry}`, container);
  await buildah('commit', '-q', '--rm', container, name);
}

/** Returns why containers cannot run here, or `undefined`. A machine may lack the permissions for them. */
async function rejectedHere(image) {
  try {
    const container = await buildah('from', '--pull-never', image);
    await buildah('run', '--isolation', 'chroot', container, '--', 'node', '--version');
    await buildah('rm', container);
    return undefined;
  } catch ({ message }) {
    return message;
  }
}

/** Makes the folder that the Dockerfile of examples/deploy is for: the program, and a package that depends on this one. */
async function makeContext(registry) {
  const folder = join(scratch, 'deploy');
  mkdirSync(folder);
  for (const name of ['Dockerfile', 'main.js']) copyFileSync(join(DEPLOY, name), join(folder, name));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'api', version: '1.0.0', type: 'module', dependencies: { restpoint: '*' } }));
  const lock = ['install', '--package-lock-only', '--no-audit', '--no-fund', `--registry=${registry}`, `--cache=${join(scratch, 'cache')}`];
  await running('npm', lock, { cwd: folder, timeout: DEADLINE_MS });
  return folder;
}

/** Copies the starter without what is installed there. */
function copyStarter() {
  const folder = join(scratch, 'starter');
  mkdirSync(folder);
  for (const name of ['Dockerfile', 'package.json', 'tsconfig.json', 'src']) cpSync(join(STARTER, name), join(folder, name), { recursive: true });
  return folder;
}

/** Runs an image on a free port, and asks for these paths. */
async function checkServes(image, main, environment, paths) {
  const port = await freePort();
  const container = await buildah('from', '--pull-never', image);
  const variables = [`PORT=${port}`, ...environment].flatMap((variable) => ['--env', variable]);
  const args = ['run', '--isolation', 'chroot', ...variables, container, '--', 'node', main];
  const child = spawn('buildah', [...STORE, ...args], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const closed = once(child, 'close');
  try {
    for (const path of paths) assert.equal(await statusOf(`http://127.0.0.1:${port}${path}`), 200, output);
    process.kill(-child.pid, 'SIGTERM');
    await Promise.race([closed, after(DEADLINE_MS, undefined, { ref: false })]);
    await assert.rejects(fetch(`http://127.0.0.1:${port}${paths[0]}`));
  } finally {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of it has ended.
    }
  }
}

/** What an image runs, as which user, and how it is stopped. */
async function configOf(image) {
  const { OCIv1 } = JSON.parse(await buildah('inspect', '--type', 'image', image));
  const { User, Cmd, StopSignal, ExposedPorts } = OCIv1.config;
  return { User, Cmd, StopSignal, ExposedPorts };
}

async function packed() {
  await running('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch], { cwd: ROOT, timeout: DEADLINE_MS });
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return join(scratch, `${name}-${version}.tgz`);
}

/** Asks until there is a response. Resolves to its status. */
async function statusOf(url) {
  let status;
  await until(async () => {
    status = await responseStatus(url).catch(() => undefined);
    return status !== undefined;
  }, () => `a response of ${url}`, DEADLINE_MS);
  return status;
}

async function responseStatus(url) {
  const response = await fetch(url);
  await response.text();
  return response.status;
}

const dockerfiles = [DEPLOY, STARTER].map((folder) => readFileSync(join(folder, 'Dockerfile'), 'utf8'));
const bases = dockerfiles.flatMap((dockerfile) => [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base));
assert.equal(new Set(bases).size, 1, bases.join(', '));
const base = `docker.io/library/${bases[0]}`;
const { registry, close } = await serveRegistry([await packed()]);
const rejected = await makeBase(base, registry).then(() => rejectedHere(base), ({ message }) => message);
if (rejected !== undefined) {
  console.log(`buildah cannot run a container here: ${rejected}`);
  rmSync(scratch, { recursive: true, force: true });
  process.exit(NOT_RUN);
}

await checking('docker', async (check) => {
  const expected = { User: 'node', StopSignal: 'SIGTERM', ExposedPorts: { '8080/tcp': {} } };
  try {
    for (const [image, makeFolder, main, environment, paths] of [
      ['deploy', () => makeContext(registry), 'main.js', ['DRAIN_MS=0'], ['/ready', '/alive', '/v1/animal/ant']],
      ['starter', copyStarter, 'dist/main.js', [], ['/v1/note', '/openapi.json', '/docs']],
    ]) {
      const folder = await makeFolder();
      await check(`examples/${image}: the image is built`, () => buildah('build', '-q', '--isolation', 'chroot', '--pull-never', '-t', image, folder));
      await check(`examples/${image}: it runs the program itself, as a user without rights`, async () => {
        assert.deepEqual(await configOf(image), { ...expected, Cmd: ['node', main] });
      });
      await check(`examples/${image}: it serves, and stops at SIGTERM`, () => checkServes(image, main, environment, paths));
    }
    await check('examples/starter: the image has no compiler', async () => {
      const container = await buildah('from', '--pull-never', 'starter');
      const program = "fs.readdirSync('node_modules').includes('typescript') && process.exit(1)";
      await buildah('run', '--isolation', 'chroot', container, '--', 'node', '-e', program);
    });
  } finally {
    close();
    rmSync(scratch, { recursive: true, force: true });
  }
});
