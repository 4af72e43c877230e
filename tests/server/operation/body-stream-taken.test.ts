/** Bodies that an operation iterates, and that code of the user reads beside it by `request.raw`. */
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { bytes, defineEndpoint, type ApiRequest, type ApiServerOptions, type Interceptor } from '../../../src/index.ts';
import { ndjson } from '../../../src/formats/index.ts';
import { assert, Gate, head, message, RawClient, send, serve, suite, type TestServer } from '../../support/facts.ts';

type Act = (raw: IncomingMessage) => unknown;

interface Acts {
  readonly around?: Act;
  readonly before?: Act;
  readonly atFirst?: Act;
}

const LINES = '"a"\n'.repeat(1250);
const READ = 'Internal error: the body was read before the operation could: by a body parser in front of the server, or by a listener for data';

/** Serves `POST /file/bytes` and `POST /file/lines`, which return the number of bytes or items, and `GET /file`. */
function serveActs({ around, before, atFirst }: Acts, use: (served: TestServer) => Promise<void>, options?: ApiServerOptions): Promise<void> {
  const interceptor: Interceptor = {
    around: async (call, run) => {
      await around?.((call.request as ApiRequest).raw);
      return run({});
    },
  };
  const count = async (body: AsyncIterable<unknown>, { raw }: ApiRequest): Promise<number> => {
    await before?.(raw);
    let length = 0;
    for await (const each of body) {
      if (length === 0) await atFirst?.(raw);
      length += each instanceof Uint8Array ? each.length : 1;
    }
    return length;
  };
  return serve((server) => {
    server.registerEndpoint('/file', defineEndpoint({
      get: () => 'free',
      custom: {
        bytes: { use: interceptor, input: bytes(), run: count },
        lines: { use: interceptor, input: ndjson(String), run: count },
      },
    }));
  }, use, { limits: { inFlight: 1, operationMs: 60_000 }, ...options });
}

const TYPES = { bytes: 'text/plain', lines: 'application/x-ndjson' } as const;

/** The status of the response on both carriers. Then the place of the request must be free. */
async function sendBoth({ port, server }: TestServer, name: keyof typeof TYPES): Promise<readonly [number, number]> {
  const { status } = await send(port, message('POST', `/v1/file/${name}`, LINES, [`Content-Type: ${TYPES[name]}`]));
  const response = await server.fetch(`/v1/file/${name}`, { method: 'POST', body: LINES, headers: { 'content-type': TYPES[name] } });
  await response.text();
  assert.is((await server.fetch('/v1/file')).status, 200);
  assert.is((await send(port, message('GET', '/v1/file'))).status, 200);
  return [status, response.status];
}

const readAll: Act = (raw) => buffer(raw);
const taken = suite('B13: a body that is read by request.raw before the operation iterates it');
for (const name of ['bytes', 'lines'] as const) {
  for (const [what, acts] of [
    ['an interceptor reads it', { around: readAll }],
    ['an interceptor begins to read it', { around: (raw) => void raw.on('data', () => {}) }],
    ['an interceptor destroys it without its socket', { around: (raw) => (Reflect.set(raw, 'socket', null), raw.destroy()) }],
    ['the operation reads it', { before: readAll }],
    ['the operation sets an encoding', { before: (raw) => void raw.setEncoding('utf8') }],
    ['the operation reads all of it at once, and is not waited for', { before: (raw) => void readAll(raw) }],
  ] as const satisfies readonly (readonly [string, Acts])[]) {
    taken(`${what}, ${name} -> 500, logged at once`, () => serveActs(acts, async (served) => {
      assert.equal(await sendBoth(served, name), [500, 500]);
      assert.equal(served.errors.map(({ message }) => message), [`POST /v1/file/${name}: ${READ}`, `POST /v1/file/${name}: ${READ}`]);
    }));
  }
}
/** Like an act, and opens the gate when it has seen a chunk. */
type Beside = (raw: IncomingMessage, seen: Gate) => unknown;
for (const [what, beside] of [
  ['sets an encoding', (raw, seen) => (raw.setEncoding('utf8'), seen.open())],
  ['iterates it too', async (raw, seen) => { for await (const _ of raw) seen.open(); }],
] as const satisfies readonly (readonly [string, Beside])[]) {
  taken(`the operation ${what}, after a first chunk -> 500, and not a part of the bytes`, async () => {
    const [begun, seen] = [new Gate(), new Gate()];
    await serveActs({ atFirst: (raw) => (begun.open(), beside(raw, seen)) }, async ({ port, errors }) => {
      const client = await RawClient.send(port, head('POST', '/v1/file/bytes', ['Content-Length: 12']) + 'a');
      await begun.passed;
      client.send('bcdef');
      await seen.passed;
      client.send('ghijkl');
      assert.is((await client.response()).status, 500);
      assert.equal(errors.map(({ message }) => message), [`POST /v1/file/bytes: ${READ}`]);
      client.destroy();
    });
  });
}

const time = suite('C5: the time of an operation whose body has arrived');
for (const [what, makeActs] of [
  ['the operation pauses it while it waits', (begun) => ({ before: (raw) => void setImmediate(() => (raw.pause(), begun.open())) })],
  ['nobody listens for it any more', (begun) => ({ atFirst: (raw) => (raw.removeAllListeners(), begun.open()) })],
  ['something listens for readable', (begun) => ({ atFirst: (raw) => (raw.on('readable', () => {}), begun.open()) })],
] as const satisfies readonly (readonly [string, (begun: Gate) => Acts])[]) {
  time(`${what} -> 503, logged`, () => {
    const begun = new Gate();
    return serveActs(makeActs(begun), async ({ port, errors }) => {
      const client = await RawClient.send(port, head('POST', '/v1/file/bytes', ['Content-Length: 6']) + 'abc');
      await begun.passed;
      client.send('def');
      assert.is((await client.response()).status, 503);
      assert.equal(errors.map(({ message }) => message), ['POST /v1/file/bytes: the operation took longer than 200 ms']);
      assert.is((await send(port, message('GET', '/v1/file'))).status, 200);
      client.destroy();
    }, { limits: { inFlight: 1, operationMs: 200 } });
  });
}
time('a body of which a part is late has its own time', () => serveActs({}, async ({ port }) => {
  const client = await RawClient.send(port, head('POST', '/v1/file/bytes', ['Content-Length: 6']) + 'abc');
  // Longer than twice the limit.
  await new Promise((resolve) => setTimeout(resolve, 500));
  client.send('def');
  assert.is((await client.response()).body, '6');
  client.destroy();
}, { limits: { operationMs: 200 } }));
