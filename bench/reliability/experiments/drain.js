/**
 * What happens to a thousand requests in flight when a server closes: 100 connections with 10 pipelined requests each. The
 * server has received all of them and not answered any when it is closed; then all can be answered.
 */
import { setTimeout as after } from 'node:timers/promises';
import { Client } from '../../client.js';
import { rowsOf } from '../rows.js';

const ROUNDS = 20;
const CONNECTIONS = 100;
const EACH = 10;
const REQUESTS = Array.from({ length: EACH }, (_, index) => `GET /v1/room/${index} HTTP/1.1\r\nHost: a\r\n\r\n`).join('');
// Nothing more is expected on a connection after this long.
const QUIET_MS = 2000;

export const title = `Closing with ${CONNECTIONS * EACH} requests in flight, ${ROUNDS} rounds`;

const CASES = [[`answers; last answers that say Connection: close, of ${ROUNDS * CONNECTIONS}`]];

export const rows = () => rowsOf(CASES, async ({ child }) => {
  await child.ask('countReceived');
  const answers = [];
  for (let round = 1; round <= ROUNDS; round += 1) answers.push(...(await drain(child, round)));
  // Nothing follows a close that comes too early, so only complete connections count.
  return `${answers.flat().length}; ${answers.filter((each) => each[EACH - 1]?.closes).length}`;
});

/** Resolves to the answers of each connection. */
async function drain(child, round) {
  const port = await child.ask('open');
  await child.ask('shutRooms');
  const clients = Array.from({ length: CONNECTIONS }, () => new Client(port));
  for (const client of clients) client.send(REQUESTS);
  while ((await child.ask('received')) < round * CONNECTIONS * EACH) await after(5);
  const closed = child.ask('close', port);
  await child.ask('openRooms');
  const answers = await Promise.all(clients.map(answersOf));
  for (const client of clients) client.socket.destroy();
  await closed;
  return answers;
}

/** The right answers: in the order of the requests, each with its own room. */
async function answersOf(client) {
  const answers = [];
  while (answers.length < EACH) {
    const answer = await client.answer(QUIET_MS);
    if (answer?.body !== `{"id":"${answers.length}"}`) break;
    answers.push(answer);
  }
  return answers;
}
