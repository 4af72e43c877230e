/** Streams and ranges that an operation gives, and that its interceptors do not send. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ndjson, ranges } from '../../../src/formats/index.ts';
import { ApiError, defineEndpoint, reply } from '../../../src/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../../src/interceptors/index.ts';
import { Gate, waitUntil } from '../../support/wait.ts';
import { type Around, LIST, declareList } from '../../support/intercepted-list.ts';
import { message } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { SOURCE_KINDS, StreamSource } from '../../support/declare-stream.ts';

/** Bodies of a kind, and how many of them were closed. */
interface Given {
  readonly make: () => object;
  readonly closed: () => number;
}
const GIVEN: readonly (readonly [string, () => Given])[] = [
  // A generator that was not begun has nothing to close.
  ...SOURCE_KINDS.filter((kind) => kind !== 'generator').map((kind): readonly [string, () => Given] => [`a stream (${kind})`, () => {
    const sources: StreamSource[] = [];
    const make = (): object => {
      const source = new StreamSource('x');
      sources.push(source);
      return source[kind]();
    };
    return { make, closed: () => sources.reduce((sum, { closed }) => sum + closed, 0) };
  }]),
  ['ranges', () => {
    let closed = 0;
    return { make: () => ranges({ size: 1, read: () => Buffer.from('x'), close: () => (closed += 1) }), closed: () => closed };
  }],
];

const dropped = suite('N2: a body that no interceptor sends');
for (const [kind, give] of GIVEN) {
  for (const [what, status, runs, ...arounds] of [
    ['since it returns something else', 200, 1, async (_call, run) => (await run(), 'mine')],
    ['since it throws', 409, 1, async (_call, run) => { await run(); throw ApiError.status(409); }],
    ['since it does not wait for it', 200, 1, (_call, run) => { void run(); return 'mine'; }],
    ['after it has encoded it', 200, 1, async (call, run) => (await call.encode(await run()), 'mine')],
    ['of two runs', 200, 2, async (_call, run) => { await run(); await run(); return 'mine'; }],
    ['that an inner one encoded', 200, 1, async (_call, run) => (await run(), 'mine'), async (call, run) => call.encode(await run())],
    ['that an inner one passed on', 200, 1, async (_call, run) => (await run(), 'mine'), (_call, run) => run()],
    ['since a copy has a wrong status', 500, 1, async (call, run) => ({ ...await call.encode(await run()), status: 600 })],
  ] as readonly (readonly [string, number, number, ...Around[]])[]) {
    dropped(`${kind}, ${what} -> ${status}, and it is closed once`, async () => {
      const { make, closed } = give();
      await serve(declareList(arounds.map((around) => ({ around })), () => reply(200, make())), async ({ port, errors }) => {
        assert.is((await send(port, LIST)).status, status);
        assert.is(errors.length, status === 500 ? 1 : 0);
        await waitUntil(() => closed() >= runs, 'it to be closed');
      });
      assert.is(closed(), runs);
    });
  }
  dropped(`${kind}, of a run that ends after the response -> closed once`, async () => {
    const { make, closed } = give();
    const gate = new Gate();
    const run = async (): Promise<unknown> => (await gate.passed, reply(200, make()));
    await serve(declareList({ around: (_call, next) => { void next(); return 'mine'; } }, run), async ({ port }) => {
      assert.is((await send(port, LIST)).body, '"mine"');
      gate.open();
      await waitUntil(() => closed() > 0, 'it to be closed');
    });
    assert.is(closed(), 1);
  });
}
dropped('a stream, of an idempotent operation -> 500, and it is closed', async () => {
  const source = new StreamSource('x');
  const pay = { use: idempotent(memoryIdempotencyStore()), run: () => reply(200, source.readable()) };
  await serve((server) => server.registerEndpoint('/account', defineEndpoint({ custom: { pay } })), async ({ port, errors }) => {
    assert.is((await send(port, message('POST', '/v1/account/pay', '', ['Idempotency-Key: one']))).status, 500);
    assert.match(errors[0]?.message ?? '', 'a stream cannot be stored');
    await waitUntil(() => source.closed === 1, 'the stream to be closed');
  });
});
dropped('a sequence for a format, since it returns another one -> closed', async () => {
  const source = new StreamSource('x');
  const around: Around = async (_call, run) => (await run(), [1]);
  await serve(declareList({ around }, () => source.iterator(), { output: ndjson(Number) }), async ({ port }) => {
    assert.is((await send(port, LIST)).body, '1\n');
    await waitUntil(() => source.closed === 1, 'it to be closed');
  });
});
dropped.run();

const upperCase = async function* (body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const chunk of body) yield Buffer.from(chunk).toString().toUpperCase();
};
const sent = suite('N2: a body that an interceptor sends');
for (const [what, around, expected] of [
  ['as it is', (_call, run) => run(), 'abc'],
  ['as it was encoded', async (call, run) => call.encode(await run()), 'abc'],
  ['in a copy', async (call, run) => ({ ...await call.encode(await run()), status: 203 }), 'abc'],
  ['through another stream, which reads it later', async (call, run) => {
    const response = await call.encode(await run());
    return { ...response, body: upperCase(response.body as AsyncIterable<Uint8Array>) };
  }, 'ABC'],
  ['of its second run', async (_call, run) => { await run(); return run(); }, 'abc'],
] as readonly (readonly [string, Around, string])[]) {
  sent(`${what}: it is whole, and closed`, async () => {
    const streams: Readable[] = [];
    const run = (): unknown => {
      streams.push(Readable.from(['a', 'b', 'c'].map((text) => Buffer.from(text))));
      return reply(200, streams.at(-1) as Readable);
    };
    await serve(declareList({ around }, run), async ({ port }) => {
      assert.is((await send(port, LIST)).body, expected);
      await waitUntil(() => streams.every(({ destroyed }) => destroyed), 'the streams to be closed');
    });
  });
}
sent.run();
