/**
 * The Dockerfiles in examples/deploy and examples/starter make images that serve, and stop at SIGTERM. `buildah` builds them without a daemon
 * and without a registry of images: a stand-in for the base image is made of this machine's Node, npm and shell. The package comes from a
 * registry in this process.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serveRegistry } from '../create/registry.js';
import { checking } from './checks.js';
import { findFreePort } from './free-port.js';
import { Program } from './program.js';
import { need, NOT_RUN } from './programs.js';
import { PATIENCE_MS, waitUntil } from './until.js';

need('buildah', 'buildah');

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
// They read from the folder of the package when they are loaded.
const own = process.cwd();
process.chdir(ROOT);
const { guide, readSteps } = await import('../../build/tests/support/guide.js');
process.chdir(own);
const { Cluster, connect, missingPostgres } = await import('../../build/tests/postgres/cluster.js');
const DEPLOY = join(ROOT, 'examples', 'deploy');
const STARTER = join(ROOT, 'examples', 'starter');
const scratch = mkdtempSync(join(tmpdir(), 'restpoint-docker-'));
const running = promisify(execFile);

/** Runs a command of buildah, with separate images. Resolves to its output. */
async function buildah(...args) {
  const { stdout } = await running('buildah', [...STORE, ...args], { timeout: PATIENCE_MS });
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
  for (const name of ['npm', 'npx']) symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name));
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
  await running('npm', lock, { cwd: folder, timeout: PATIENCE_MS });
  return folder;
}

/** Copies the starter without what is installed there. */
function copyStarter() {
  const folder = join(scratch, 'starter');
  mkdirSync(folder);
  for (const name of ['Dockerfile', 'package.json', 'tsconfig.json', 'src']) cpSync(join(STARTER, name), join(folder, name), { recursive: true });
  return folder;
}

/** Writes the files of the guide's last step, with the packages that it installs. */
async function writeGuide(registry, { files, packages }) {
  const folder = join(scratch, 'guide');
  mkdirSync(folder);
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const isTool = (name) => name.startsWith('@types/') || name === 'typescript';
  const versions = (names) => Object.fromEntries(names.map((name) => [name, '*']));
  const [dependencies, devDependencies] = [packages.filter((name) => !isTool(name)), packages.filter(isTool)].map(versions);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'pets', version: '1.0.0', type: 'module', dependencies, devDependencies }));
  const lock = ['install', '--package-lock-only', '--no-audit', '--no-fund', `--registry=${registry}`, `--cache=${join(scratch, 'cache')}`];
  await running('npm', lock, { cwd: folder, timeout: PATIENCE_MS });
  return folder;
}

/** Starts PostgreSQL with the tables of the guide. Returns its URL, and the folder of its socket, which the container has too. */
async function startDatabase(cluster, schema) {
  cluster.create();
  const url = await cluster.database();
  const folder = new URL(url).searchParams.get('host');
  chmodSync(folder, 0o755);
  const pool = connect(url);
  await pool.query(schema);
  await pool.end();
  return { environment: [`DATABASE_URL=${url}`], volume: ['--volume', `${folder}:${folder}`] };
}

/** Runs an image on a free port, and asks for these paths. */
async function checkServes(image, main, environment, paths, options = []) {
  const port = await findFreePort();
  const container = await buildah('from', '--pull-never', image);
  const variables = [`PORT=${port}`, ...environment].flatMap((variable) => ['--env', variable]);
  const args = ['run', '--isolation', 'chroot', ...options, ...variables, container, '--', 'node', main];
  const server = new Program('buildah', [...STORE, ...args], { detached: true });
  try {
    for (const path of paths) assert.equal(await statusOf(`http://127.0.0.1:${port}${path}`), 200, server.output);
    await server.end('SIGTERM');
    await assert.rejects(fetch(`http://127.0.0.1:${port}${paths[0]}`));
  } finally {
    server.kill();
  }
}

/** What an image runs, as which user, and how it is stopped. */
async function configOf(image) {
  const { OCIv1 } = JSON.parse(await buildah('inspect', '--type', 'image', image));
  const { User, Cmd, StopSignal, ExposedPorts } = OCIv1.config;
  return { User, Cmd, StopSignal, ExposedPorts };
}

async function packed() {
  await running('npm', ['pack', '--ignore-scripts', '--pack-destination', scratch], { cwd: ROOT, timeout: PATIENCE_MS });
  const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return join(scratch, `${name}-${version}.tgz`);
}

/** Asks until there is a response. Resolves to its status. */
async function statusOf(url) {
  let status;
  await waitUntil(async () => {
    status = await responseStatus(url).catch(() => undefined);
    return status !== undefined;
  }, () => `a response of ${url}`);
  return status;
}

async function responseStatus(url) {
  const response = await fetch(url);
  await response.text();
  return response.status;
}

const lastStep = readSteps(guide).at(-1);
const dockerfiles = [...[DEPLOY, STARTER].map((folder) => readFileSync(join(folder, 'Dockerfile'), 'utf8')), lastStep.files.get('Dockerfile')];
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
    const folder = await writeGuide(registry, lastStep);
    await check('docs/guide.md: the image is built', () => buildah('build', '-q', '--isolation', 'chroot', '--pull-never', '-t', 'guide', folder));
    await check('docs/guide.md: it runs the program itself, as a user without rights', async () => {
      assert.deepEqual(await configOf('guide'), { ...expected, Cmd: ['node', 'build/main.js'] });
    });
    if (missingPostgres() === undefined) {
      const cluster = new Cluster();
      try {
        const { environment, volume } = await startDatabase(cluster, lastStep.files.get('schema.sql'));
        const paths = ['/ready', '/v1/pet', '/docs', '/openapi.json'];
        await check('docs/guide.md: it serves from PostgreSQL, and stops at SIGTERM', () => checkServes('guide', 'build/main.js', environment, paths, volume));
      } finally {
        await cluster.end();
      }
    }
    for (const image of ['starter', 'guide']) await check(`the image ${image} has no compiler`, async () => {
      const container = await buildah('from', '--pull-never', image);
      const program = "fs.readdirSync('node_modules').includes('typescript') && process.exit(1)";
      await buildah('run', '--isolation', 'chroot', container, '--', 'node', '-e', program);
    });
  } finally {
    close();
    rmSync(scratch, { recursive: true, force: true });
  }
});
