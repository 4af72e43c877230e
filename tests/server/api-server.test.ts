/** The use of a server: construct, register, start and stop. And the lines that the server logs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, stringId, type ListenAddress } from '../../src/index.ts';
import { Child } from '../support/child.ts';
import { delay, waitUntil } from '../support/wait.ts';
import { RawClient, send } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { Zoo } from '../support/zoo.ts';

const quiet = { logger: { info() {}, error() {} } };
const animal = { id: stringId, get: (name: string) => ({ name, legs: 4, lethal: false }) };

const routes = suite('L1: the routes of a server');

routes('are logged at info level when they are registered, OPTIONS routes too', () => serve(new Zoo().register, async ({ infos }) => {
  assert.equal(infos, [
    'route: POST /v1/pet',
    'route: GET /v1/pet/:id',
    'route: PUT /v1/pet/:id',
    'route: DELETE /v1/pet/:id',
    'route: POST /v1/pet/feed',
    'route: POST /v1/pet/count',
    'route: OPTIONS /v1/pet',
    'route: OPTIONS /v1/pet/:id',
    'route: OPTIONS /v1/pet/feed',
    'route: OPTIONS /v1/pet/count',
  ]);
}));
routes('are listed by `routes` with method and path, mounts too, in order of registration', () => {
  const server = new ApiServer('/v1', quiet);
  server.mount('/health', () => {});
  server.registerEndpoint('/animal', animal);
  assert.equal(server.routes, [
    { method: '*', path: '/health' },
    { method: 'GET', path: '/v1/animal/:id' },
    { method: 'OPTIONS', path: '/v1/animal' },
    { method: 'OPTIONS', path: '/v1/animal/:id' },
  ]);
});
routes('do not change if the user changes the list that `routes` returned', () => {
  const server = new ApiServer('/v1', quiet);
  server.registerEndpoint('/animal', animal);
  (server.routes as unknown[]).length = 0;
  assert.is(server.routes.length, 3);
});
routes('are logged to the console by default', () => {
  const lines: unknown[] = [];
  const { info } = console;
  console.info = (line: unknown) => void lines.push(line);
  try {
    new ApiServer('').mount('/health', () => {});
  } finally {
    console.info = info;
  }
  assert.equal(lines, ['route: * /health']);
});
routes('of an endpoint that is registered while the server runs are served', () => serve(() => {}, async ({ server, port }) => {
  assert.is((await send(port, get('/v1/animal/ant'))).status, 404);
  server.registerEndpoint('/animal', animal);
  assert.is((await send(port, get('/v1/animal/ant'))).body, '{"name":"ant","legs":4,"lethal":false}');
}));
routes.run();

const roots = suite('P2: an invalid root');
for (const root of ['/', 'v1', '/v1/', '/v1//x', '/v 1', '/v1?', '/v1#', '/v\\1', '/v\u00e9', '/:id', '/v1/:id', 7, null, undefined]) {
  roots(`${JSON.stringify(root)} -> TypeError that names it`, () => {
    assert.throws(
      () => new ApiServer(root as string, quiet),
      (error: Error) => error instanceof TypeError && error.message.includes(typeof root === 'string' ? JSON.stringify(root) : typeof root),
    );
  });
}
roots.run();

const starting = suite('L2: start');
for (const [address, url] of [
  ['127.0.0.1:0', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['localhost:0', /^http:\/\/(127\.0\.0\.1|\[::1\]):\d+$/],
  ['[::1]:0', /^http:\/\/\[::1\]:\d+$/],
  [{ port: 0 }, /^http:\/\/127\.0\.0\.1:\d+$/],
  [{ host: '127.0.0.1', port: 0 }, /^http:\/\/127\.0\.0\.1:\d+$/],
] as const) {
  starting(`${JSON.stringify(address)} resolves to the URL and the address`, async () => {
    const server = new ApiServer('/v1', quiet);
    server.registerEndpoint('/animal', animal);
    const started = await server.start(address);
    assert.ok(started.ok);
    try {
      assert.match(started.url, url);
      assert.is(new URL(started.url).port, String((started.address as AddressInfo).port));
      assert.is((await fetch(`${started.url}/v1/animal/ant`)).status, 200);
    } finally {
      await server.stop();
    }
  });
}
starting('that fails prints one line, and not a second one if the program exits', async () => {
  const busy = createNetServer().listen(0, '127.0.0.1');
  await once(busy, 'listening');
  try {
    const { port } = busy.address() as AddressInfo;
    const entry = JSON.stringify(new URL('../../src/index.js', import.meta.url).href);
    const program = `import { ApiServer } from ${entry}; const started = await new ApiServer('').start('127.0.0.1:${port}'); if (!started.ok) process.exit(1);`;
    const child = new Child(['--input-type=module', '-e', program]);
    assert.is(await child.exit(), 1);
    assert.is(child.output, `Error: the server is not started: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`);
  } finally {
    busy.close();
  }
});
starting('a Unix socket: the URL has its path as the host', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'restpoint-'));
  const path = join(folder, 'api.sock');
  const server = new ApiServer('/v1', quiet);
  server.registerEndpoint('/animal', animal);
  try {
    const started = await server.start({ path });
    assert.equal(started, { ok: true, url: `http+unix://${encodeURIComponent(path)}`, address: path });
    assert.is(await statusOf({ socketPath: path, path: '/v1/animal/ant' }), 200);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
});
starting('an inherited listener, by its descriptor', async () => {
  const inherited = createNetServer().listen(0, '127.0.0.1');
  await once(inherited, 'listening');
  const { port } = inherited.address() as AddressInfo;
  // Node passes listeners on only between its own processes. Otherwise the descriptor is not public.
  const { fd } = (inherited as unknown as { _handle: { fd: number } })._handle;
  const script = `
    import { ApiServer, stringId } from ${JSON.stringify(new URL('../../src/index.js', import.meta.url).href)};
    const server = new ApiServer('/v1');
    server.registerEndpoint('/animal', { id: stringId, get: (name) => ({ name }) });
    console.log('started', (await server.start({ fd: 3 })).ok);
    process.once('SIGTERM', () => server.stop());`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit', fd] });
  try {
    inherited.close();
    let output = '';
    child.stdio[1]?.on('data', (chunk) => (output += chunk));
    await waitUntil(() => output.includes('started true'), 'the child to listen');
    assert.is((await send(port, get('/v1/animal/ant'))).body, '{"name":"ant"}');
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});
for (const address of [
  '', 'localhost', ':8080', '127.0.0.1:', '127.0.0.1:65536', '127.0.0.1:-1', '::1:80', '[::1]', 'a b:80', 'http://a:80',
  {}, { port: -1 }, { port: 1.5 }, { port: 'http' }, { host: '', port: 80 }, { host: 7, port: 80 }, { path: '' }, { fd: -1 }, 8080, null, undefined,
  { get port() { throw new Error('a getter that throws'); } },
]) {
  starting(`${describe(address)}, which is malformed -> an error string, logged`, async () => {
    const logged: Error[] = [];
    const server = new ApiServer('/v1', { logger: { info() {}, error: (error) => logged.push(error) } });
    const started = await server.start(address as ListenAddress);
    assert.not(started.ok);
    if (!started.ok) assert.match(started.error, /malformed address|getter that throws/);
    assert.is(logged.length, 1);
    assert.match(logged[0]?.message ?? '', /^the server is not started: /);
  });
}
starting('a port in use -> an error string, and the server can be started again', () => serve(() => {}, async ({ port }) => {
  const server = new ApiServer('/v1', quiet);
  const taken = await server.start({ port });
  assert.not(taken.ok);
  if (!taken.ok) assert.match(taken.error, /EADDRINUSE/);
  assert.ok((await server.start('127.0.0.1:0')).ok);
  await server.stop();
}));
starting('a server that is started or still starting -> an error string', async () => {
  const server = new ApiServer('/v1', quiet);
  const [first, second] = await Promise.all([server.start('127.0.0.1:0'), server.start('127.0.0.1:0')]);
  assert.ok(first.ok);
  assert.equal(second, { ok: false, error: 'the server is already started: stop it first' });
  assert.equal(await server.start('127.0.0.1:0'), { ok: false, error: 'the server is already started: stop it first' });
  await server.stop();
});
starting.run();

const stopping = suite('L3: stop');

stopping('does nothing before start', async () => {
  const server = new ApiServer('/v1', quiet);
  assert.is(await server.stop(), undefined);
  assert.ok((await server.start('127.0.0.1:0')).ok);
  await server.stop();
});
stopping('is idempotent, and each call resolves when the server has stopped', () => serve(() => {}, async ({ server, port }) => {
  await Promise.all([server.stop(), server.stop()]);
  await server.stop();
  assert.is(await RawClient.connect(port).then(() => 'accepted', (error) => error.code), 'ECONNREFUSED');
}));
stopping('waits for a start() that has not resolved', async () => {
  const server = new ApiServer('/v1', quiet);
  const starting = server.start('127.0.0.1:0');
  await server.stop();
  const started = await starting;
  assert.ok(started.ok);
  const { port } = started.address as AddressInfo;
  assert.is(await RawClient.connect(port).then(() => 'accepted', (error) => error.code), 'ECONNREFUSED');
});
stopping('lets the server be started again, with its routes', async () => {
  const server = new ApiServer('/v1', quiet);
  server.registerEndpoint('/animal', animal);
  for (let round = 0; round < 3; round += 1) {
    const started = await server.start('127.0.0.1:0');
    assert.ok(started.ok);
    assert.is((await send((started.address as AddressInfo).port, get('/v1/animal/ant'))).status, 200);
    await server.stop();
  }
});
stopping('start() fails until stop() has resolved', async () => {
  const server = new ApiServer('/v1', { ...quiet, stopGraceMs: 200 });
  server.registerEndpoint('/animal', { id: stringId, get: () => new Promise(() => {}) });
  const started = await server.start('127.0.0.1:0');
  assert.ok(started.ok);
  const client = await RawClient.connect((started.address as AddressInfo).port);
  client.send(get('/v1/animal/ant'));
  await delay(20);
  const stopped = server.stop();
  assert.equal(await server.start('127.0.0.1:0'), { ok: false, error: 'the server is stopping' });
  await stopped;
  client.destroy();
  assert.ok((await server.start('127.0.0.1:0')).ok);
  await server.stop();
});
stopping('no signal handler is installed', async () => {
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const before = signals.map((signal) => process.listenerCount(signal));
  await serve(() => {}, async () => assert.equal(signals.map((signal) => process.listenerCount(signal)), before));
});
stopping.run();

const listener = suite('requestListener');

listener('serves requests of a server of the user', async () => {
  const server = new ApiServer('/v1', quiet);
  server.registerEndpoint('/animal', animal);
  const own = createServer(server.requestListener).listen(0, '127.0.0.1');
  try {
    await once(own, 'listening');
    assert.is((await send((own.address() as AddressInfo).port, get('/v1/animal/ant'))).status, 200);
  } finally {
    own.close();
  }
});
listener('serves requests over a stream in memory, without a port', async () => {
  const server = new ApiServer('/v1', quiet);
  server.registerEndpoint('/animal', animal);
  const [near, far] = duplexPair();
  createServer(server.requestListener).emit('connection', far);
  assert.is(await statusOf({ createConnection: () => near, path: '/v1/animal/ant' }), 200);
  near.destroy();
});
listener.run();

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
}

function describe(address: unknown): string {
  return typeof address === 'object' && address !== null ? `{ ${Object.keys(address).join(', ')} }` : JSON.stringify(address) ?? 'undefined';
}

function statusOf(options: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    httpRequest({ headers: { host: 'a' }, ...options }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    }).on('error', reject).end();
  });
}
