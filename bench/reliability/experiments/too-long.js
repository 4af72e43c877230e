/** How many clients read the 413 to a body of 8 MiB, which is over the limit, and which they send to its end. */
import { setTimeout as after } from 'node:timers/promises';
import { Client } from '../../client.js';
import { withEach } from '../each.js';

const ROUNDS = 20;
// A server that neither reads nor closes would hold the client up for ever.
const SENDING_MS = 1000;
const PIECE = 'x'.repeat(2 ** 16);
const PIECES = 128;

const HEAD = 'POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const FRAMINGS = [
  ['declared', `${HEAD}Content-Length: ${PIECE.length * PIECES}\r\n\r\n`, PIECE, ''],
  ['chunked', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, `${PIECE.length.toString(16)}\r\n${PIECE}\r\n`, '0\r\n\r\n'],
];

export const title = `413 read, of ${ROUNDS}, by a client that goes on sending 8 MiB`;

export async function measure() {
  const rows = [];
  for (const [framing, head, piece, end] of FRAMINGS) {
    for (const [when, readsLate] of [['reads while it sends', false], ['reads when all is sent', true]]) {
      rows.push([`${framing}, ${when}`, await withEach(({ port }) => count(port, [head, ...Array(PIECES).fill(piece), end], readsLate))]);
    }
  }
  return rows;
}

async function count(port, texts, readsLate) {
  let read = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const client = await Client.connect(port);
    if (readsLate) client.socket.pause();
    for (const text of texts) client.send(text);
    // Where this write fails, the connection was reset and nothing can be read.
    await Promise.race([new Promise((resolve) => client.socket.write('', resolve)), after(SENDING_MS)]);
    client.socket.resume();
    if ((await client.answer())?.status === 413) read += 1;
    client.end();
  }
  return read;
}
