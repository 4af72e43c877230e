/**
 * What does a server hold in memory: at rest, for an idle connection, for an endpoint, and after many requests?
 *
 *   node parts/memory.js
 *
 * Each contender is a process of its own, which collects its garbage before it is looked at. RSS is what the system
 * sees and grows in steps; the heap is what JavaScript holds, typed arrays included. 5,000 connections need as many open files on both sides.
 */
import { fork } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runIfMain, spread } from '../measuring.js';

export const title = 'Memory';

const SERVER = fileURLToPath(new URL('../memory-server.js', import.meta.url));
const CONTENDERS = ['node:http', 'restpoint'];
const CONNECTIONS = 5_000;
const ROUNDS = 2;
const ENDPOINTS = 4_000;
const ENDPOINTS_BEFORE = 1_000;
const REQUESTS = 1_000_000;
const REQUESTS_FOR_MS = 30_000;
const PIPELINED = 50;
const CLIENTS = 20;
const REQUEST = 'GET /v1/animal/ant HTTP/1.1\r\nHost: localhost\r\n\r\n';
const ANSWER = '{"name":"ant"}';

/** A contender's process: `look` gives its memory, `register` adds endpoints to it. */
async function open(contender) {
  const child = fork(SERVER, [contender], { execArgv: ['--expose-gc'] });
  const next = () => new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error(`${contender} ended`)));
  });
  const ask = (message) => {
    const answer = next();
    child.send(message);
    return answer;
  };
  const { port } = await next();
  return { port, look: () => ask({ look: true }), register: (count) => ask({ register: count }), close: () => child.disconnect() };
}

/** A connection whose first request was answered as it must be. */
function connectTo(port) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST));
    let text = '';
    socket.on('error', reject);
    socket.on('data', function read(bytes) {
      text += bytes;
      if (!text.includes('}')) return;
      socket.off('data', read);
      if (text.endsWith(ANSWER)) resolve(socket);
      else reject(new Error(`answered ${text}`));
    });
  });
}

async function idleConnections({ port, look }) {
  const sockets = [await connectTo(port)];
  const before = await look();
  while (sockets.length <= CONNECTIONS) sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => connectTo(port)))));
  const after = await look();
  for (const socket of sockets) socket.destroy();
  const each = (what) => (after[what] - before[what]) / (sockets.length - 1);
  return { rss: each('rss'), heap: each('heap') };
}

/** Sends requests in batches, each when the one before it is answered, until there were enough of them or it is late. */
async function manyRequests(port) {
  const late = Date.now() + REQUESTS_FOR_MS;
  let answered = 0;
  const send = async () => {
    const socket = await connectTo(port);
    while (answered < REQUESTS && Date.now() < late) {
      await new Promise((resolve) => {
        let found = 0;
        socket.on('data', function count(bytes) {
          found += bytes.toString('latin1').split('"}').length - 1;
          if (found < PIPELINED) return;
          socket.off('data', count);
          resolve();
        });
        socket.write(REQUEST.repeat(PIPELINED));
      });
      answered += PIPELINED;
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: CLIENTS }, send));
  return answered;
}

async function measure(contender) {
  const server = await open(contender);
  try {
    const idle = await server.look();
    const connection = await idleConnections(server);
    await sleep(500);
    const before = await server.look();
    const requests = await manyRequests(server.port);
    await sleep(500);
    const after = await server.look();
    return { idle, connection, requests, grown: { rss: after.rss - before.rss, heap: after.heap - before.heap } };
  } finally {
    server.close();
  }
}

/** Bytes of heap for an endpoint with all five operations, whose functions are shared. */
async function heapOfEndpoint() {
  const server = await open('restpoint');
  try {
    // What is compiled on the way is not the endpoints'.
    await server.register(ENDPOINTS_BEFORE);
    const before = await server.look();
    await server.register(ENDPOINTS);
    return ((await server.look()).heap - before.heap) / ENDPOINTS;
  } finally {
    server.close();
  }
}

const KIB = 1_024;
const mib = ({ median }) => `${(median / KIB / KIB).toFixed(1)} MiB`;
const kib = ({ median }) => `${(median / KIB).toFixed(2)} KiB`;

export async function run({ progress }) {
  const results = Object.fromEntries(CONTENDERS.map((contender) => [contender, []]));
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const contender of CONTENDERS) {
      progress(`${title}: ${contender}, round ${round} of ${ROUNDS}`);
      results[contender].push(await measure(contender));
    }
  }
  const data = { endpointHeap: await heapOfEndpoint() };
  for (const contender of CONTENDERS) {
    const of = (read) => spread(results[contender].map(read));
    data[contender] = {
      idleRss: of(({ idle }) => idle.rss),
      idleHeap: of(({ idle }) => idle.heap),
      connectionRss: of(({ connection }) => connection.rss),
      connectionHeap: of(({ connection }) => connection.heap),
      grownRss: of(({ grown }) => grown.rss),
      grownHeap: of(({ grown }) => grown.heap),
      requests: of(({ requests }) => requests),
    };
  }
  const bare = data['node:http'];
  data.connectionRatio = { rss: data.restpoint.connectionRss.median / bare.connectionRss.median, heap: data.restpoint.connectionHeap.median / bare.connectionHeap.median };
  const rows = CONTENDERS.map((contender) => {
    const its = data[contender];
    return [contender, mib(its.idleRss), mib(its.idleHeap), kib(its.connectionRss), kib(its.connectionHeap), mib(its.grownRss), mib(its.grownHeap), its.requests.median];
  });
  const columns = ['', 'idle RSS', 'idle heap', 'RSS for a connection', 'heap for a connection', 'RSS grown by requests', 'heap grown by them', 'requests'];
  return { columns, rows, notes: notesOf(data), data };
}

function notesOf({ connectionRatio, endpointHeap }) {
  return [
    `Medians of ${ROUNDS} processes each; ${CONNECTIONS} idle connections, each of which had one answer.`,
    `A connection of restpoint's beside one of node:http: RSS ${connectionRatio.rss.toFixed(2)}, heap ${connectionRatio.heap.toFixed(2)}.`,
    `Heap for an endpoint with all five operations, mean of ${ENDPOINTS}: ${(endpointHeap / KIB).toFixed(2)} KiB.`,
    `Up to ${REQUESTS} requests, in ${REQUESTS_FOR_MS / 1_000} s at most; what remains is measured after a collection.`,
  ];
}

await runIfMain(import.meta.url, title, run);
