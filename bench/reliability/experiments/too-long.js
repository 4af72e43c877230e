/** How many clients read the 413 to a body of 8 MiB, which is over the limit, and which they send to its end. */
import { setTimeout as after } from 'node:timers/promises';
import { Client } from '../../client.js';
import { makeRows } from '../rows.js';

const ROUNDS = 20;
// A server that neither reads nor closes would hold the client up for ever.
const SENDING_MS = 1000;
const PIECE = 'x'.repeat(2 ** 16);
const PIECES = 128;

const HEAD = 'POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const DECLARED = [`${HEAD}Content-Length: ${PIECE.length * PIECES}\r\n\r\n`, ...Array(PIECES).fill(PIECE)];
const CHUNK = `${PIECE.length.toString(16)}\r\n${PIECE}\r\n`;
const CHUNKED = [`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, ...Array(PIECES).fill(CHUNK), '0\r\n\r\n'];
const CASES = [
  ['declared, reads while it sends', DECLARED, false],
  ['declared, reads when all is sent', DECLARED, true],
  ['chunked, reads while it sends', CHUNKED, false],
  ['chunked, reads when all is sent', CHUNKED, true],
];

export const title = `413 read, of ${ROUNDS}, by a client that goes on sending 8 MiB`;

export const rows = () => makeRows(CASES, async ({ port }, strings, readsLate) => {
  let read = 0;
  for (let round = 0; round < ROUNDS; round += 1) if ((await readStatus(port, strings, readsLate)) === 413) read += 1;
  return read;
});

async function readStatus(port, strings, readsLate) {
  const client = new Client(port);
  if (readsLate) client.socket.pause();
  for (const text of strings) client.send(text);
  // Where this write fails, the connection was reset and nothing can be read.
  await Promise.race([new Promise((resolve) => client.socket.write('', resolve)), after(SENDING_MS)]);
  client.socket.resume();
  const response = await client.respond();
  client.socket.destroy();
  return response?.status;
}
