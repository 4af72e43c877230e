/** How long a server takes to close while one client is connected and no request is in flight. */
import { setTimeout as after } from 'node:timers/promises';
import { Client } from '../../client.js';
import { makeRows } from '../rows.js';

const CAP_MS = 15_000;

const REQUEST = 'GET /v1/room/a HTTP/1.1\r\nHost: a\r\n\r\n';
const STATES = [
  ['silent', ''],
  ['half a head sent', REQUEST.slice(0, -2)],
  ['idle after a response', REQUEST],
];

export const title = 'Milliseconds to close, with one connection';

export const rows = () => makeRows(STATES, closing, { atOnce: true });

async function closing({ child, port }, sent) {
  const client = new Client(port);
  client.send(sent);
  // Enough for the bytes to arrive, and for a response to be sent.
  await after(200);
  const elapsed = await Promise.race([child.ask('close', port), after(CAP_MS)]);
  client.socket.destroy();
  return elapsed === undefined ? `> ${CAP_MS}` : Math.ceil(elapsed);
}
