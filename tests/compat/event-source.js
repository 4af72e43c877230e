/** A real `EventSource`, in a page or in Node, gets the events that are sent, and reconnects. */
import assert from 'node:assert/strict';
import { events } from '../../dist/formats/index.js';
import { makeQuickEvents, withEvents } from './events-api.js';
import { waitUntil } from './until.js';

// The default of readers is some seconds.
const RETRY_MS = 20;
const ROUNDS = 12;

/** Events that a reader could take for something else. */
const SENT = [
  ...[
    null, false, 0, '', ' ', 'ant', ' two spaces  ', 'two\nlines', 'a\r\nb\rc\n\n', '\n\ndata: evil\n\n', ':', 'data', '\0', '\uFEFFant',
    '\x85\u2028\u2029', 'Äsp 🐜 фу', { name: 'Äsp', legs: [0, { '': null }] }, [], 'x🐜'.repeat(300_000),
  ].map((data) => ({ data })),
  ...['7', 'a b', ' a ', ':', 'Äsp 🐜', '\uFEFF7', 'data: 1', 'x'.repeat(5000), ''].map((id) => ({ id, data: 1 })),
  ...['', 'message', 'arrived', 'error', 'open', 'a b', ' a ', ':', 'Äsp 🐜', '\uFEFF', '__proto__', 'toString'].map((event) => {
    return { event, data: 1 };
  }),
  { id: '8', event: 'left', data: 'all of it', retry: 1000 },
  { data: 'the id is still 8' },
];
const TYPES = [...new Set(SENT.map(({ event }) => event || 'message'))];

// These run where the `EventSource` is.
function openSource(url, types) {
  const source = new EventSource(url);
  const got = [];
  for (const type of types) {
    source.addEventListener(type, (event) => {
      if ('data' in event) got.push({ type: event.type, data: event.data, lastEventId: event.lastEventId });
    });
  }
  globalThis.reader = { source, got };
}
const stateOfSource = () => globalThis.reader.source.readyState;
const countOfSource = () => globalThis.reader.got.length;
const takeFromSource = () => globalThis.reader.got.splice(0);
const closeSource = () => globalThis.reader.source.close();
const CLOSED = 2;

class Reader {
  #evaluate;

  constructor(evaluate) {
    this.#evaluate = evaluate;
  }

  /** Opens the source, uses it, and closes it. */
  static async with(evaluate, api, use) {
    const reader = new Reader(evaluate);
    await evaluate(openSource, `${api.url}/v1/event`, TYPES);
    try {
      await api.asked(1);
      await use(reader);
    } finally {
      await evaluate(closeSource);
    }
  }

  /** Waits for so many events, and takes them. */
  async take(count) {
    let got = 0;
    await waitUntil(async () => (got = await this.#evaluate(countOfSource)) >= count, () => `${count} events; there are ${got}`);
    return this.#evaluate(takeFromSource);
  }

  async untilClosed() {
    await waitUntil(async () => (await this.#evaluate(stateOfSource)) === CLOSED, () => 'a source that is closed');
  }

  close() {
    return this.#evaluate(closeSource);
  }
}

/** The ids that readers send when they reconnect, and what the server gets. */
export const IDS = [['7', '7'], ['a b', 'a b'], ['Äsp 🐜', 'Äsp 🐜'], ['', undefined]];

/**
 * Makes all checks. `withHost` opens something that has an `EventSource`, for the server at a URL, and gives `use` a function `evaluate`:
 * it calls a function there, with values, and resolves to its result. `spared` are the ids that the reader does not handle.
 */
export async function checkEventSource(check, withHost, spared = []) {
  const reading = (what, use, options = {}) => check(what, () => withEvents(options, (api) => withHost(api.url, (evaluate) => {
    return Reader.with(evaluate, api, (reader) => use(api, reader));
  })));
  const sent = SENT.filter(({ id }) => !spared.includes(id) || id !== '');
  await reading('each event is received as it was sent', (api, reader) => checkSent(api, reader, sent));
  await reading('events that the format names are received by their types', checkTyped, {
    output: events({ arrived: (name) => ({ name }), left: Number }),
  });
  await reading('comments are not received', checkComments, { output: makeQuickEvents(1) });
  for (const [id, expected] of IDS.filter(([id]) => !spared.includes(id))) {
    await reading(`a stream that ends: it reconnects, with the id ${JSON.stringify(id)}`, async (api, reader) => {
      api.send({ id: 'before', data: 0 });
      api.send({ id, data: 1, retry: RETRY_MS });
      await reader.take(2);
      api.end();
      await api.asked(2);
      assert.deepEqual(api.lastEventIds, [undefined, expected]);
    });
  }
  await reading(`retry: it reconnects ${ROUNDS} times, each time after ${RETRY_MS} ms`, checkRetry);
  await reading('a server that stops, and starts again', checkRestart);
  await reading('204 to a reader that reconnects: it does not do so again', (api, reader) => checkEnd(api, reader, 204));
  await reading('410 to a reader that reconnects: it does not do so again', (api, reader) => checkEnd(api, reader, 410));
  await reading('a reader that closes: the iterator is returned', async (api, reader) => {
    api.send({ data: 1 });
    await reader.take(1);
    await reader.close();
    await waitUntil(() => api.closed === 1, () => 'the end of the stream');
  });
}

async function checkSent(api, reader, sent) {
  const expected = [];
  let lastEventId = '';
  for (const { id = lastEventId, event = 'message', data } of sent) {
    lastEventId = id;
    expected.push({ type: event || 'message', data, lastEventId });
  }
  for (const event of sent) api.send(event);
  const got = await reader.take(sent.length);
  for (const [at, { data, ...rest }] of got.entries()) assert.deepEqual({ ...rest, data: JSON.parse(data) }, expected[at]);
  assert.equal(got.length, sent.length);
}

async function checkTyped(api, reader) {
  api.send({ event: 'arrived', data: 'ant' });
  api.send({ event: 'left', data: '7' });
  assert.deepEqual(await reader.take(2), [
    { type: 'arrived', data: '{"name":"ant"}', lastEventId: '' },
    { type: 'left', data: '7', lastEventId: '' },
  ]);
}

async function checkComments(api, reader) {
  const got = [];
  for (let data = 0; data < 20; data += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    api.send({ data });
    got.push(...(await reader.take(1)));
  }
  assert.deepEqual(got.map(({ type, data }) => [type, data]), Array.from({ length: 20 }, (_, data) => ['message', String(data)]));
}

/** A reader that ignores `retry` would not be back so often in time. */
async function checkRetry(api, reader) {
  api.send({ id: '1', data: 1, retry: RETRY_MS });
  await reader.take(1);
  await waitUntil(() => {
    api.end();
    return api.lastEventIds.length > ROUNDS;
  }, () => `${ROUNDS} requests; there are ${api.lastEventIds.length}`);
  assert.deepEqual(new Set(api.lastEventIds.slice(1)), new Set(['1']));
}

async function checkRestart(api, reader) {
  api.send({ id: '1', data: 'before', retry: RETRY_MS });
  assert.deepEqual((await reader.take(1)).map(({ data }) => data), ['"before"']);
  await api.stop();
  // The reader may have reconnected while the server lingered, for a stream without events.
  const before = api.lastEventIds.length;
  assert.equal(api.closed, before);
  await api.startAgain();
  await api.asked(before + 1);
  assert.deepEqual(new Set(api.lastEventIds.slice(1)), new Set(['1']));
  api.send({ data: 'after' });
  assert.deepEqual(await reader.take(1), [{ type: 'message', data: '"after"', lastEventId: '1' }]);
}

async function checkEnd(api, reader, status) {
  api.send({ data: 1, retry: RETRY_MS });
  await reader.take(1);
  api.respondWith(status);
  api.end();
  await reader.untilClosed();
  assert.equal(api.lastEventIds.length, 2);
}
