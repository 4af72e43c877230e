/** The transcript in the error of a wire test that fails, and the errors in a server's log that fail it. */
import { get, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { ApiError, defineEndpoint, stringId, type ApiServer } from '../src/index.ts';
import { formatFailure } from './support/failure.ts';
import { serveListener } from './support/serve-listener.ts';
import { connectToListener } from './support/connect-to-listener.ts';
import { getCertificate } from './support/transport.ts';
import { assert, message, RawClient, send, serve, type ServeOptions, suite, type TestServer } from './support/facts.ts';

/** Fails a test with a new error, which gets the transcript. */
function fail(): never {
  throw new Error('the test fails');
}

function declare(server: ApiServer): void {
  server.registerEndpoint('/item', defineEndpoint({
    id: stringId,
    schema: (json: unknown): unknown => json,
    get: (id): unknown => {
      if (id === 'broken') throw ApiError.internal('the disk is full');
      return id;
    },
    update: () => {},
  }));
}

/** The transcript of the error that a test fails with. */
async function transcriptOf(test: Promise<void>): Promise<string> {
  const error = await test.then(() => undefined, (thrown: unknown) => thrown as Error & { transcript?: string });
  if (error === undefined) throw new Error('the test passes');
  return String(error.transcript);
}

function captureFailure(use: (served: TestServer) => Promise<unknown>, options: ServeOptions = {}): Promise<string> {
  return transcriptOf(serve(declare, async (served) => {
    await use(served);
    fail();
  }, options));
}

const GET = message('GET', '/v1/item/1');
const EXCHANGE = /^ +\d+ ms {2}#1 > GET \/v1\/item\/1 HTTP\/1\.1\\r\\n\n +\w.*\\r\\n\n[^]*^ +\d+ ms {2}#1 < HTTP\/1\.1 200 OK\\r\\n\n[^]*\\r\\n\n +"1"$/m;

const transcript = suite('the transcript of a test that fails');
for (const [client, ask, options = {}] of [
  ['a client of raw bytes', ({ port }) => send(port, GET)],
  ['fetch', ({ url }) => fetch(`${url}/v1/item/1`).then((response) => response.text())],
  ['node:http', async ({ url }) => {
    const [response] = await once(get(`${url}/v1/item/1`, { agent: false }), 'response') as [IncomingMessage];
    await once(response.resume(), 'end');
  }],
  ['a client of raw bytes, over TLS', async ({ port }) => {
    const raw = await RawClient.connect(port, true, true);
    raw.send(GET);
    await raw.response();
    raw.destroy();
  }, { tls: getCertificate() }],
] as const satisfies readonly (readonly [string, (served: TestServer) => Promise<unknown>, ServeOptions?])[]) {
  transcript(`shows the bytes that ${client} sends and receives`, async () => assert.match(await captureFailure(ask, options), EXCHANGE));
}
transcript('shows each connection, in the order of time, and which are closed', async () => {
  const text = await captureFailure(async ({ port }) => {
    const first = await RawClient.connect(port);
    const second = await RawClient.connect(port);
    for (const client of [second, first, second]) {
      client.send(GET);
      await client.response();
    }
    first.destroy();
    await once(first.socket, 'close');
    second.destroy();
    await once(second.socket, 'close');
  });
  assert.equal(text.match(/#\d (?:[<>] \S+|closed)/g), [
    '#2 > GET', '#2 < HTTP/1.1', '#1 > GET', '#1 < HTTP/1.1', '#2 > GET', '#2 < HTTP/1.1', '#1 closed', '#2 closed',
  ]);
});
transcript('shows the server\'s log between them', async () => {
  const text = await captureFailure(({ port }) => send(port, message('GET', '/v1/item/broken')));
  assert.match(text, /#1 > GET[^]*logged: Error: GET \/v1\/item\/:id: Internal error: the disk is full[^]*#1 < HTTP\/1\.1 500/);
});
transcript('shows the first and the last bytes of a long body', async () => {
  const body = JSON.stringify(`first${'x'.repeat(100_000)}last`);
  const text = await captureFailure(({ port }) => send(port, message('PUT', '/v1/item/1', body)));
  assert.match(text, /"first(x+) … 9\d{4} bytes … (x+)last"/);
  assert.ok(text.length < 5_000, String(text.length));
});
transcript('shows the first and the last of many entries', async () => {
  const text = await captureFailure(async ({ port }) => {
    for (let asked = 0; asked < 200; asked += 1) await send(port, message('GET', `/v1/item/id-${asked}`));
  });
  assert.match(text, /\/v1\/item\/id-0 [^]*… \d+ entries …[^]*\/v1\/item\/id-199 /);
  assert.not.match(text, /\/v1\/item\/id-100 /);
});
transcript('is printed behind the difference that an assertion finds', async () => {
  const failed = serve(declare, async ({ port }) => {
    assert.is((await send(port, GET)).status, 201);
  });
  const error = await failed.then(() => undefined, (thrown: unknown) => thrown);
  assert.match(formatFailure('a', error), /- 200\n +\+ 201\n +sent [^]*#1 > GET/);
});
transcript('is there for a server of the user\'s, too', async () => {
  const respond = async (port: number): Promise<void> => {
    await send(port, GET);
    fail();
  };
  for (const test of [
    () => serveListener((_request, response) => response.end('"1"'), respond),
    () => connectToListener((_request, response) => response.end('"1"'), async (client) => {
      client.send(GET);
      await client.response();
      fail();
    }),
  ]) {
    assert.match(await transcriptOf(test()), /#1 > GET \/v1\/item\/1 HTTP\/1\.1\\r\\n\n[^]*#1 < HTTP\/1\.1 \d{3} /);
  }
});

const logged = suite('an error that a server logs');
const requestBroken = async ({ port }: { readonly port: number }): Promise<unknown> => send(port, message('GET', '/v1/item/broken'));
logged('fails a test that does not look at the errors', async () => {
  const error = await serve(declare, async (served) => void await requestBroken(served)).then(() => undefined, (thrown: unknown) => thrown);
  assert.instance(error, Error);
  assert.is((error as Error).message, 'the server logged an error that the test does not expect');
  assert.is(((error as Error).cause as Error).message, 'GET /v1/item/:id: Internal error: the disk is full');
});
logged('does not fail a test that looks at them', () => serve(declare, async ({ port, errors }) => {
  await requestBroken({ port });
  assert.is(errors.length, 1);
}));
logged('does not replace the failure of a test', async () => {
  const error = await serve(declare, async (served) => {
    await requestBroken(served);
    fail();
  }).then(() => undefined, (thrown: unknown) => thrown);
  assert.is((error as Error).message, 'the test fails');
});
