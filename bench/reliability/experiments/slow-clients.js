/**
 * How long a good client waits for its answers, alone and beside 2,000 slow ones. The slow ones live in a process of their
 * own and are counted at the end of each round.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { Child } from '../../contenders/child.js';
import { CONTENDERS, inTurn, withChildren } from '../../contenders/contender.js';
import { median, quantile } from '../../statistics.js';
import { ask } from '../../client.js';

const SLOW = 2000;
const WARM_UP = 1;
const ROUNDS = 7;
const REQUESTS = 10_000;
const REQUEST = 'GET /v1/room/a HTTP/1.1\r\nHost: a\r\n\r\n';

export const title = `One good client beside ${SLOW} slow ones`;

export async function measure() {
  const rounds = Object.fromEntries(CONTENDERS.map((name) => [name, []]));
  await withChildren(async (contenders) => {
    for (const contender of contenders) contender.port = await contender.child.ask('open');
    await inTurn(contenders, WARM_UP + ROUNDS, async ({ name, port }, round) => {
      const figures = await compare(port);
      if (round >= WARM_UP) rounds[name].push(figures);
    });
  });
  const row = (what, pick, digits) => [what, CONTENDERS.map((name) => median(rounds[name].map(pick)).toFixed(digits))];
  return [
    row('p99 alone, µs', ({ alone }) => alone, 0),
    row('p99 beside them, µs', ({ beside }) => beside, 0),
    row(`p99, median of ${ROUNDS} ratios`, ({ alone, beside }) => beside / alone, 2),
    ['slow ones still there at the end, at least', CONTENDERS.map((name) => Math.min(...rounds[name].map(({ left }) => left)))],
  ];
}

async function compare(port) {
  const alone = await latencies(port);
  const crowd = new Child(new URL('../crowd.js', import.meta.url));
  try {
    await crowd.ask('connect', { port, count: SLOW });
    return { alone, beside: await latencies(port), left: await crowd.ask('count') };
  } finally {
    await crowd.end();
    await ask(port, REQUEST);
  }
}

/** The p99 of the microseconds from a request to its answer, one request after the other over one connection. */
async function latencies(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const times = [];
  for (let index = 0; index < REQUESTS; index += 1) {
    const begin = performance.now();
    socket.write(REQUEST);
    const [answer] = await once(socket, 'data');
    if (!answer.toString('latin1').endsWith('{"id":"a"}')) throw new Error(`not one answer: ${answer}`);
    times.push((performance.now() - begin) * 1000);
  }
  socket.destroy();
  // The first requests pay for the connection.
  return quantile(times.slice(100), 0.99);
}
