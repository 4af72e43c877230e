/**
 * When a server ends a request that never becomes complete, with its time limits set to one second. The client goes on
 * sending single bytes.
 */
import { Client } from '../../client.js';
import { makeRows } from '../rows.js';

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

export const rows = () => makeRows(CASES, ending, { atOnce: true, timeMs: LIMIT_MS });

async function ending({ port }, first, then) {
  const client = new Client(port);
  const begin = performance.now();
  client.send(first);
  const timer = setInterval(() => client.send(then), BYTE_MS);
  const response = await client.respond(CAP_MS);
  clearInterval(timer);
  client.socket.destroy();
  if (response === undefined && !client.isClosed) return `> ${CAP_MS / 1000} s`;
  return `${((performance.now() - begin) / 1000).toFixed(1)} s (${response?.status ?? 'closed'})`;
}
