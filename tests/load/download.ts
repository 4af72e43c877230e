/** A long download whose reader stops now and then: it arrives whole, and the server holds little of it. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import * as assert from 'uvu/assert';
import { delay } from '../support/wait.ts';
import type { Check } from '../support/checks.ts';
import { BLOB, BLOB_BYTES, type LoadServer, type Measure } from './load-server.ts';
import { Pattern } from './pattern.ts';

const MIB = 2 ** 20;
const PAUSES = 3;
const PAUSE_MS = 2000;
const ALLOWED_GROWTH = 64 * MIB;
// The buffers of the system for a connection on both sides, and those of the two processes.
const ALLOWED_AHEAD = 32 * MIB;

export async function download(server: LoadServer, port: number, check: Check): Promise<void> {
  const before = await server.measure();
  const [response] = (await once(get({ host: '127.0.0.1', port, path: `/v1/blob/${BLOB_BYTES}` }), 'response')) as [IncomingMessage];
  const pattern = new Pattern();
  const paused: (readonly [pulled: number, later: number, ahead: number])[] = [];
  for await (const piece of response) {
    pattern.take(piece as Buffer);
    if (paused.length < PAUSES && pattern.bytes > (BLOB_BYTES / (PAUSES + 1)) * (paused.length + 1)) paused.push(await pause(server, pattern.bytes));
  }
  const end = await server.measure();
  await check(`${BLOB} from an async iterable arrives whole, to a reader that stops ${PAUSES} times for ${PAUSE_MS} ms`, () => {
    assert.equal([response.statusCode, response.complete, pattern.bytes, end.given], [200, true, BLOB_BYTES, BLOB_BYTES]);
  });
  await check('while the reader stops, the iterable is not read any further', () => {
    assert.is(paused.length, PAUSES);
    for (const [pulled, later, ahead] of paused) {
      assert.is(later, pulled);
      assert.ok(ahead < ALLOWED_AHEAD, `${ahead} bytes ahead of the reader`);
    }
  });
  await check('the memory of the server grows by less than 64 MiB', () => assertGrowth(before, end));
  await check('nothing is logged', () => assert.equal(end.failures, []));
}

/** Reads nothing for a while. Returns how much the server has read of its iterable, in the middle and at the end. */
async function pause(server: LoadServer, taken: number): Promise<readonly [pulled: number, later: number, ahead: number]> {
  await delay(PAUSE_MS / 2);
  const { given } = await server.measure();
  await delay(PAUSE_MS / 2);
  const later = await server.measure();
  return [given, later.given, later.given - taken];
}

export function assertGrowth(before: Measure, end: Measure): void {
  const growth = end.mostRss - before.rss;
  assert.ok(growth < ALLOWED_GROWTH, `grew from ${before.rss} to ${end.mostRss} bytes, by ${Math.round(growth / MIB)} MiB`);
}
