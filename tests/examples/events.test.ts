/** `/v1/event` of the example: server-sent events, as they come and as they were. */
import { EventLog, type ZooEvent } from '../../examples/zoo/event-log.ts';
import { testResponses, asp, createItem, badRequestBody, makeZooSuite, type TestZoo } from '../support/zoo-suite.ts';
import { assert, suite } from '../support/facts.ts';

interface Received {
  readonly id: number;
  readonly event: string;
  readonly data: unknown;
}

/** Parses an event stream that has ended. */
function parseEvents(text: string): Received[] {
  const frames = text.split('\n\n');
  assert.is(frames.pop(), '');
  return frames.map((frame) => {
    const [, id, event, data = ''] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
    assert.ok(event !== undefined, frame);
    return { id: Number(id), event, data: JSON.parse(data) };
  });
}

/** Opens a stream. When this resolves, the stream misses nothing more. */
async function open({ zoo }: TestZoo, query: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await zoo.request('GET', `/v1/event?${query}`, undefined, headers);
  assert.is(response.status, 200);
  assert.is(response.headers.get('Content-Type'), 'text/event-stream');
  assert.is(response.headers.get('Cache-Control'), 'no-store, no-transform');
  return response;
}

/** Lets Asp arrive, be fed, and leave. Returns the events of that. */
async function visit(own: TestZoo): Promise<Received[]> {
  const { zoo, path, id } = own;
  const stream = await open(own, 'limit=3');
  const pet = await createItem(zoo, `${path}/pet`, asp);
  assert.is((await zoo.keep('POST', `${path}/pet/${pet}/feed`, { grams: 5 })).status, 200);
  assert.is((await zoo.keep('DELETE', `${path}/pet/${pet}`)).status, 204);
  const events = parseEvents(await stream.text());
  const data = { zoo: id, pet, name: 'Asp', by: 'head keeper' };
  assert.equal(events.map(({ event, ...rest }) => [event, rest.data]), [['arrived', data], ['fed', data], ['left', data]]);
  return events;
}

const LIMIT = badRequestBody('limit: expected an integer from 1 to 1000', { parameter: 'limit' });
const AFTER = badRequestBody('after: expected an integer from 0 to 9007199254740991', { parameter: 'after' });

const streams = makeZooSuite(suite('events'));
testResponses(streams, [
  ['anyone', 'GET', '/v1/event?limit=0', undefined, 400, LIMIT],
  ['anyone', 'GET', '/v1/event?limit=1001', undefined, 400, LIMIT],
  ['anyone', 'GET', '/v1/event?after=last', undefined, 400, AFTER],
  ['anyone', 'HEAD', '/v1/event', undefined, 200, ''],
]);
streams('a client gets each change as it comes, and no earlier one; their ids count up', async (own) => {
  const [first, ...rest] = await visit(own);
  assert.ok(first);
  assert.equal(rest.map(({ id }) => id), [first.id + 1, first.id + 2]);
});
streams('without a limit, a stream goes on until the client leaves', async (own) => {
  const stream = await open(own, '');
  const events = await visit(own);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.split('\n\n').length > events.length) break;
  }
  assert.equal(parseEvents(text), events);
});
streams('each client gets every event', async (own) => {
  const others = await Promise.all(Array.from({ length: 20 }, () => open(own, 'limit=3')));
  const events = await visit(own);
  for (const other of others) assert.equal(parseEvents(await other.text()), events);
});
streams('`after` and Last-Event-ID select the events after that one, and the header wins', async (own) => {
  const events = await visit(own);
  const id = events[0]?.id ?? 0;
  assert.equal(parseEvents(await (await open(own, `after=${id}&limit=2`)).text()), events.slice(1));
  assert.equal(parseEvents(await (await open(own, 'limit=2', { 'Last-Event-ID': String(id) })).text()), events.slice(1));
  assert.equal(parseEvents(await (await open(own, 'after=0&limit=1', { 'Last-Event-ID': String(id + 1) })).text()), events.slice(2));
});
streams('after=0 starts with the first event', async (own) => {
  const [first] = parseEvents(await (await open(own, 'after=0&limit=1')).text());
  assert.is(first?.id, 1);
});
streams('a rejected change makes no event', async (own) => {
  const stream = await open(own, 'limit=3');
  const { zoo, path } = own;
  await zoo.keep('POST', `${path}/pet`, { ...asp, legs: -1 });
  await zoo.keep('POST', `${path}/pet/0/feed`, { grams: 5 });
  await zoo.keep('DELETE', `${path}/pet/0`);
  await zoo.request('DELETE', `${path}/pet/${own.rexId}`);
  assert.equal(await visit(own), parseEvents(await stream.text()));
});

const fed: ZooEvent = { zoo: 1, pet: 1, name: 'Rex', by: 'a test' };

/** A log that has had some events. */
function logOf(count: number, max?: number): EventLog {
  const log = new EventLog(max);
  for (let added = 0; added < count; added += 1) log.add('fed', fed);
  return log;
}

async function idsAfter(log: EventLog, id: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for await (const each of log.after(id, new AbortController().signal)) {
    ids.push(Number(each.id));
    if (ids.length === count) break;
  }
  return ids;
}

const logs = suite('the event log');
for (const [fact, log, id, ids] of [
  ['all events', logOf(3), 0, [1, 2, 3]],
  ['those after an id', logOf(3), 1, [2, 3]],
  ['the last ones, if it keeps no more', logOf(5, 2), 0, [4, 5]],
  ['the last ones, if those after the id are no longer kept', logOf(5, 2), 1, [4, 5]],
  ['all that are kept, after an id from before a restart', logOf(3), 1000, [1, 2, 3]],
] as const) {
  logs(`gives ${fact}`, async () => assert.equal(await idsAfter(log, id, ids.length), ids));
}
logs('a reader waits for the next event', async () => {
  const log = logOf(1);
  const ids = idsAfter(log, 1, 2);
  log.add('fed', fed);
  log.add('fed', fed);
  assert.equal(await ids, [2, 3]);
});
logs('a reader that is slower than the events come misses those that have been dropped', async () => {
  const log = logOf(1, 2);
  const reader = log.after(0, new AbortController().signal);
  assert.is((await reader.next()).value?.id, '1');
  for (let added = 0; added < 5; added += 1) log.add('fed', fed);
  assert.is((await reader.next()).value?.id, '5');
  assert.is((await reader.next()).value?.id, '6');
  await reader.return(undefined);
});
logs('a reader ends when its signal aborts: before it reads, while it waits, and while it has more to read', async () => {
  assert.equal((await logOf(1).after(0, AbortSignal.abort()).next()).done, true);
  for (const [log, id] of [[logOf(1), 1], [logOf(2), 0]] as const) {
    const leaving = new AbortController();
    const reader = log.after(id, leaving.signal);
    const first = reader.next();
    leaving.abort();
    if (id === 0) assert.is((await first).value?.id, '1');
    else assert.equal((await first).done, true);
    assert.equal((await reader.next()).done, true);
  }
});
