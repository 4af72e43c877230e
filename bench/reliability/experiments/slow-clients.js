/**
 * How long a good client waits for its responses, alone and beside 2,000 slow ones. The slow ones live in a thread of their
 * own, a third each: a head byte by byte, a body byte by byte, and silent. They are counted at the end of each round.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { ask } from '../../client.js';
import { CONTENDERS, takeTurns, withContenders } from '../../contenders/contenders.js';
import { median, quantile } from '../../statistics.js';

const SLOW = 2000;
const BYTE_MS = 500;
const ROUNDS = 7;
const REQUESTS = 10_000;
const REQUEST = 'GET /v1/room/a HTTP/1.1\r\nHost: a\r\n\r\n';
const SLOW_HEAD = 'GET /v1/room/a HTTP/1.1\r\nHost: a\r\nX: ';
const SLOW_BODY = 'POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n';

export const title = `One good client beside ${SLOW} slow ones`;

export async function rows() {
  const figures = await withContenders(async (contenders) => {
    for (const contender of contenders) contender.port = await contender.child.ask('open');
    return takeTurns({ contenders, warmUp: 1, rounds: ROUNDS }, ({ port }) => compare(port));
  });
  const row = (what, of) => [what, ...CONTENDERS.map((name) => of(figures[name]).toFixed(2))];
  return [
    row('p99 alone, µs', (rounds) => median(rounds.map(({ alone }) => alone))),
    row('p99 beside them, µs', (rounds) => median(rounds.map(({ beside }) => beside))),
    row(`p99, median of ${ROUNDS} ratios`, (rounds) => median(rounds.map(({ alone, beside }) => beside / alone))),
    row('slow ones still there at the end, at least', (rounds) => Math.min(...rounds.map(({ left }) => left))),
  ];
}

async function compare(port) {
  const alone = await latencies(port);
  const crowd = new Worker(new URL(import.meta.url), { workerData: port });
  await once(crowd, 'message');
  const beside = await latencies(port);
  crowd.postMessage('count');
  const [left] = await once(crowd, 'message');
  await crowd.terminate();
  await ask(port, REQUEST);
  return { alone, beside, left };
}

/** The p99 of the microseconds from a request to its response, one request after the other over one connection. */
async function latencies(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const times = [];
  for (let index = 0; index < REQUESTS; index += 1) {
    const begin = performance.now();
    socket.write(REQUEST);
    const [response] = await once(socket, 'data');
    if (!response.toString('latin1').endsWith('{"id":"a"}')) throw new Error(`not one response: ${response}`);
    times.push((performance.now() - begin) * 1000);
  }
  socket.destroy();
  // The first requests pay for the connection.
  return quantile(times.slice(100), 0.99);
}

/** The slow clients. As they connect one after the other, they also send one after the other. */
async function crowdAt(port) {
  const sockets = [];
  for (let index = 0; index < SLOW; index += 1) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    sockets.push(socket.on('error', () => {}));
    if (index % 3 === 2) continue;
    socket.write(index % 3 === 0 ? SLOW_HEAD : SLOW_BODY);
    setInterval(() => socket.write('x'), BYTE_MS);
  }
  parentPort.on('message', () => parentPort.postMessage(sockets.filter(({ closed }) => !closed).length));
  parentPort.postMessage('ready');
}

if (!isMainThread) await crowdAt(workerData);
