/** What an interceptor returns, forgets to return, and does not wait for. */
import { Readable } from 'node:stream';
import { ApiError, bytes, defineFormat, reply, stringId } from '../../../src/index.ts';
import { type Around, LIST, declareList } from '../../support/intercepted-list.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { assert, delay, facts, Gate, send, serve, suite, waitUntil } from '../../support/facts.ts';

const responds = suite('N2 N4: the result of an interceptor is sent as if the operation had returned it');
const plain = () => 'plain';
const fail = (): never => { throw new Error('no'); };
const toParsed = (value: unknown): any => JSON.parse(JSON.stringify(value));
for (const [what, around, response, run = plain, ...logged] of [
  ['the result of the operation', (_call, run) => run(), '200 "plain"'],
  ['a different value', async (_call, run) => `not ${await run()}`, '200 "not plain"'],
  ['a value at once, and the operation does not run', () => 'mine', '200 "mine"', (): never => assert.unreachable() as never],
  ['a reply', () => reply(202, 'later'), '202 "later"'],
  ['an ApiError', () => { throw ApiError.status(429, 'slow down'); }, '429 slow down'],
  ['what it makes of an error', async (_call, run) => run().then(() => assert.unreachable(), () => 'caught'), '200 "caught"', fail],
  ['the result of a second run', async (_call, run) => { await run().catch(() => {}); return run().catch(() => 'twice'); }, '200 "twice"', fail],
  ['a failure that means not found', () => { throw Object.assign(new Error(), { notFound: true }); }, '404 Not found.'],
  ['a plain object in the shape of a response is a result', () => ({ status: 201, headers: { Evil: '1' }, body: 'a' }),
    '200 {"status":201,"headers":{"Evil":"1"},"body":"a"}'],
  ['a copy with a different status', async (call, run) => ({ ...await call.encode(await run()), status: 202 }), '202 "plain"'],
  ['a copy with another body', async (call, run) => ({ ...await call.encode(await run()), body: '"mine"' }), '200 "mine"'],
  ['a copy of a copy', async (call, run) => ({ ...{ ...await call.encode(await run()), status: 202 }, body: '1' }), '202 1'],
  ['a copy of a stored response', (call) => ({ ...call.response({ status: 200, headers: {}, body: 'a' }), status: 203 }), '203 application/octet-stream a'],
  ['a copy of a stored response, with an object as its body',
    (call) => ({ ...call.response({ status: 200, headers: {}, body: 'a' }), body: { a: 1 } }), '200 {"a":1}'],
  ['a copy that is encoded', async (call, run) => call.encode({ ...await call.encode(await run()), status: 202 }), '202 "plain"'],
  ['a copy with the status of an error', async (call, run) => ({ ...await call.encode(await run()), status: 404 }), '404 "plain"'],
  ['a copy with a status that none can have', async (call, run) => ({ ...await call.encode(await run()), status: 100 }), '500', plain,
    'GET /v1/pet: Internal error: the status of a response must be a whole number from 200 to 599: 100'],
  ['a copy by way of JSON, which may be of a client, is a result', async (call, run) => toParsed(await call.encode(await run())),
    '200 {"status":200,"headers":{"Content-Type":"application/json"},"body":"\\"plain\\""}'],
] as const satisfies readonly (readonly [string, Around, string, (() => unknown)?, string?])[]) {
  facts(responds, declareList({ around }, run), [[what, 'GET /v1/pet', response, ...logged]]);
}
facts(responds, declareList({ around: () => 5 }, undefined, { output: (value: number) => ({ value }) }), [['through output', 'GET /v1/pet', '200 {"value":5}']]);
const setStatus: Around = async (call, run) => ({ ...await call.encode(await run()), status: 203 });
facts(responds, declareList({ around: setStatus }, () => reply(200, 1, { vary: 'B' }), { output: defineFormat({ types: ['text/plain'], headers: { Vary: 'A' }, encode: String }) }), [
  ['a copy with the lines of a list whose names differ in case', 'GET /v1/pet', '203 text/plain 1 | vary: B | vary: A'],
]);
responds('a copy, by an inner interceptor, is a response for the outer one', async () => {
  let isResponse = false;
  const outer: Around = async (call, run) => {
    const result = await run();
    isResponse = await call.encode(result) === result;
    return result;
  };
  const inner: Around = async (call, run) => ({ ...await call.encode(await run()), status: 202 });
  await serve(declareList([{ around: outer }, { around: inner }]), async ({ port }) => {
    const { status, body } = await send(port, LIST);
    assert.equal([status, body, isResponse], [202, '"plain"', true]);
  });
});
const runTwice: Around = (_call, run) => run().then(() => run());
facts(responds, (server) => server.registerEndpoint('/pet', { id: stringId, custom: { put: { input: bytes(), use: { around: runTwice }, run: () => 1 } } }), [
  ['a stream as input cannot run again', 'POST /v1/pet/put abc', '500', /the input is a stream, and has been read/],
]);

const lost = suite('N2: an interceptor that returns undefined');
const wait = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
const forgetful: Around = async (_call, run) => void await run();
for (const [what, around, run, status] of [
  ['where run gave a result', forgetful, () => 'plain', 500],
  ['where run gave null', forgetful, () => null, 500],
  ['where run gave a promise of a result', forgetful, async () => 'plain', 500],
  ['where run has not ended', (_call, run) => void run(), async () => wait(), 500],
  ['where one of two runs gave a result', async (_call, run) => { await run(); await run(); }, ((count) => () => (count += 1) === 2 ? 1 : undefined)(0), 500],
  ['where the first run failed, and the second gave a result', async (_call, run) => { await run().catch(() => {}); await run(); },
    ((count) => () => (count += 1) === 2 ? 1 : fail())(0), 500],
  ['where run gave undefined', forgetful, () => undefined, 404],
  ['where run gave a promise of undefined', forgetful, wait, 404],
  ['where run failed, and it caught that', async (_call, run) => { await run().catch(() => {}); }, fail, 404],
  ['and did not call run', () => undefined, () => 'plain', 404],
  ['null, where run gave a result', async (_call, run) => (await run(), null), () => 'plain', 404],
] as const satisfies readonly (readonly [string, Around, () => unknown, number])[]) {
  const logged = status === 500 ? ['GET /v1/pet: Internal error: endpoint.get.use.around returned undefined, not the result of run(): return await run()'] : [];
  facts(lost, (server) => server.registerEndpoint('/pet', { get: { use: { around }, run } } as never),
    [[what, 'GET /v1/pet', status === 404 ? '404 Not found.' : '500', ...logged]]);
}
lost('inside of another one -> 500, and the message names it', async () => {
  const seen: unknown[] = [];
  const outer: Around = (_call, run) => run().catch((error: unknown) => { seen.push(error); throw error; });
  await serve(declareList([{ around: outer }, { around: forgetful }]), async ({ port, errors }) => {
    assert.is((await send(port, LIST)).status, 500);
    assert.match(errors[0]?.message ?? '', 'endpoint.list.use[1].around returned undefined, not the result of run(): return await run()');
    assert.is(seen.length, 1);
  });
});
facts(lost, (server) => server.registerEndpoint('/pet', { update: { use: [{ around: forgetful }, { around: forgetful }], run: () => {} } }), [
  ['of an update that returns nothing', 'PUT /v1/pet {}\nContent-Type: application/json', '204'],
]);

const FAILS: readonly (readonly [string, () => unknown])[] = [
  ['throws', () => { throw new Error('disk'); }],
  ['rejects', () => Promise.reject(new Error('disk'))],
  ['rejects later', async () => { await delay(1); throw new Error('disk'); }],
];
const floating = suite('N2: a run() that nothing waits for');
for (const [failure, fail] of FAILS) {
  for (const [what, ...arounds] of [
    ['in a synchronous interceptor', (_call, run) => { run(); return 'queued'; }],
    ['in an interceptor that ends at once', async (_call, run) => { void run(); return 'queued'; }],
    ['in an interceptor that ends later', async (_call, run) => { void run(); await delay(10); return 'queued'; }],
    ['with what then makes of it', (_call, run) => { void run().then(() => 1).then(() => 2); return 'queued'; }],
    ['with what finally makes of it', (_call, run) => { void run().finally(() => {}); return 'queued'; }],
    ['in an interceptor within', (_call, run) => run(), (_call, run) => { void run(); return 'queued'; }],
  ] as readonly (readonly [string, ...Around[]])[]) {
    floating(`${what}, and that ${failure}: it is logged, and the process goes on`, async () => {
      await serve(declareList(arounds.map((around) => ({ around })), fail), async ({ port, errors }) => {
        const rejected = await captureUnhandled(async () => {
          const { status, body } = await send(port, LIST);
          assert.equal([status, body], [200, '"queued"']);
          await waitUntil(() => errors.length > 0, 'the log');
        });
        assert.equal(rejected, []);
        const at = `endpoint.list.use[${arounds.length - 1}]`;
        assert.equal(errors.map((error) => error.message), [`GET /v1/pet: ${at}.around did not wait for run(), and run() failed: disk`]);
        assert.is((errors[0]?.cause as Error).message, 'disk');
      });
    });
  }
  for (const [what, around, expected] of [
    ['that is returned', (_call, run) => run(), 500],
    ['that is awaited later', async (_call, run) => { const running = run(); await delay(5); return running; }, 500],
    ['that is caught', async (_call, run) => { try { return await run(); } catch { return 'caught'; } }, 200],
    ['that is caught by then', (_call, run) => run().then(undefined, () => 'caught'), 200],
    ['that is caught, and left', (_call, run) => { run().catch(() => {}); return 'caught'; }, 200],
    ['among several', async (_call, run) => { await Promise.allSettled([run(), run()]); return 'caught'; }, 200],
  ] as readonly (readonly [string, Around, number])[]) {
    floating(`is not one ${what}, and that ${failure} -> ${expected}`, () => serve(declareList([{ around }], fail), async ({ port, errors }) => {
      const rejected = await captureUnhandled(async () => {
        assert.is((await send(port, LIST)).status, expected);
        await delay(5);
      });
      assert.equal([rejected, errors.map((error) => error.message)], [[], expected === 500 ? ['GET /v1/pet: Internal error: disk'] : []]);
    }));
  }
}

const tooLate = suite('a run that returns a stream after the response');
tooLate('the stream is closed unread', async () => {
  const gate = new Gate();
  const stream = new Readable({ read: () => assert.unreachable() });
  const around: Around = (_call, run) => (void run(), 'queued');
  await serve(declareList({ around }, () => gate.passed.then(() => reply(200, stream))), async ({ port }) => {
    assert.is((await send(port, LIST)).body, '"queued"');
    gate.open();
    await waitUntil(() => stream.destroyed, 'the stream to be closed');
  });
});
