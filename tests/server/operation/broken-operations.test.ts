/**
 * Operations that throw broken errors, or that destroy, pause or break their request. At most their own connection ends, and never the
 * process.
 */
import { ApiError, defineEndpoint, stringId, type ApiRequest } from '../../../src/index.ts';
import { declareFailing, FAILING_OPERATIONS, makeRevokedProxy, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { inspectRequests } from '../../support/inspect-requests.ts';
import { assert, delay, message, RawClient, readProblem, send, serve, suite } from '../../support/facts.ts';

const mute = new Proxy(ApiError.notFound(), { get: () => { throw new Error('trap'); } });
const noKind = Object.defineProperty(ApiError.notFound(), 'kind', { get: () => { throw new Error('the getter'); } });
const noMessage = Object.defineProperty(ApiError.notFound(), 'message', { get: () => { throw new Error('the getter'); } });

const brokenErrors = suite('a broken ApiError');
for (const [why, thrown] of [
  ['a kind that there is not', Object.assign(ApiError.notFound(), { kind: 'Teapot' })],
  ['a kind that every object inherits', Object.assign(ApiError.notFound(), { kind: 'constructor' })],
  ['a kind that its getter keeps', noKind],
  ['a message that is not a string', Object.assign(ApiError.argument('legs'), { message: 7n })],
  ['a message that its getter keeps', noMessage],
  ['neither kind nor message', Object.create(ApiError.prototype) as unknown],
  ['a proxy that throws on every access', mute],
] as const) {
  for (const [way, failWith] of WAYS_TO_FAIL) {
    brokenErrors(`with ${why}, ${way} -> 500, logged, and the connection stays open`, () => serve(declareFailing(failWith(thrown)), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        for (const { method, target, sent } of FAILING_OPERATIONS) {
          client.send(message(method, target, sent));
          assert.equal(readProblem(await client.response()), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
          assert.is(errors.at(-1)?.cause, thrown);
        }
      } finally {
        client.destroy();
      }
      assert.is(errors.length, FAILING_OPERATIONS.length);
    }));
  }
}
for (const [why, thrown] of [
  ['frozen', Object.freeze(ApiError.notFound())],
  ['behind a transparent proxy', new Proxy(ApiError.notFound(), {})],
] as const) {
  brokenErrors(`does not include one that is ${why} -> 404`, () => serve(declareFailing(() => { throw thrown; }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 404);
  }));
}

type Break = (request: ApiRequest) => unknown;

const cut = new Error('cut');

const LETHAL: readonly (readonly [why: string, break_: Break])[] = [
  ['destroys the socket', ({ raw }) => raw.socket.destroy()],
  ['destroys the socket with an error', ({ raw }) => raw.socket.destroy(cut)],
  ['emits an error on the socket', ({ raw }) => raw.socket.emit('error', cut)],
  ['emits two errors on the socket', ({ raw }) => [raw.socket.emit('error', cut), raw.socket.emit('error', cut)]],
  ['resets the socket', ({ raw }) => raw.socket.resetAndDestroy()],
  ['ends the socket', ({ raw }) => raw.socket.end()],
];

const HARMLESS: readonly (readonly [why: string, break_: Break])[] = [
  ['emits an error on its request', ({ raw }) => raw.emit('error', cut)],
  ['emits two errors on its request', ({ raw }) => [raw.emit('error', cut), raw.emit('error', cut)]],
  ['emits an error on its request in a later turn', ({ raw }) => setImmediate(() => raw.emit('error', cut))],
  ['pauses its request', ({ raw }) => raw.pause()],
  ['resumes its request', ({ raw }) => raw.resume()],
  ['sets the encoding of its request', ({ raw }) => raw.setEncoding('utf8')],
  ['reads its request again', ({ raw }) => raw.read()],
  ['removes all listeners of its request', ({ raw }) => raw.removeAllListeners()],
  ['empties its request', ({ raw }) => Object.assign(raw, { url: undefined, method: undefined, headers: null, rawHeaders: [] })],
];

const WHENS: readonly (readonly [when: string, makeLook: (break_: Break) => Break])[] = [
  ['at once', (break_) => (request) => void break_(request)],
  ['later', (break_) => async (request) => {
    await delay(2);
    break_(request);
    await delay(2);
  }],
  // An error that is thrown in a timer would be uncaught.
  ['in a timer', (break_) => (request) => new Promise<void>((resolve) => setTimeout(() => {
    break_(request);
    resolve();
  }))],
];

const broken = suite('an operation that breaks its request');
for (const [when, makeLook] of WHENS) {
  for (const [why, break_] of LETHAL) {
    broken(`${why} ${when}: at most one response, then the connection closes, and the next client is served`, async () => {
      await serve(inspectRequests(makeLook(break_)), async ({ port, errors }) => {
        for (const { method, target, sent } of FAILING_OPERATIONS) {
          const client = await RawClient.connect(port, false);
          client.send(message(method, target, sent));
          assert.is(await client.closed(), '');
          assert.is((await send(port, message('OPTIONS', '/v1/thing'))).status, 200);
        }
        assert.equal(errors, []);
      });
    });
  }
  for (const [why, break_] of HARMLESS) {
    broken(`${why} ${when}: gets its response, and the connection stays open`, () => serve(inspectRequests(makeLook(break_)), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        for (const { method, target, sent } of FAILING_OPERATIONS) {
          client.send(message(method, target, sent) + message('OPTIONS', '/v1/thing'));
          assert.ok((await client.response()).status < 300);
          assert.is((await client.response()).headers.get('allow'), 'POST, POST, POST');
        }
        assert.is(client.unread, '');
      } finally {
        client.destroy();
      }
      assert.equal(errors, []);
    }));
  }
  broken(`destroys it ${when}: a request that was read to its end gets its response, and another connection ends`, async () => {
    await serve(inspectRequests(makeLook(({ raw }) => raw.destroy(cut))), async ({ port, errors }) => {
      for (const { method, target, sent } of FAILING_OPERATIONS) {
        const client = await RawClient.connect(port, false);
        client.send(message(method, target, sent, ['Connection: close']));
        assert.match(await client.closed(), sent === '' ? /^$/ : /^HTTP\/1\.1 20[014] /);
        assert.is((await send(port, message('OPTIONS', '/v1/thing'))).status, 200);
      }
      assert.equal(errors, []);
    });
  });
}

const afterwards = suite('an operation that keeps its request');
afterwards('reads and breaks it after the response: nothing happens', async () => {
  const kept: ApiRequest[] = [];
  await serve(inspectRequests((request) => void kept.push(request)), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    try {
      for (const { method, target, sent } of FAILING_OPERATIONS) {
        client.send(message(method, `${target}?legs=6`, sent));
        assert.ok((await client.response()).status < 300);
        for (const request of kept) {
          assert.is(request.query.get('legs'), '6');
          assert.is(request.signal.aborted, false);
          request.raw.destroy(cut);
          request.raw.emit('error', cut);
        }
      }
    } finally {
      client.destroy();
    }
    assert.equal(errors, []);
  });
});

const codecs = suite('a codec that fails to format');
for (const [why, thrown] of [
  ['null', null],
  ['undefined', undefined],
  ['a symbol', Symbol('id')],
  ['an object without a prototype', Object.create(null) as unknown],
  ['a revoked proxy', makeRevokedProxy()],
  ['an ApiError behind a proxy that throws on every access', mute],
] as const) {
  codecs(`by throwing ${why} -> 500, logged, and the connection stays open`, async () => {
    const id = { parse: stringId.parse, format: () => { throw thrown; } };
    await serve((server) => server.registerEndpoint('/thing', defineEndpoint({ id, schema: String, create: () => '1' })), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      try {
        client.send(message('POST', '/v1/thing', '0') + message('OPTIONS', '/v1/thing'));
        assert.is(readProblem(await client.response()).status, 500);
        assert.is((await client.response()).status, 200);
      } finally {
        client.destroy();
      }
      assert.equal(errors.map(({ cause }) => cause), [thrown]);
    });
  });
}

const responses = suite('a response that middleware has broken');
responses('so that not even an error can be sent -> 500 to the socket, logged, and the connection closes', async () => {
  const broken = new Error('broken');
  let failures = 0;
  await serve((server) => {
    server.use((_request, response, next) => {
      const get = (): boolean => {
        if (failures === 0) return false;
        failures -= 1;
        throw broken;
      };
      Object.defineProperty(response, 'destroyed', { get, set: () => {} });
      next();
    });
    server.registerEndpoint('/thing', defineEndpoint({ id: stringId, get: (id) => ((failures = 2), id) }));
  }, async ({ port, errors }) => {
    assert.is(readProblem(await send(port, message('GET', '/v1/thing/1'))).status, 500);
    assert.equal(errors.map(({ cause }) => cause), [broken, broken]);
  });
});
