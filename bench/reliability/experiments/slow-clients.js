/**
 * How long a client that does nothing wrong waits for its answers, alone and beside 2,000 slow ones. The slow ones live
 * in a process of their own, and are counted when the round is over, so that what was measured is known to be there.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ask } from '../client.js';
import { CONTENDERS, Contender } from '../contender.js';

const SLOW = 2000;
const WARM_UP = 1;
const ROUNDS = 7;
const REQUESTS = 20_000;
const CROWD = fileURLToPath(new URL('../crowd.js', import.meta.url));

export const title = `One good client beside ${SLOW} slow ones`;

export async function measure() {
  const contenders = CONTENDERS.map((name) => new Contender(name));
  const rounds = contenders.map(() => []);
  try {
    for (const contender of contenders) await contender.open();
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      for (let turn = 0; turn < contenders.length; turn += 1) {
        // Each is the first now and then.
        const index = (turn + round) % contenders.length;
        rounds[index].push(await compare(contenders[index].port));
      }
    }
  } finally {
    for (const contender of contenders) await contender.end();
  }
  const median = (pick) => rounds.map((each) => quantile(each.slice(WARM_UP).map(pick), 0.5));
  const rows = [];
  for (const [name, share] of [['p50', 0.5], ['p99', 0.99]]) {
    rows.push([`${name} alone, µs`, median(({ alone }) => quantile(alone, share)).map(Math.round)]);
    rows.push([`${name} beside them, µs`, median(({ beside }) => quantile(beside, share)).map(Math.round)]);
    const ratios = median(({ alone, beside }) => quantile(beside, share) / quantile(alone, share));
    rows.push([`${name}, median of ${ROUNDS} ratios`, ratios.map((ratio) => ratio.toFixed(2))]);
  }
  rows.push(['slow ones still there at the end, at least', rounds.map((each) => Math.min(...each.map(({ left }) => left)))]);
  return rows;
}

async function compare(port) {
  const alone = await latencies(port);
  const crowd = fork(CROWD, [String(port), String(SLOW)]);
  try {
    await once(crowd, 'message');
    const beside = await latencies(port);
    crowd.send('count');
    const [left] = await once(crowd, 'message');
    return { alone, beside, left };
  } finally {
    crowd.kill('SIGKILL');
    await once(crowd, 'exit');
    await ask(port, REQUEST);
  }
}

const REQUEST = 'GET /v1/room/a HTTP/1.1\r\nHost: a\r\n\r\n';

/** Microseconds from each request to its answer, over one connection, one after the other. */
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
  // The first ones pay for the connection.
  return times.slice(100);
}

function quantile(values, share) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)];
}
