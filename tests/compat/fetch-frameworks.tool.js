/**
 * `server.fetch` in Next and in SvelteKit, by the files that docs/frameworks.md shows: each framework builds an app, and serves it. Hono is in
 * `server-fetch.peer.js`.
 */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Agent, fetch } from 'undici';
import { checking } from './checks.js';
import { findFreePort } from './free-port.js';
import { Program } from './program.js';
import { checkFetches } from './server-fetch-requests.js';
import { waitUntil } from './until.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGES = fileURLToPath(new URL('node_modules/', import.meta.url));
// Not below the folder of the peers: Next looks for a `middleware.js` in the folders above an app.
const APPS = join(ROOT, 'build');
const PIECES = 3;
// A connection for each request: Next resets that of a request whose body is rejected.
const dispatcher = new Agent({ pipelining: 0 });

/** The server of the common requests. `wait` says when it is called, and when its caller has left. */
const SERVER = `
// @ts-nocheck: only the files of the document are checked.
import * as restpoint from 'restpoint';
import { zooServer } from './zoo.js';

export const server = zooServer(restpoint, ({ signal }) => {
  console.log('called');
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(console.log('left'))));
});
server.registerEndpoint('/piece', {
  custom: {
    count: { input: restpoint.bytes(), run: (body) => restpoint.reply(200, counts(body)) },
  },
});

async function* counts(body) {
  for await (const chunk of body) yield String(chunk.length) + '\\n';
}
`;

/** What Next has in a new project, and the option that the document names. */
const TYPED = {
  strict: true, noEmit: true, allowImportingTsExtensions: true, allowJs: true, skipLibCheck: true, esModuleInterop: true, isolatedModules: true, incremental: true,
  target: 'es2022', lib: ['dom', 'dom.iterable', 'esnext'], module: 'esnext', moduleResolution: 'bundler', resolveJsonModule: true, jsx: 'react-jsx', types: ['node'],
};

const FRAMEWORKS = [
  {
    name: 'Next',
    route: 'app/v1/[...path]/route.ts',
    server: 'server.ts',
    files: {
      'tsconfig.json': JSON.stringify({ compilerOptions: TYPED }),
      'next.config.js': `export default { turbopack: { root: ${JSON.stringify(ROOT)} } };`,
    },
    packages: ['next', 'react', 'react-dom', 'typescript', '@types'],
    build: ['next/dist/bin/next', 'build'],
    start: (_folder, port) => [join(PACKAGES, 'next/dist/bin/next'), 'start', '-H', '127.0.0.1', '-p', port],
    // It sends bodies in chunks.
    without: ['content-length'],
  },
  {
    name: 'SvelteKit',
    route: 'src/routes/v1/[...path]/+server.ts',
    server: 'server.ts',
    files: {
      'src/app.html': '<!doctype html><title>pets</title>%sveltekit.head%%sveltekit.body%',
      'svelte.config.js': `import adapter from '@sveltejs/adapter-node';\nexport default { kit: { adapter: adapter() } };`,
      'vite.config.js': `import { sveltekit } from '@sveltejs/kit/vite';\nexport default { plugins: [sveltekit()] };`,
    },
    packages: ['@sveltejs', 'svelte', 'vite'],
    build: ['vite/bin/vite.js', 'build'],
    start: (folder) => [join(folder, 'build/index.js')],
    without: [],
  },
];

const ask = (url, init) => fetch(url, { ...init, dispatcher });

/** The file that the document shows under this name. */
async function shownFile(name) {
  const markdown = await readFile(join(ROOT, 'docs/frameworks.md'), 'utf8');
  const [, code] = markdown.split(`\`\`\`ts\n// ${name}\n`);
  return code.split('```')[0];
}

/** Builds an app, calls a function with its folder, and removes it. */
async function whileBuilt({ name, route, server, files, packages, build: [program, ...args] }, use) {
  await mkdir(APPS, { recursive: true });
  const folder = await mkdtemp(join(APPS, `${name.toLowerCase()}-`));
  try {
    const all = { ...files, 'package.json': '{ "type": "module" }', [route]: await shownFile(route), [server]: SERVER };
    for (const [file, text] of Object.entries(all)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    await cp(fileURLToPath(new URL('zoo.js', import.meta.url)), join(folder, dirname(server), 'zoo.js'));
    await mkdir(join(folder, 'node_modules'));
    for (const each of packages) await symlink(join(PACKAGES, each), join(folder, 'node_modules', each), 'dir');
    // As it is installed: some bundlers leave a package there alone, and do not follow links out of the project.
    for (const part of ['package.json', 'dist']) await cp(join(ROOT, part), join(folder, 'node_modules/restpoint', part), { recursive: true });
    await build([join(PACKAGES, program), ...args], folder);
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs a program of Node. It has a group of its own, since the processes that a bundler starts may end a moment after it. */
async function build(args, cwd) {
  const program = new Program(process.execPath, args, { cwd, env: environment(), detached: true });
  assert.equal(await program.ended(), 0, program.output);
}

function environment(more = {}) {
  return { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production', ...more };
}

/** Serves an app, and calls a function with its URL and its output. */
async function whileServed({ start }, folder, use) {
  const port = String(await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const env = environment({ HOST: '127.0.0.1', PORT: port, ORIGIN: url });
  const program = new Program(process.execPath, start(folder, port), { cwd: folder, env });
  try {
    await program.responds(url);
    await use(url, program);
  } finally {
    // Next has a process of its own for the server, which this one ends.
    await program.end('SIGTERM');
  }
}

/** Sends pieces, each when the response to the one before is here. */
async function exchangePieces(url) {
  const { readable, writable } = new TransformStream();
  const writer = writable.getWriter();
  void writer.write(Buffer.from('x'));
  const headers = { 'Content-Type': 'application/octet-stream', origin: new URL(url).origin };
  const response = await ask(url, { method: 'POST', headers, body: readable, duplex: 'half' });
  const received = [];
  for await (const line of response.body.pipeThrough(new TextDecoderStream())) {
    received.push(line);
    if (received.length < PIECES) void writer.write(Buffer.alloc(received.length + 1));
    else await writer.close();
  }
  return received.join('');
}

async function checkFramework(check, { name, without }, url, program) {
  // A page of a different origin may not send a form, nor plain text, to SvelteKit.
  const options = { only: ({ path }) => path.startsWith('/v1'), headers: { origin: url }, without };
  await checkFetches((what, holds) => check(`${what}, in ${name}`, holds), (path, init) => ask(url + path, init), options);
  await check(`bodies are streamed in both directions, in ${name}`, async () => {
    assert.equal(await exchangePieces(`${url}/v1/piece/count`), '1\n2\n3\n');
  });
  await check(`a client of ${name} that leaves aborts the signal of the operation`, async () => {
    const controller = new AbortController();
    const call = ask(`${url}/v1/pet/wait`, { method: 'POST', headers: { origin: url }, signal: controller.signal });
    call.catch(() => {});
    await waitUntil(() => program.output.includes('called'));
    controller.abort();
    await assert.rejects(call, { name: 'AbortError' });
    await waitUntil(() => program.output.includes('left'));
  });
  await check(`nothing was thrown in ${name} where nobody catches it`, () => assert.doesNotMatch(program.output, /uncaught|unhandled|ERR_/i));
}

await checking('server.fetch', async (check) => {
  for (const framework of FRAMEWORKS) {
    await check(`${framework.name} builds an app, and serves it`, () => whileBuilt(framework, (folder) => {
      return whileServed(framework, folder, (url, program) => checkFramework(check, framework, url, program));
    }));
  }
});
