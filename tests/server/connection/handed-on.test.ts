/** `requestListener` serves requests whose socket is not a stream. The libraries that make such requests are in `tests/compat`. */
import { ApiServer, stringId, type ApiServerOptions } from '../../../src/index.ts';
import { Injection } from '../../support/injection.ts';
import { Zoo } from '../../support/zoo.ts';
import { assert, delay, suite, withTimeout } from '../../support/facts.ts';

const rex = '{"name":"Rex","legs":4}';
const bytes = new TextEncoder().encode(rex);
const JSON_OF_REX = { 'content-type': 'application/json', 'content-length': String(rex.length) };
const CHUNKED = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };

function listenerWith(declare: (server: ApiServer) => void, options: ApiServerOptions = {}): ApiServer['requestListener'] {
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} }, ...options });
  declare(server);
  return server.requestListener;
}

function zooListener(): ApiServer['requestListener'] {
  const zoo = new Zoo();
  zoo.pets.set(7, { name: 'Rex', legs: 4 });
  return listenerWith((server) => {
    zoo.register(server);
    server.mount('/echo', async (request, response) => {
      for await (const chunk of request) response.write(chunk);
      response.end();
    });
  }, { limits: { bodyBytes: 100 } });
}

const handedOn = suite('a request whose socket is not a stream');
for (const [why, injection, expected] of [
  ['Create', new Injection('POST', '/v1/pet', [rex], JSON_OF_REX), [201, '/v1/pet/1', '1']],
  ['Create, in pieces', new Injection('POST', '/v1/pet', [...rex], CHUNKED), [201, '/v1/pet/1', '1']],
  ['Create, of a Uint8Array', new Injection('POST', '/v1/pet', [bytes], JSON_OF_REX), [201, '/v1/pet/1', '1']],
  ['Create, of several Uint8Arrays', new Injection('POST', '/v1/pet', [bytes.subarray(0, 9), bytes.subarray(9)], CHUNKED), [201, '/v1/pet/1', '1']],
  ['Get', new Injection('GET', '/v1/pet/7'), [200, '', rex]],
  ['Update', new Injection('PUT', '/v1/pet/7', [rex], JSON_OF_REX), [204, '', '']],
  ['Delete', new Injection('DELETE', '/v1/pet/7'), [204, '', '']],
  ['a Custom operation', new Injection('POST', '/v1/pet/count'), [200, '', '1']],
  ['a method that the path lacks', new Injection('PATCH', '/v1/pet/7'), [405, 'GET, HEAD, PUT, DELETE, OPTIONS', '']],
  ['a mount', new Injection('POST', '/echo', ['one'], { 'content-length': '3' }), [200, '', '3\r\none\r\n0\r\n\r\n']],
] as const) {
  handedOn(`${why} -> ${expected[0]}`, async () => {
    const [status, header, ...body] = await injection.into(zooListener());
    assert.equal([status, header, body.join('')], expected);
  });
}
const BARE: readonly (readonly [what: string, others: object])[] = [
  ['socket: null', { socket: null }],
  ['socket: undefined', { socket: undefined }],
];
for (const [what, others] of BARE) {
  for (const [why, [method, url, body = [], headers = {}], expected] of [
    ['Create', ['POST', '/v1/pet', [rex], JSON_OF_REX], [201, '/v1/pet/1', '1']],
    ['Create, in pieces', ['POST', '/v1/pet', [...rex], CHUNKED], [201, '/v1/pet/1', '1']],
    ['Get', ['GET', '/v1/pet/7'], [200, '', rex]],
    ['Delete', ['DELETE', '/v1/pet/7'], [204, '', '']],
    ['a method that the path lacks', ['PATCH', '/v1/pet/7'], [405, 'GET, HEAD, PUT, DELETE, OPTIONS', '']],
    ['a mount', ['POST', '/echo', ['one'], { 'content-length': '3' }], [200, '', '3\r\none\r\n0\r\n\r\n']],
  ] as readonly (readonly [string, ConstructorParameters<typeof Injection>, unknown])[]) {
    handedOn(`${what}: ${why} gets the same response as with them`, async () => {
      assert.equal(await withTimeout(new Injection(method, url, body, headers, others).into(zooListener())), expected);
    });
  }
  for (const [why, [method, url, body, headers], status] of [
    ['an unknown path', ['GET', '/v1/nothing'], 404],
    ['a body that is too long', ['POST', '/v1/pet', ['x'], { ...JSON_OF_REX, 'content-length': '101' }], 413],
    ['a different type', ['POST', '/v1/pet', [rex], { ...JSON_OF_REX, 'content-type': 'text/plain' }], 415],
  ] as readonly (readonly [string, ConstructorParameters<typeof Injection>, number])[]) {
    handedOn(`${what}: ${why} -> ${status}`, async () => {
      assert.is((await withTimeout(new Injection(method, url, body, headers, others).into(zooListener())))[0], status);
    });
  }
}
for (const [why, injection, status] of [
  ['an unknown path', new Injection('GET', '/v1/nothing'), 404],
  ['a body whose declared length is too long', new Injection('POST', '/v1/pet', ['x'], { ...JSON_OF_REX, 'content-length': '101' }), 413],
  ['a chunked body that is too long', new Injection('POST', '/v1/pet', ['x'.repeat(60), 'x'.repeat(60)], CHUNKED), 413],
  ['a request without a host', new Injection('GET', '/v1/pet/7', [], { host: '' }), 400],
] as const) {
  handedOn(`${why} -> ${status}`, async () => assert.is((await injection.into(zooListener()))[0], status));
}
handedOn('whose response closes: it closes once', async () => {
  let closes = 0;
  const injection = new Injection('GET', '/v1/pet/7');
  injection.response.on('close', () => (closes += 1));
  await injection.into(zooListener());
  await delay(5);
  assert.is(closes, 1);
});

const givenUp = suite('a request whose socket is not a stream, and that is destroyed');

givenUp('aborts the signal of its operation', async () => {
  const injection = new Injection('GET', '/v1/slow/one');
  const reasons: unknown[] = [];
  await injection.into(listenerWith((server) => server.registerEndpoint('/slow', {
    id: stringId,
    get: (_id, { signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason.message));
      injection.response.destroy();
      return new Promise(() => {});
    },
  })));
  assert.equal(reasons, ['the client left']);
});
givenUp('aborts a signal that is first read afterwards', async () => {
  const injection = new Injection('GET', '/v1/slow/one');
  let aborted: boolean | undefined;
  await injection.into(listenerWith((server) => server.registerEndpoint('/slow', {
    id: stringId,
    get: (_id, request) => {
      injection.response.destroy();
      aborted = request.signal.aborted;
      return new Promise(() => {});
    },
  })));
  assert.is(aborted, true);
});
givenUp('aborts nothing after its response was sent', async () => {
  let signal: AbortSignal | undefined;
  const response = await new Injection('GET', '/v1/quick/one').into(listenerWith((server) => server.registerEndpoint('/quick', {
    id: stringId,
    get: (id, request) => {
      signal = request.signal;
      return id;
    },
  })));
  assert.equal([response, signal?.aborted], [[200, '', '"one"'], false]);
});
for (const [why, fail] of [
  ['has failed after its head', (response: Injection['response']) => response.writeHead(200).write('half')],
  ['has failed with a head that Node rejected', (response: Injection['response']) => {
    response.statusMessage = 'a head';
  }],
] as const) {
  givenUp(`a mount that ${why}: the response is closed`, async () => {
    const injection = new Injection('GET', '/broken');
    await injection.into(listenerWith((server) => server.mount('/broken', (_request, response) => {
      fail(response);
      throw new Error('broken');
    })));
    assert.is(injection.response.writableEnded, false);
  });
}
