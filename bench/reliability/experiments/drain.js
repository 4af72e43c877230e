/**
 * What happens to a thousand requests in flight when a server closes: 100 connections with 10 pipelined requests each. The
 * server has received all of them and responded to none when it is closed; then all can get responses.
 */
import { setTimeout as after } from 'node:timers/promises';
import { Client } from '../../client.js';
import { makeRows } from '../rows.js';

const ROUNDS = 20;
const CONNECTIONS = 100;
const EACH = 10;
const REQUESTS = Array.from({ length: EACH }, (_, index) => `GET /v1/room/${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
// Nothing more is expected on a connection after this long.
const QUIET_MS = 2000;

export const title = `Closing with ${CONNECTIONS * EACH} requests in flight, ${ROUNDS} rounds`;

const CASES = [[`responses; last ones that say Connection: close, of ${ROUNDS * CONNECTIONS}`]];

export const rows = () => makeRows(CASES, async ({ child }) => {
  await child.ask('countReceived');
  const responses = [];
  for (let round = 1; round <= ROUNDS; round += 1) responses.push(...(await drain(child, round)));
  // Nothing follows a close that comes too early, so only complete connections count.
  return `${responses.flat().length}; ${responses.filter((each) => each[EACH - 1]?.closes).length}`;
});

/** Resolves to the responses of each connection. */
async function drain(child, round) {
  const port = await child.ask('open');
  await child.ask('shutRooms');
  const clients = Array.from({ length: CONNECTIONS }, () => new Client(port));
  for (const client of clients) client.send(REQUESTS);
  while ((await child.ask('received')) < round * CONNECTIONS * EACH) await after(5);
  const closed = child.ask('close', port);
  await child.ask('openRooms');
  const responses = await Promise.all(clients.map(getResponses));
  for (const client of clients) client.socket.destroy();
  await closed;
  return responses;
}

/** The right responses: in the order of the requests, each with its own room. */
async function getResponses(client) {
  const responses = [];
  while (responses.length < EACH) {
    const response = await client.response(QUIET_MS);
    if (response?.body !== `{"id":"${responses.length}"}`) break;
    responses.push(response);
  }
  return responses;
}
