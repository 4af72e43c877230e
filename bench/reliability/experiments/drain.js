/**
 * What becomes of a thousand requests in flight when a server closes: 100 connections with 10 pipelined requests each.
 * All of them have been received, and none answered, when it is told to close; then all can be answered.
 */
import { after, Client } from '../client.js';
import { withEach } from '../contender.js';

const ROUNDS = 20;
const CONNECTIONS = 100;
const EACH = 10;
// A connection where nothing comes for this long will not bring anything more.
const PATIENCE_MS = 2000;

export const title = `Closing with ${CONNECTIONS * EACH} requests in flight, ${ROUNDS} rounds`;

export async function measure() {
  const figures = await withEach(async (contender) => {
    const sum = { answers: 0, lost: 0, closes: 0 };
    for (let round = 0; round < ROUNDS; round += 1) await drain(contender, sum);
    return sum;
  });
  return [
    [`answers of ${ROUNDS * CONNECTIONS * EACH}`, figures.map(({ answers }) => answers)],
    ['lost', figures.map(({ lost }) => lost)],
    [`connections of ${ROUNDS * CONNECTIONS} whose last answer says Connection: close`, figures.map(({ closes }) => closes)],
  ];
}

async function drain(contender, sum) {
  await contender.open();
  await contender.ask('shutRooms');
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => Client.connect(contender.port)));
  for (const client of clients) {
    for (let index = 0; index < EACH; index += 1) client.send(`GET /v1/room/${index} HTTP/1.1\r\nHost: a\r\n\r\n`);
  }
  while ((await contender.ask('received')) < CONNECTIONS * EACH) await after(5);
  const closed = contender.ask('close');
  await contender.ask('openRooms');
  for (const answers of await Promise.all(clients.map(answersOf))) {
    sum.answers += answers.length;
    sum.lost += EACH - answers.length;
    // One that says so too early is followed by nothing, so it is counted where its answers are complete.
    if (answers.length === EACH && answers[EACH - 1].closes) sum.closes += 1;
  }
  for (const client of clients) client.end();
  await closed;
}

/** The answers that are right: in the order of the requests, and each with its own room. */
async function answersOf(client) {
  const answers = [];
  while (answers.length < EACH) {
    const answer = await client.answer(PATIENCE_MS);
    if (answer?.body !== `{"id":"${answers.length}"}`) break;
    answers.push(answer);
  }
  return answers;
}
