/** Readers of `events`: one that stalls beside nine that do not, and a hundred at the moment of `stop`. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import * as assert from 'uvu/assert';
import { waitUntil } from '../support/wait.ts';
import type { Check } from '../support/checks.ts';
import { STOP_GRACE_MS, type LoadServer } from './load-server.ts';
import { QUICK, TICK_COUNT, type Tick } from './sequences.ts';

// The garbage of ten readers. What the stalled one has missed is in no queue.
const ALLOWED_GROWTH = 100e6;
const WAITING = 100;

/** A client that reads events. */
class Reader {
  readonly ids: number[] = [];
  slowestMs = 0;
  closedAt = 0;
  readonly #response: IncomingMessage;
  #text = '';

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.on('close', () => (this.closedAt = performance.now()));
    response.setEncoding('latin1');
  }

  /** It has the head of the response, and reads no more until `read`. */
  static async open(port: number): Promise<Reader> {
    const [response] = (await once(get({ host: '127.0.0.1', port, path: '/v1/ticks', agent: false }), 'response')) as [IncomingMessage];
    return new Reader(response);
  }

  read(): void {
    this.#response.on('data', (piece: string) => {
      const events = (this.#text + piece).split('\n\n');
      this.#text = events.pop() ?? '';
      for (const event of events) this.#take(event);
    });
  }

  #take(event: string): void {
    const [, id, data] = /^id: (\d+)\ndata: (.+)$/.exec(event) ?? [];
    if (id === undefined || data === undefined) throw new Error(`no event: ${event.slice(0, 100)}`);
    this.ids.push(Number(id));
    this.slowestMs = Math.max(this.slowestMs, Date.now() - (JSON.parse(data) as Tick).madeAt);
  }
}

export async function testStalled(server: LoadServer, port: number, check: Check): Promise<void> {
  const [slow, ...quick] = (await Promise.all(Array.from({ length: QUICK + 1 }, () => Reader.open(port)))) as [Reader, ...Reader[]];
  for (const reader of quick) reader.read();
  const before = await server.measure();
  await server.tick();
  const all = Array.from({ length: TICK_COUNT }, (_, id) => id);
  await waitUntil(() => quick.every(({ ids }) => ids.at(-1) === TICK_COUNT - 1), 'the last event to reach the others');
  const { mostRss, failures } = await server.measure();
  const growth = mostRss - before.rss;
  const slowestMs = Math.max(...quick.map((reader) => reader.slowestMs));
  await check(`${TICK_COUNT} events reach nine readers, each after ${slowestMs} ms at most, while a tenth stalls`, () => {
    for (const { ids } of quick) assert.equal(ids, all);
    assert.equal(slow.ids, []);
  });
  await check(`the memory of the server grows by ${Math.round(growth / 1e6)} MB of the allowed 100 MB`, () => assert.ok(growth < ALLOWED_GROWTH));
  slow.read();
  await waitUntil(() => slow.ids.at(-1) === TICK_COUNT - 1, 'the last event to reach the reader that stalled');
  await check(`the one that stalled reads on: ${slow.ids.length} events of ${TICK_COUNT}, in order`, () => {
    assert.ok(slow.ids.length < TICK_COUNT && slow.ids.every((id, at) => at === 0 || id > (slow.ids[at - 1] ?? id)));
  });
  await check('nothing is logged', () => assert.equal(failures, []));
}

/** A hundred readers at the moment of `stop`. */
export async function testStopped(server: LoadServer, port: number, check: Check): Promise<void> {
  const readers = await Promise.all(Array.from({ length: WAITING }, () => Reader.open(port)));
  for (const reader of readers) reader.read();
  const began = performance.now();
  await server.stop();
  await waitUntil(() => readers.every(({ closedAt }) => closedAt > 0), 'all readers to end');
  const tookMs = Math.round(Math.max(...readers.map(({ closedAt }) => closedAt)) - began);
  await check(`${WAITING} readers end ${tookMs} ms after stop(), which does not wait for stopGraceMs`, () => assert.ok(tookMs < STOP_GRACE_MS));
  await check('nothing is logged', async () => assert.equal((await server.measure()).failures, []));
}
