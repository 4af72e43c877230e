/** The endpoints of the load test whose bodies are formats, and what both sides know of them. */
import { bytes, defineEndpoint, reply, type ApiServer } from '../../src/index.ts';
import { events, ndjson, ranges } from '../../src/formats/index.ts';
import { delay } from '../support/wait.ts';
import { CHUNK_BYTES, chunkLike, TOTAL_BYTES } from './load-server.ts';

export interface Item {
  readonly at: number;
  readonly data: string;
}

const DATA = 'x'.repeat(60_000);
// All numbers have the same length.
const FIRST = 1_000_000;

/** An item of a sequence. */
export function itemAt(index: number): Item {
  return { at: FIRST + index, data: DATA };
}

/** The item as a line of NDJSON. */
export function lineAt(index: number): Buffer {
  return Buffer.from(`${JSON.stringify(itemAt(index))}\n`, 'latin1');
}

export const LINE_BYTES = lineAt(0).length;
export const LINES = Math.floor(TOTAL_BYTES / LINE_BYTES);

/** Whether an item is the one of its place. */
export function isItemAt(index: number, { at, data }: Item): boolean {
  return at === FIRST + index && data.length === DATA.length;
}

const TICK_BYTES = 4_000;
export const TICK_COUNT = 5000;
// A reader that is slower by more than this misses events.
const KEPT = TICK_COUNT / 2;
const BATCH = KEPT / 25;
/** How many readers do not stall. */
export const QUICK = 9;

export interface Tick {
  /** When it was made, in milliseconds. */
  readonly madeAt: number;
  readonly data: string;
}

/** Events of which the last are kept for all readers together. */
export class Ticks {
  readonly #kept: Tick[] = [];
  readonly #readers = new Set<{ at: number }>();
  #count = 0;
  #made = Promise.resolve();
  #announce: () => void = () => {};

  constructor() {
    this.#next();
  }

  /** Makes all events, as fast as the quick readers take them. */
  async make(): Promise<void> {
    while (this.#count < TICK_COUNT) {
      const isTaken = [...this.#readers].filter(({ at }) => at >= this.#count - KEPT / 4).length >= QUICK;
      for (let made = 0; isTaken && made < BATCH; made += 1) this.#kept[this.#count++ % KEPT] = { madeAt: Date.now(), data: 'x'.repeat(TICK_BYTES) };
      this.#announce();
      this.#next();
      await delay(1);
    }
  }

  /** All events from now on, without those that a slow reader misses. */
  async *read(): AsyncGenerator<{ readonly id: string; readonly data: Tick }> {
    const reader = { at: this.#count };
    this.#readers.add(reader);
    for (;; reader.at += 1) {
      while (reader.at === this.#count) await this.#made;
      reader.at = Math.max(reader.at, this.#count - KEPT);
      yield { id: String(reader.at), data: this.#kept[reader.at % KEPT] as Tick };
    }
  }

  #next(): void {
    this.#made = new Promise((resolve) => (this.#announce = resolve));
  }
}

const asItem = (json: unknown): Item => json as Item;
const asTick = (tick: Tick): Tick => tick;
const LIMITS = { bodyBytes: 2 ** 40, requestMs: 600_000, operationMs: 0 };

/** `POST /bytes` and `POST /lines` return how much they have read. */
export function registerSequences(server: ApiServer, ticks: Ticks): void {
  server.registerEndpoints({
    '/bytes': defineEndpoint({
      create: { output: { 200: Number }, input: bytes(), limits: LIMITS, run: countBytes },
      get: () => reply(200, ranges({ size: TOTAL_BYTES, read: pattern })),
    }),
    '/lines': defineEndpoint({
      create: { output: { 200: Number }, input: ndjson(asItem), limits: LIMITS, run: countItems },
      get: { output: ndjson(asItem), run: items },
    }),
    '/ticks': defineEndpoint({ get: { output: events(asTick), run: () => ticks.read() } }),
  });
}

async function countBytes(body: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0;
  for await (const chunk of body) count += chunk.length;
  return count;
}

async function countItems(read: AsyncIterable<Item>): Promise<number> {
  let count = 0;
  for await (const item of read) {
    if (!isItemAt(count, item)) throw new Error(`another item than expected behind ${count}`);
    count += 1;
  }
  return count;
}

function* items(): Generator<Item> {
  for (let index = 0; index < LINES; index += 1) yield itemAt(index);
}

/** The bytes of a range, both ends in it. */
async function* pattern(from: number, to: number): AsyncGenerator<Uint8Array> {
  for (let at = from; at <= to;) {
    const inside = at % CHUNK_BYTES;
    const chunk = chunkLike(Math.floor(at / CHUNK_BYTES)).subarray(inside, Math.min(CHUNK_BYTES, inside + to - at + 1));
    yield chunk;
    at += chunk.length;
  }
}
