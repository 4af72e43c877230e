/** When server-sent events begin and end: before the first, in silence, for slow clients and for those that leave. */
import { EventEmitter } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { events } from '../../src/formats/index.ts';
import { ApiError, stringId, type ApiRequest } from '../../src/index.ts';
import { assertBrokenResponse } from '../support/broken-response.ts';
import { acceptAnything, declareEvents, makeQuickEvents } from '../support/declare-events.ts';
import { SOURCE_KINDS, StreamSource } from '../support/declare-stream.ts';
import { connectPaused } from '../support/connect-paused.ts';
import { assert, delay, Gate, message, RawClient, readProblem, send, serve, suite, waitUntil } from '../support/facts.ts';

const silence = suite('F8: silence');
silence('has comments, and loses no event', async () => {
  const gate = new Gate();
  const give = async function* (): AsyncGenerator<unknown> {
    yield { data: 1 };
    await gate.passed;
    yield { data: 2 };
  };
  await serve(declareEvents(give, makeQuickEvents(20)), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet'));
    await waitUntil(() => client.unread.split('\r\n:\n\n\r\n').length > 3, 'three comments');
    gate.open();
    await waitUntil(() => client.unread.endsWith('0\r\n\r\n'), 'the end');
    assert.equal(client.unread.match(/data: \d/g), ['data: 1', 'data: 2']);
    client.destroy();
  });
});
silence('a comment in place of an event that comes while nobody waits: it is next, and so are the end and an error', async () => {
  for (const last of ['end', 'error']) {
    const gates = [new Gate(), new Gate()];
    const give = async function* (): AsyncGenerator<unknown> {
      await gates[0]?.passed;
      yield { data: 1 };
      await gates[1]?.passed;
      if (last === 'error') throw new Error('lost');
    };
    const encoded = makeQuickEvents(5).encode?.(give() as never, { stopping: new AbortController().signal } as never);
    const stream = (encoded as AsyncIterable<string>)[Symbol.asyncIterator]();
    const results: unknown[] = [];
    for (const gate of gates) {
      // Its timer does not keep the process alive.
      const [comment] = await Promise.all([stream.next(), delay(50)]);
      assert.equal(comment, { done: false, value: ':\n\n' });
      gate.open();
      await delay(1);
      results.push(await stream.next().catch((error: Error) => error.message));
    }
    assert.equal(results, [{ done: false, value: 'data: 1\n\n' }, last === 'error' ? 'lost' : { done: true, value: undefined }]);
  }
});
silence('from the beginning: the head is sent after a second, and operationMs does not end the stream', async () => {
  const gate = new Gate();
  const give = async function* (): AsyncGenerator<{ readonly data: number }> {
    await gate.passed;
    yield { data: 1 };
  };
  const output = events(acceptAnything);
  await serve((server) => {
    server.registerEndpoint('/pet', { id: stringId, list: { output, limits: { operationMs: 200 }, run: give } });
  }, async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet'));
    await client.receives('200 OK');
    gate.open();
    await client.receives('data: 1');
    client.destroy();
  });
});

const rejecting = suite('F8: events that the operation rejects before the first');
const late = (thrown: unknown) => async function* (): AsyncGenerator<unknown> {
  await delay(20);
  throw thrown;
};
for (const [what, thrown, status, detail, logged] of [
  ['an ApiError', ApiError.status(409, 'The feed is closed.'), 409, 'The feed is closed.', 0],
  ['not found', ApiError.notFound(), 404, 'Not found.', 0],
  ['another error', new Error('the store is down'), 500, undefined, 1],
] as const) {
  rejecting(`${what} -> ${status}, and the connection is kept`, () => serve(declareEvents(late(thrown)), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    for (let count = 1; count <= 2; count += 1) {
      client.send(message('GET', '/v1/pet'));
      const response = await client.response();
      assert.equal([response.headers.get('content-type'), readProblem(response).status, readProblem(response).detail],
        ['application/problem+json', status, detail]);
      assert.is(errors.length, logged * count);
    }
    client.destroy();
  }));
}
rejecting('after the first: logged, and the connection is destroyed', async () => {
  const give = async function* (): AsyncGenerator<unknown> {
    yield { data: 1 };
    throw ApiError.notFound();
  };
  await assertBrokenResponse(declareEvents(give), '/v1/pet');
});
rejecting('what the decoder rejects is not a rejection of the operation: 500', async () => {
  await serve(declareEvents(() => [{ data: 1 }], events(() => { throw ApiError.notFound(); })), async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/pet'))).status, 500);
    assert.match(errors[0]?.message ?? '', /an item cannot be sent: Not found\./);
  });
});

const ends = suite('F8: events end');
for (const kind of SOURCE_KINDS) {
  ends(`when the client leaves, and the iterator is returned: ${kind}`, async () => {
    const source = new StreamSource('{}');
    const output = events(() => 1);
    await serve(declareEvents(() => ({ [Symbol.asyncIterator]: () => wrapItems(source[kind]()) }), output), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/pet'));
      await client.receives('data: 1');
      client.destroy();
      await waitUntil(() => source.closed === 1, 'closed');
    });
  });
}

/** Events of any stream. */
function wrapItems(stream: AsyncIterable<unknown>): AsyncIterator<unknown> {
  const iterator = stream[Symbol.asyncIterator]();
  return {
    next: async () => ({ done: false, value: { data: await iterator.next() } }),
    return: async () => await iterator.return?.() ?? { done: true, value: undefined },
  };
}

ends('when the server begins to stop, also those that wait: the response is complete, and each iterator is returned', async () => {
  const readers = 100;
  let closed = 0;
  const waiting = (): AsyncIterableIterator<unknown> => {
    let given = 0;
    const iterator: AsyncIterableIterator<unknown> = {
      [Symbol.asyncIterator]: () => iterator,
      next: () => (given++ === 0 ? Promise.resolve({ done: false, value: { data: 1 } }) : new Promise(() => {})),
      return: async () => ({ done: true, value: (closed += 1) }),
    };
    return iterator;
  };
  await serve(declareEvents(waiting), async ({ port, server }) => {
    const clients = await Promise.all(Array.from({ length: readers }, () => RawClient.connect(port)));
    for (const client of clients) client.send(message('GET', '/v1/pet'));
    await waitUntil(() => clients.every(({ unread }) => unread.includes('data: 1')), 'events');
    await server.stop();
    for (const client of clients) {
      assert.match(await client.closed(), /0\r\n\r\n$/);
      client.destroy();
    }
    assert.is(closed, readers);
  }, { stopGraceMs: 60_000 });
});
ends('at once if they begin while the server stops', async () => {
  const gate = new Gate();
  let [entered, closed] = [false, false];
  const iterator = { next: () => new Promise<never>(() => {}), return: async () => ({ done: true, value: (closed = true) }), [Symbol.asyncIterator]: () => iterator };
  const give = async (): Promise<unknown> => {
    entered = true;
    await gate.passed;
    return iterator;
  };
  await serve(declareEvents(give), async ({ port, server }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet'));
    await waitUntil(() => entered, 'the operation');
    const stopped = server.stop();
    gate.open();
    assert.match(await client.closed(), /^HTTP\/1\.1 200 OK[^]*\r\n0\r\n\r\n$/);
    await stopped;
    assert.ok(closed);
    client.destroy();
  }, { stopGraceMs: 60_000 });
});
ends('when the iterable ends', () => serve(declareEvents(() => []), async ({ port }) => {
  const { status, body, headers } = await send(port, message('GET', '/v1/pet'));
  assert.equal([status, body, headers.get('content-type')], [200, '', 'text/event-stream']);
}));
ends('and leave no listener at the signal of the server', () => serve(declareEvents(() => [{ data: 1 }]), async ({ port, server }) => {
  for (let count = 0; count < 5; count += 1) await send(port, message('GET', '/v1/pet'));
  await send(port, message('HEAD', '/v1/pet'));
  assert.is(EventEmitter.getEventListeners(server.stopping, 'abort').length, 0);
}));

const slow = suite('F12: a reader of events that stalls');
slow('is not read ahead for, others do not wait, and it misses nothing', async () => {
  const EVENTS = 160;
  const line = 'x'.repeat(64_000);
  const given = { slow: 0, quick: 0 };
  const give = async function* ({ query }: ApiRequest): AsyncGenerator<unknown> {
    const name = query.get('name') === 'slow' ? 'slow' : 'quick';
    while (given[name] < EVENTS) yield { id: String((given[name] += 1)), data: line };
  };
  await serve(declareEvents(give), async ({ port }) => {
    const stalled = await connectPaused(port);
    stalled.write(message('GET', '/v1/pet?name=slow'));
    await waitUntil(() => given.slow > 0, 'the first event');
    const quick = await send(port, message('GET', '/v1/pet?name=quick'));
    assert.is(idsIn(quick.body).length, EVENTS);
    let before = -1;
    await waitUntil(async () => {
      before = given.slow;
      await delay(50);
      return given.slow === before;
    }, 'the events for the stalled reader to stop');
    assert.ok(before < EVENTS, `${before} events were read ahead`);
    const chunks: Buffer[] = [];
    stalled.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
    await waitUntil(() => chunks.at(-1)?.toString('latin1').endsWith('0\r\n\r\n') === true, 'the end');
    assert.equal(idsIn(Buffer.concat(chunks).toString('latin1')), Array.from({ length: EVENTS }, (_, at) => at + 1));
    stalled.destroy();
  });
});

function idsIn(text: string): number[] {
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
slow('of a long stream: the events that have been sent can be collected', async () => {
  const forever = function* (): Generator<{ readonly data: number }> { for (;;) yield { data: 1 }; };
  const strings = await events(acceptAnything).encode?.(forever(), { stopping: new AbortController().signal }) as AsyncIterableIterator<string>;
  const sent: WeakRef<object>[] = [];
  for (let count = 0; count < 1000; count += 1) sent.push(new WeakRef(await strings.next()));
  await waitUntil(() => (collect(), sent.filter((each) => each.deref() !== undefined).length < 5), 'them to be collected');
  await strings.return?.();
});
