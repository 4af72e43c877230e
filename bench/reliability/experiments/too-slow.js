/**
 * When a server ends a request that never becomes complete, with its time limits set to one second. The client goes on
 * sending single bytes.
 */
import { Client } from '../../client.js';
import { withAll } from '../each.js';

const CAP_MS = 40_000;
const LIMIT_MS = 1000;
const BYTE_MS = 100;

const POST = 'POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
const CASES = [
  ['a silent connection', '', ''],
  ['a head, byte by byte', 'GET /v1/room/a HTTP/1.1\r\nX: ', 'x'],
  ['a body, byte by byte', `${POST}Content-Length: 10000\r\n\r\n`, ' '],
  ['a chunked body, byte by byte', `${POST}Transfer-Encoding: chunked\r\n\r\n`, '1\r\n \r\n'],
];

export const title = 'Ended after, where the limit is 1 s';

export function measure() {
  return Promise.all(CASES.map(async ([what, first, then]) => {
    return [what, await withAll(({ port }) => ending(port, first, then), { timeMs: LIMIT_MS })];
  }));
}

async function ending(port, first, then) {
  const client = await Client.connect(port);
  const begin = performance.now();
  client.send(first);
  const timer = setInterval(() => client.send(then), BYTE_MS);
  const answer = await client.answer(CAP_MS);
  clearInterval(timer);
  const seconds = ((performance.now() - begin) / 1000).toFixed(1);
  const { isClosed } = client;
  client.end();
  if (answer !== undefined) return `${seconds} s (${answer.status})`;
  return isClosed ? `${seconds} s (closed)` : `> ${CAP_MS / 1000} s`;
}
