/** How long a server takes to close while one client is connected, for which no request is in flight. */
import { after, Client } from '../client.js';
import { withAll } from '../contender.js';

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
  // Long enough for it to arrive, and for an answer to be out.
  await after(200);
  const elapsed = await Promise.race([contender.ask('close'), after(CAP_MS)]);
  client.end();
  return elapsed === undefined ? `> ${CAP_MS}` : Math.ceil(elapsed);
}
