/** How many clients read the 413 while they go on sending a body of 8 MiB, which is over the limit. */
import { Client } from '../../client.js';
import { withEach } from '../each.js';

const ROUNDS = 100;
const PIECE = 'x'.repeat(2 ** 16);
const PIECES = 128;

const HEAD = 'POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const FRAMINGS = [
  ['declared', `${HEAD}Content-Length: ${PIECE.length * PIECES}\r\n\r\n`, PIECE],
  ['chunked', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, `${PIECE.length.toString(16)}\r\n${PIECE}\r\n`],
];

export const title = `413 read, of ${ROUNDS}, by a client that goes on sending 8 MiB`;

export async function measure() {
  const rows = [];
  for (const [framing, head, piece] of FRAMINGS) {
    for (const [when, readsLate] of [['reads while it sends', false], ['reads when all is sent', true]]) {
      rows.push([`${framing}, ${when}`, await withEach(({ port }) => count(port, head, piece, readsLate))]);
    }
  }
  return rows;
}

async function count(port, head, piece, readsLate) {
  let read = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const client = await Client.connect(port);
    if (readsLate) client.socket.pause();
    client.send(head);
    for (let index = 0; index < PIECES; index += 1) client.send(piece);
    // Where this write fails, the connection was reset and nothing can be read.
    await new Promise((resolve) => client.socket.write('', resolve));
    client.socket.resume();
    if ((await client.answer())?.status === 413) read += 1;
    client.end();
  }
  return read;
}
