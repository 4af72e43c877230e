/** If listening fails, the promise rejects, however the engine reports the failure. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ListenOptions } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listen } from '../../../src/server/exchange/node/internals/servers.ts';
import { Child } from '../../support/child.ts';

const failing = suite('L2: listening that fails');
for (const [why, options, message] of [
  ['an invalid port, which Node throws', { host: '127.0.0.1', port: 65_536 }, /65536/],
  ['an invalid host, which Node may throw', { host: 'a\0b', port: 0 }, /hostname|getaddrinfo/],
  ['no port or path, which Node throws', {}, /options/],
  ['a descriptor that is not a socket, which Node emits', { fd: 2 ** 31 - 1 } as ListenOptions, /EINVAL/],
  ['a missing folder, which Node emits', { path: '/nowhere/at/all.sock' }, /EACCES|ENOENT/],
  ['an address of another machine, which Node emits when it is looked up', { host: '192.0.2.1', port: 0 }, /EADDRNOTAVAIL/],
  ['an invalid name, which Node emits after looking it up', { host: 'x'.repeat(300), port: 0 }, /getaddrinfo/],
] as const) {
  failing(`${why} -> a rejection`, async () => assert.match(await rejection(listen(createServer(), options)), message));
}
failing('a server that is already listening, which Node throws -> a rejection', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    assert.match(await rejection(listen(server, { host: '127.0.0.1', port: 0 })), /more than once/);
  } finally {
    server.close();
  }
});
failing('a bind that throws after the host was looked up -> a rejection', async () => {
  const server = createServer();
  Reflect.set(server, '_listen2', () => {
    throw new Error('binding is not permitted');
  });
  assert.is(await rejection(listen(server, { host: '127.0.0.1', port: 0 })), 'binding is not permitted');
});
failing.run();

// Node 20 has the permission model under a different name. Before Node 25 it did not restrict listening.
const flags = process.allowedNodeEnvironmentFlags;
const restricted = [flags.has('--permission') ? '--permission' : '--experimental-permission', '--allow-fs-read=*'];
const isNetRestricted = flags.has('--allow-net');

const permitting = suite("L2: start under Node's permission model");
for (const address of ['127.0.0.1:0', '[::1]:0', 'localhost:0']) {
  permitting(`${address}, without --allow-net: ${isNetRestricted ? 'an error string' : 'it listens, since this Node needs no permission'}`, async () => {
    const { ok, error } = await startUnder(restricted, address);
    assert.is(ok, !isNetRestricted);
    if (isNetRestricted) assert.match(String(error), /--allow-net|ERR_ACCESS_DENIED/);
  });
}
if (isNetRestricted) {
  permitting('127.0.0.1:0, with --allow-net: it listens', async () => {
    assert.equal(await startUnder([...restricted, '--allow-net'], '127.0.0.1:0'), { ok: true });
  });
}
permitting.run();

/** Starts a server in another process, which then exits by itself. Returns the result of `start`. */
async function startUnder(args: readonly string[], address: string): Promise<{ ok: boolean; error?: string }> {
  const script = `
    import { ApiServer } from ${JSON.stringify(new URL('../../../src/index.js', import.meta.url).href)};
    const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
    const { ok, error } = await server.start(${JSON.stringify(address)});
    console.log('started', JSON.stringify({ ok, error }));
    await server.stop();`;
  // The process has no permission to write a coverage file.
  const child = new Child([...args, '--input-type=module', '--eval', script]);
  assert.is(await child.exit(), 0, child.output);
  return JSON.parse((await child.waitForOutput(/^started (.*)$/m))[1] ?? '');
}

/** The message with which a promise rejects. */
async function rejection(promise: Promise<void>): Promise<string> {
  return promise.then(() => 'it is not', (error: Error) => error.message);
}
