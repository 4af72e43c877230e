/** How long a server takes to close while one client is connected and no request is in flight. */
import { setTimeout as after } from 'node:timers/promises';
import { Client } from '../../client.js';
import { withAll } from '../each.js';

const CAP_MS = 15_000;

const REQUEST = 'GET /v1/room/a HTTP/1.1\r\nHost: a\r\n\r\n';
const STATES = [
  ['silent', ''],
  ['half a head sent', REQUEST.slice(0, -2)],
  ['idle after an answer', REQUEST],
];

export const title = 'Milliseconds to close, with one connection';

export function measure() {
  return Promise.all(STATES.map(async ([state, sent]) => [state, await withAll((contender) => closing(contender, sent))]));
}

async function closing(contender, sent) {
  const client = await Client.connect(contender.port);
  client.send(sent);
  // Enough for the bytes to arrive, and for an answer to be sent.
  await after(200);
  const elapsed = await Promise.race([contender.child.ask('close'), after(CAP_MS)]);
  client.end();
  return elapsed === undefined ? `> ${CAP_MS}` : Math.ceil(elapsed);
}
