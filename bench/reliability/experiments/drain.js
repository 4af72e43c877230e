/**
 * What happens to a thousand requests in flight when a server closes: 100 connections with 10 pipelined requests each. The
 * server has received all of them and answered none when it is told to close; then all can be answered.
 */
import { setTimeout as after } from 'node:timers/promises';
import { Client } from '../../client.js';
import { withEach } from '../each.js';

const ROUNDS = 20;
const CONNECTIONS = 100;
const EACH = 10;
// Nothing more is expected on a connection after this long.
const QUIET_MS = 2000;

export const title = `Closing with ${CONNECTIONS * EACH} requests in flight, ${ROUNDS} rounds`;

export async function measure() {
  const figures = await withEach(async (contender) => {
    await contender.child.ask('countReceived');
    const sum = { answers: 0, closes: 0 };
    for (let round = 0; round < ROUNDS; round += 1) await drain(contender, sum);
    return sum;
  });
  return [
    [`answers of ${ROUNDS * CONNECTIONS * EACH}`, figures.map(({ answers }) => answers)],
    [`connections of ${ROUNDS * CONNECTIONS} whose last answer says Connection: close`, figures.map(({ closes }) => closes)],
  ];
}

async function drain(contender, sum) {
  contender.port = await contender.child.ask('open');
  await contender.child.ask('shutRooms');
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => Client.connect(contender.port)));
  for (const client of clients) {
    for (let index = 0; index < EACH; index += 1) client.send(`GET /v1/room/${index} HTTP/1.1\r\nHost: a\r\n\r\n`);
  }
  while ((await contender.child.ask('received')) < CONNECTIONS * EACH) await after(5);
  const closed = contender.child.ask('close');
  await contender.child.ask('openRooms');
  for (const answers of await Promise.all(clients.map(answersOf))) {
    sum.answers += answers.length;
    // Nothing follows a close that comes too early, so only complete connections count.
    if (answers.length === EACH && answers[EACH - 1].closes) sum.closes += 1;
  }
  for (const client of clients) client.end();
  await closed;
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
