/**
 * `npm create restpoint` in an empty folder makes a server that runs and a test that passes, on the oldest and the newest Node, and with pnpm, Bun
 * and Deno. The packages come from tarballs, through a registry on this machine:
 *
 *   npm pack && (cd create && npm pack) && npm ci --prefix tests/compat && node tests/create/run.js restpoint-*.tgz create/create-restpoint-*.tgz
 */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checking } from '../compat/checks.js';
import { Program } from '../compat/program.js';
import { serveRegistry } from './registry.js';

const DEADLINE_MS = 1_800_000;
const ENGINES = fileURLToPath(new URL('../compat/node_modules/.bin', import.meta.url));
const [, , ...tarballs] = process.argv;
const scratch = mkdtempSync(join(tmpdir(), 'restpoint-create-'));
const HOME = join(scratch, 'home');
const running = promisify(execFile);

/** The folder of a Node of this major version, which the registry has as a package. */
function folderOfNode(major) {
  const command = ['-y', '-p', `node@${major}`, 'node', '-p', 'process.execPath'];
  const path = execFileSync('npx', command, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  return dirname(path.trim());
}

const CREATE = ['npm', 'create', '--yes', 'restpoint'];

const npm = (major) => ({
  name: `npm on Node ${major}`,
  path: folderOfNode(major),
  create: CREATE,
  install: ['npm', 'install'],
  test: ['npm', 'test'],
  // Node 20 does not run TypeScript.
  dev: major < 22 ? undefined : ['npm', 'run', 'dev'],
  start: ['npm', 'start'],
  client: ['npm', 'run', 'client'],
});
const pnpm = ['npx', '-y', 'pnpm@12.21.0'];

const MANAGERS = [
  npm(20),
  npm(26),
  {
    name: 'pnpm',
    create: [...pnpm, 'create', 'restpoint'],
    install: [...pnpm, 'install'],
    test: [...pnpm, 'test'],
    start: [...pnpm, 'start'],
    client: [...pnpm, 'run', 'client'],
  },
  {
    name: 'Bun',
    path: ENGINES,
    create: ['bun', 'create', 'restpoint'],
    install: ['bun', 'install'],
    test: ['bun', 'test', 'src'],
    start: ['bun', 'src/main.ts'],
    client: ['bun', 'src/client.ts'],
  },
  {
    name: 'Deno',
    path: ENGINES,
    create: ['deno', 'run', '-A', 'npm:create-restpoint'],
    install: ['deno', 'install'],
    test: ['deno', 'test', '-A', '--no-check', 'src'],
    start: ['deno', 'run', '-A', 'src/main.ts'],
    client: ['deno', 'run', '-A', 'src/client.ts'],
  },
];

/** Makes a home folder for the package managers, whose caches are empty there. pnpm reads the registry from its `.npmrc` only. */
function makeHome(registry) {
  mkdirSync(HOME);
  const own = join(homedir(), '.npmrc');
  writeFileSync(join(HOME, '.npmrc'), `${existsSync(own) ? readFileSync(own, 'utf8') : ''}\nregistry=${registry}\n`);
}

function environmentOf(registry, path = dirname(process.execPath)) {
  return {
    ...process.env,
    CI: '1',
    NO_COLOR: '1',
    HOME,
    PATH: `${path}${delimiter}${process.env.PATH}`,
    PORT: '0',
    NPM_CONFIG_REGISTRY: registry,
    no_proxy: '127.0.0.1,localhost',
  };
}

async function run(command, cwd, env) {
  const [program, ...args] = command;
  try {
    return await running(program, args, { cwd, env, timeout: DEADLINE_MS });
  } catch ({ message, stdout, stderr }) {
    throw new Error(`${message}\n${stdout}\n${stderr}`);
  }
}

/** Starts the server in a process group, uses it, and ends the group as Ctrl-C does. */
async function started([program, ...args], cwd, env, use) {
  const server = new Program(program, args, { cwd, env, detached: true });
  try {
    const [, url] = await server.printed(/^listening on ([^,\s]+)/m);
    await use(url, server);
    await server.end('SIGINT');
  } finally {
    server.kill();
  }
}

async function checkServer(url) {
  const note = JSON.stringify({ text: 'buy milk' });
  const created = await fetch(`${url}/v1/note`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: note });
  assert.equal(created.status, 201);
  const read = await fetch(url + created.headers.get('location'));
  assert.equal(await read.text(), note);
  const { paths } = await (await fetch(`${url}/openapi.json`)).json();
  assert.deepEqual(Object.keys(paths), ['/v1/note', '/v1/note/{id}']);
  for (const name of ['', '/swagger-ui.css', '/swagger-ui-bundle.js', '/page.js']) {
    assert.equal((await fetch(`${url}/docs${name}`)).status, 200, name);
  }
}

async function checkManager(check, { name, path, create, install, test, dev, start, client }, registry) {
  const folder = join(scratch, name.replaceAll(' ', '-'));
  mkdirSync(folder);
  const env = environmentOf(registry, path);
  await check(`${name}: ${create.join(' ')} fills an empty folder`, async () => {
    const { stdout } = await run(create, folder, env);
    assert.match(stdout, /A server of notes is in this folder/);
    const found = readdirSync(folder).filter((file) => file !== 'pnpm-workspace.yaml').sort();
    assert.deepEqual(found, ['.gitignore', 'Dockerfile', 'README.md', 'package.json', 'src', 'tsconfig.json']);
    assert.equal(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name, name.replaceAll(' ', '-').toLowerCase());
  });
  await check(`${name}: ${install.join(' ')}`, async () => {
    await run(install, folder, env);
    assert.ok(existsSync(join(folder, 'node_modules', 'restpoint', 'package.json')));
  });
  await check(`${name}: ${test.join(' ')} runs each file of tests`, async () => {
    const file = join(folder, 'src', 'parts', 'second.test.ts');
    mkdirSync(dirname(file));
    writeFileSync(file, "import { test } from 'node:test';\ntest('a second file', () => {});\n");
    const { stdout, stderr } = await run(test, folder, env);
    for (const title of ['a note is created and read', 'a second file']) assert.ok(`${stdout}${stderr}`.includes(title), stdout);
    rmSync(dirname(file), { recursive: true });
    rmSync(join(folder, 'dist', 'parts'), { recursive: true, force: true });
  });
  await check(`${name}: ${test.join(' ')} fails if the server is wrong`, async () => {
    const file = join(folder, 'src', 'store.ts');
    const store = readFileSync(file, 'utf8');
    writeFileSync(file, store.replace('.min(1)', ''));
    await assert.rejects(run(test, folder, env), /Missing expected rejection/);
    writeFileSync(file, store);
  });
  if (dev !== undefined) {
    await check(`${name}: ${dev.join(' ')} starts anew after a change`, async () => {
      const file = join(folder, 'src', 'main.ts');
      const main = readFileSync(file, 'utf8');
      await started(dev, folder, env, async (_url, server) => {
        writeFileSync(file, main.replace('listening on', 'changed, listening on'));
        await server.printed(/^changed, listening on/m);
      });
      writeFileSync(file, main);
    });
  }
  await check(`${name}: ${start.join(' ')} on a port that is taken prints one line about it`, async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { message } = await run(start, folder, { ...env, PORT: String(taken.address().port) }).catch((error) => error);
    taken.close();
    // Each engine has its own reason: `listen EADDRINUSE: …`, or a question about the port.
    const lines = new Set(message.split('\n').filter((line) => /EADDRINUSE|not started|^ +at /.test(line)));
    assert.deepEqual([...lines].map((line) => line.replace(/(?<=not started: ).+/, '')), ['Error: the server is not started: ']);
  });
  await check(`${name}: ${start.join(' ')} serves notes, their document and its page, and ${client.join(' ')} adds a note`, () => {
    return started(start, folder, env, async (url) => {
      await checkServer(url);
      const { stdout } = await run(client, folder, { ...env, URL: `${url}/v1` });
      assert.match(stdout, /^buy milk *\nbuy milk \(new\)$/m);
    });
  });
}

/** The programs that the package shows to coding agents compile in a project, and their tests pass. */
async function checkSkill(check, { name: manager, path }, registry) {
  await check('the programs of the skill in the package compile, and their tests pass', async () => {
    const folder = join(scratch, manager.replaceAll(' ', '-'));
    const skill = readFileSync(join(folder, 'node_modules/restpoint/skills/restpoint/SKILL.md'), 'utf8');
    const files = [...skill.matchAll(/^```ts\n\/\/ (\S+)\n(.*?)^```$/gms)];
    const names = ['src/pets.ts', 'src/main.ts', 'src/server.test.ts', 'src/tasks.ts', 'src/tasks.test.ts', 'src/books.ts', 'src/books.test.ts'];
    assert.deepEqual(files.map(([, name]) => name), names);
    assert.equal(files.length, skill.match(/^```ts$/gm).length);
    for (const name of ['src', 'dist']) rmSync(join(folder, name), { recursive: true });
    mkdirSync(join(folder, 'src'));
    for (const [, name, code] of files) writeFileSync(join(folder, name), code);
    const env = environmentOf(registry, path);
    await run(['npx', 'tsc'], folder, env);
    // As the skill says, from Node 22.18 on.
    const { stdout } = await run(['node', '--test', '--test-reporter', 'tap', 'src/**/*.test.ts'], folder, env);
    for (const name of ['a pet is created, read, fed and deleted', 'each endpoint, by the typed client', 'GET /v1/task/:id: the response is as the document says']) {
      assert.match(stdout, new RegExp(`^ *ok \\d+ - ${name}$`, 'm'));
    }
  });
}

async function checkRejection(check, registry) {
  await check('npm create restpoint -- --help prints the usage, and makes nothing', async () => {
    const folder = join(scratch, 'help');
    mkdirSync(folder);
    const { stdout } = await run([...CREATE, '--', '--help'], folder, environmentOf(registry));
    assert.match(stdout, /^Usage: npm create restpoint \[folder\]$/m);
    assert.deepEqual(readdirSync(folder), []);
  });
  await check('a folder that has files is rejected, and stays as it is', async () => {
    const folder = join(scratch, 'full');
    mkdirSync(folder);
    writeFileSync(join(folder, 'mine.txt'), '');
    const message = /full is not empty: it has mine\.txt\. Name a new folder: npm create restpoint my-api/;
    await assert.rejects(run(CREATE, folder, environmentOf(registry)), message);
    assert.deepEqual(readdirSync(folder), ['mine.txt']);
  });
  await check('a new folder can be named, and the package has its name', async () => {
    const { stdout } = await run([...CREATE, 'My API'], scratch, environmentOf(registry));
    assert.match(stdout, /\n  cd 'My API' && npm install && npm run (?:dev|start)\n/);
    assert.equal(JSON.parse(readFileSync(join(scratch, 'My API', 'package.json'), 'utf8')).name, 'my-api');
  });
}

const { registry, close } = await serveRegistry(tarballs);
makeHome(registry);
try {
  await checking('create', async (check) => {
    for (const manager of MANAGERS) await checkManager(check, manager, registry);
    await checkSkill(check, MANAGERS[1], registry);
    await checkRejection(check, registry);
  });
} finally {
  close();
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
