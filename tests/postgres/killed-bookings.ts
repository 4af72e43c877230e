/** Two processes of the program of docs/postgres.md, killed with `kill -9` under load: no booking is lost or made twice, and no event is skipped. */
import * as assert from 'uvu/assert';
import type { Child } from '../support/child.ts';
import { findFreePort } from '../support/free-port.ts';
import { killWhile, shareOut, untilResponse } from '../support/payers.ts';
import { delay, withTimeout } from '../support/wait.ts';
import { withPool, type Case } from './case.ts';
import { withShownProgram } from './shown-program.ts';

const BOOKINGS = 120;
const CLIENTS = 6;
const KILLS = 8;
const EVENT = /^id: (\S+)\nevent: booked\ndata: \{"id":(\d+)\}\n\n/m;

/** Makes a booking: sends it again, to the processes in turn, until it has a response. Resolves to the id. */
async function book(ports: readonly number[], key: string): Promise<number> {
  let attempt = 0;
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `"${key}"` };
  const { body } = await untilResponse(() => {
    const url = `http://127.0.0.1:${ports[(attempt += 1) % ports.length]}/v1/booking`;
    return fetch(url, { method: 'POST', headers, body: JSON.stringify({ room: key, nights: 1 }) });
  });
  return Number(body);
}

/** Reads so many events, and goes on after the last one at the other process when a stream breaks. Resolves to the ids of the bookings. */
async function readEvents(ports: readonly number[], count: number): Promise<number[]> {
  const booked: number[] = [];
  let after = '0-0';
  for (let attempt = 0; booked.length < count; attempt += 1) {
    const left = new AbortController();
    try {
      const response = await fetch(`http://127.0.0.1:${ports[attempt % ports.length]}/v1/event`, { headers: { 'Last-Event-ID': after }, signal: left.signal });
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString();
        for (let event = EVENT.exec(text); event !== null; event = EVENT.exec(text)) {
          after = event[1] ?? '';
          booked.push(Number(event[2]));
          text = text.slice(event.index + event[0].length);
        }
        if (booked.length >= count) break;
      }
    } catch {
      await delay(10);
    }
    left.abort();
  }
  return booked;
}

export const KILLED_BOOKINGS: readonly Case[] = [
  [`of ${BOOKINGS} bookings and ${KILLS} kills, each is made once, and each reader gets each event once, in the same order`, async ({ url }) => {
    await withShownProgram({ page: 'postgres.md', name: 'bookings.ts', url, changes: { 'limit: 100,': 'limit: 1_000_000,' } }, async ({ start }) => {
      const ports = [await findFreePort(), await findFreePort()] as const;
      const children: Child[] = [await start(ports[0]), await start(ports[1])];
      const reading = Promise.all([readEvents(ports, BOOKINGS), readEvents(ports.toReversed(), BOOKINGS)]);
      const ids: number[] = [];
      const booking = shareOut(BOOKINGS, CLIENTS, async (number) => void ids.push(await book(ports, `key-${number}`)));
      await killWhile(booking, ids, BOOKINGS, KILLS, async (turn) => {
        const at = turn % 2;
        await children[at]?.end('SIGKILL');
        children[at] = await start(ports[at] ?? 0);
      });
      const [first, second] = await withTimeout(reading, 'all events');
      await withPool(url, async (pool) => {
        const { rows } = await pool.query('SELECT id, room FROM booking ORDER BY id');
        assert.equal(new Set(rows.map(({ room }) => room)).size, BOOKINGS);
        assert.equal(rows.map(({ id }) => id), ids.toSorted((a, b) => a - b));
      });
      assert.equal(first, second);
      assert.equal(first.toSorted((a, b) => a - b), ids.toSorted((a, b) => a - b));
    });
  }],
];
