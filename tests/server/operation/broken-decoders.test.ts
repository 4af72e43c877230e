/** Broken decoders: the request gets a response in bounded time, and nothing else is affected. */
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { assert, delay, Gate, message, RawClient, readProblem, serve, suite } from '../../support/facts.ts';

const OPERATION_MS = 100;
const OPERATIONS = [['POST', '/v1/thing'], ['PUT', '/v1/thing/1'], ['POST', '/v1/thing/feed']] as const;

type Validate = (json: unknown) => unknown;

/** Declares `/thing` with every operation that decodes. `got` records the arguments of the operations. */
function decodingWith(decoder: unknown, got: unknown[]): (server: ApiServer) => void {
  // A program without types can pass anything. The types would reject each of these.
  const schema = decoder as (json: unknown) => unknown;
  const take = (item: unknown): string => `${got.push(item)} so far`;
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema,
    create: take,
    update: (_id, item) => void take(item),
    custom: { feed: { input: schema, run: take } },
  }));
}

function schemaOf(validate: Validate): unknown {
  return { '~standard': { version: 1, vendor: 'tests', validate } };
}

/** Sends a body to each operation over one connection, and asserts after each that the connection stays open. */
async function withResponses(decoder: unknown, use: (responses: Responses) => void): Promise<void> {
  const got: unknown[] = [];
  await serve(decodingWith(decoder, got), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    for (const [method, target] of OPERATIONS) {
      client.send(message(method, target, '1') + message('OPTIONS', '/v1/thing'));
      const { status, body } = await client.response();
      assert.is((await client.response()).status, 200);
      use({ status, body, got: got.splice(0), logged: errors.length });
    }
    assert.is(client.unread, '');
  });
}

interface Responses {
  readonly status: number;
  readonly body: string;
  readonly got: readonly unknown[];
  readonly logged: number;
}

const ring: { ring?: unknown } = {};
ring.ring = ring;
const failure = new Error('the schema is broken');

const nonsense = suite('a schema that returns no valid result');
for (const [why, give] of [
  ['null', () => null],
  ['undefined', () => undefined],
  ['a boolean', () => true],
  ['text', () => 'good'],
  ['neither a value nor issues', () => ({})],
  ['issues that are null', () => ({ issues: null })],
  ['issues that are a number', () => ({ issues: 1 })],
  ['issues that are text', () => ({ issues: 'bad' })],
  ['an issue that is null', () => ({ issues: [null] })],
  ['an issue whose message JSON cannot carry', () => ({ issues: [{ message: 1n }] })],
  ['an issue whose message is a cycle', () => ({ issues: [{ message: ring }] })],
  ['an issue whose message has no text', () => ({ issues: [{ message: Object.create(null) }] })],
  ['an issue whose path is a number', () => ({ issues: [{ message: 'bad', path: 7 }] })],
  ['an issue whose path holds null', () => ({ issues: [{ message: 'bad', path: [null] }] })],
  ['an issue whose message getter throws', () => ({ issues: [{ get message() { throw failure; } }] })],
  ['an issue whose path getter throws', () => ({ issues: [{ message: 'bad', get path() { throw failure; } }] })],
  ['issues whose getter throws', () => ({ get issues() { throw failure; } })],
  ['a value whose getter throws', () => ({ get value() { throw failure; } })],
] as const) {
  nonsense(`${why}, at once and by a promise -> 500, logged, the operation is not invoked, and the connection stays open`, async () => {
    for (const validate of [give, async () => give()]) {
      let failed = 0;
      await withResponses(schemaOf(validate), ({ status, body, got, logged }) => {
        assert.is(status, 500);
        assert.equal(JSON.parse(body), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
        assert.equal(got, []);
        assert.is(logged, ++failed);
      });
    }
  });
}
nonsense('the value undefined is valid: the operation gets it', () => withResponses(schemaOf(() => ({ value: undefined })), ({ status, got }) => {
  assert.ok(status < 300);
  assert.equal(got, [undefined]);
}));

const HIDDEN = new Proxy({}, { getPrototypeOf: () => { throw failure; } });

const hidden = suite('a value whose prototype cannot be read');
for (const [why, decoder] of [
  ['a function', () => HIDDEN],
  ['a function that promises', async () => HIDDEN],
  ['a schema', schemaOf(() => ({ value: HIDDEN }))],
  ['a schema that promises', schemaOf(async () => ({ value: HIDDEN }))],
] as const) {
  hidden(`${why} -> 500, logged, the operation is not invoked, and the connection stays open`, async () => {
    let failed = 0;
    await withResponses(decoder, ({ status, got, logged }) => {
      assert.equal([status, got, logged], [500, [], ++failed]);
    });
  });
}
hidden('a codec -> 500, logged, and the connection stays open', async () => {
  const id = { parse: (text: string): any => (text === 'good' ? text : HIDDEN), format: String };
  await serve((server) => server.registerEndpoint('/thing', { id, get: () => 'got' }), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    try {
      client.send(message('GET', '/v1/thing/bad') + message('GET', '/v1/thing/good'));
      assert.is((await client.response()).status, 500);
      assert.is((await client.response()).status, 200);
    } finally {
      client.destroy();
    }
    assert.equal(errors.map(({ cause }) => cause), [failure]);
  });
});

type Settle = (value: unknown) => void;
type Then = (resolve: Settle, reject: Settle) => unknown;

const settleSoon = (settle: () => void): void => void setImmediate(settle);
const rejected = { issues: [{ message: 'bad' }] };

const thenables = suite('a decoder that returns a thenable');
for (const [why, then, invoked] of [
  ['rejects, and its then returns undefined', (resolve: Settle) => settleSoon(() => resolve(rejected)), false],
  ['rejects at once', (resolve: Settle) => resolve(rejected), false],
  ['rejects, then accepts', (resolve: Settle) => [resolve(rejected), resolve({ value: 'good' })], false],
  ['resolves to a promise that rejects', (resolve: Settle) => resolve(Promise.resolve(rejected)), false],
  ['accepts, and its then returns undefined', (resolve: Settle) => settleSoon(() => resolve({ value: 'good' })), true],
  ['accepts twice', (resolve: Settle) => [resolve({ value: 'good' }), resolve({ value: 'other' })], true],
  ['accepts, then rejects', (resolve: Settle, reject: Settle) => [resolve({ value: 'good' }), reject(failure)], true],
  ['accepts, then throws', (resolve: Settle) => { resolve({ value: 'good' }); throw failure; }, true],
] as const satisfies readonly (readonly [string, Then, boolean])[]) {
  thenables(`a schema that ${why} -> ${invoked ? 'invoked once' : '400, not invoked'}`, async () => {
    for (const thenable of [{ then }, Object.assign(() => 'the call', { then })]) {
      await withResponses(schemaOf(() => thenable), ({ status, got }) => {
        assert.is(status >= 400, !invoked);
        assert.equal(got, invoked ? ['good'] : []);
      });
    }
  });
}
for (const [why, then, invoked] of [
  ['rejects, and its then returns undefined', (_resolve: Settle, reject: Settle) => settleSoon(() => reject(failure)), false],
  ['throws', () => { throw failure; }, false],
  ['is asynchronous itself and rejects', async () => { throw failure; }, false],
  ['resolves, and its then returns undefined', (resolve: Settle) => settleSoon(() => resolve('good')), true],
  ['resolves twice', (resolve: Settle) => [resolve('good'), resolve('other')], true],
  ['resolves, then rejects', (resolve: Settle, reject: Settle) => [resolve('good'), reject(failure)], true],
] as const satisfies readonly (readonly [string, Then, boolean])[]) {
  thenables(`a function whose thenable ${why} -> ${invoked ? 'invoked once' : '400, not invoked'}`, async () => {
    for (const thenable of [{ then }, Object.assign(() => 'the call', { then })]) {
      await withResponses(() => thenable, ({ status, got }) => {
        assert.is(status >= 400, !invoked);
        assert.equal(got, invoked ? ['good'] : []);
      });
    }
  });
}

const timeout = suite('a decoder that takes too long');
for (const [why, makeDecoder] of [
  ['a function', (settled: Promise<unknown>) => () => settled],
  ['a schema', (settled: Promise<unknown>) => schemaOf(() => settled.then((value) => ({ value })))],
] as const) {
  for (const [method, target] of OPERATIONS) {
    const route = `${method} ${target.replace(/1$/, ':id')}`;
    timeout(`${why}: ${route} -> 503, logged, and its late result invokes nothing`, async () => {
      const got: unknown[] = [];
      const gate = new Gate();
      await serve(decodingWith(makeDecoder(gate.passed.then(() => 'late')), got), async ({ port, errors }) => {
        const client = await RawClient.connect(port);
        try {
          client.send(message(method, target, '1'));
          assert.is(readProblem(await client.response()).detail, 'The operation took too long.');
          gate.open();
          await delay(20);
          client.send(message('OPTIONS', '/v1/thing'));
          assert.is((await client.response()).status, 200);
          assert.is(client.unread, '');
        } finally {
          client.destroy();
        }
        assert.equal(errors.map((error) => error.message), [`${route}: the operation took longer than ${OPERATION_MS} ms`]);
        assert.equal(got, []);
      }, { limits: { operationMs: OPERATION_MS } });
    });
  }
}
timeout('has no time limit with operationMs 0', async () => {
  const got: unknown[] = [];
  await serve(decodingWith(() => delay(OPERATION_MS).then(() => 'good'), got), async ({ port }) => {
    const client = await RawClient.send(port, message('POST', '/v1/thing', '1'));
    assert.is((await client.response()).status, 201);
    assert.equal(got, ['good']);
  }, { limits: { operationMs: 0 } });
});
