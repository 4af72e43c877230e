/**
 * What the checks cost: requests over one kept connection in memory, through Node's own HTTP server and parser, to
 * restpoint and to a listener by hand that gives the same bytes; rounds of both in turn. Fastify stands beside them with
 * its own bytes. More than 1.00 is slower than by hand.
 */
import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import fastify from 'fastify';
import { ApiServer, integerId } from '../../../dist/index.js';
import { addRoutes } from '../contenders/fastify.js';
import { flawOf, Pets } from '../contenders/pets.js';
import { handWritten } from '../hand-written.js';

const WARM_UP = 20;
const ROUNDS = 101;
const REQUESTS = 500;

const BODY = '{"name":"a small animal","legs":6,"a":1}';
const GET = 'GET /v1/pet/1 HTTP/1.1\r\nHost: a\r\nAccept: */*\r\n\r\n';
const POST = `POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;

export const title = `Time of a request beside one by hand, median of ${ROUNDS} ratios`;

export async function measure() {
  const rows = [];
  for (const [what, request] of [['Get', GET], [`Create, ${BODY.length} bytes`, POST]]) {
    const servers = [restpoint(), byHand(), await byFastify()];
    const clients = servers.map((server) => memoryClient(server));
    const answers = [];
    for (const client of clients) answers.push(await firstAnswer(client, request));
    if (answers[0] !== answers[1]) throw new Error(`not the same bytes:\n${answers[0]}\n${answers[1]}`);
    const rounds = clients.map(() => []);
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      for (let turn = 0; turn < clients.length; turn += 1) {
        const index = (turn + round) % clients.length;
        rounds[index].push(await timed(clients[index], request));
      }
    }
    rows.push([what, rounds.map((times) => median(times.map((time, round) => time / rounds[1][round]).slice(WARM_UP)).toFixed(2))]);
    rows.push([`${what}, µs`, rounds.map((times) => (median(times.slice(WARM_UP)) / REQUESTS * 1000).toFixed(1))]);
  }
  return rows;
}

function withOnePet() {
  const pets = new Pets();
  pets.insert(JSON.parse(BODY));
  return pets;
}

function decodePet(json) {
  const flaw = flawOf(json);
  if (flaw !== undefined) throw new Error(flaw);
  return json;
}

function restpoint() {
  const pets = withOnePet();
  const api = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  api.registerEndpoint('/pet', { id: integerId, schema: decodePet, create: (pet) => pets.insert(pet), get: (id) => pets.find(id) });
  return createServer(api.requestListener);
}

function byHand() {
  return createServer(handWritten(withOnePet()));
}

async function byFastify() {
  const server = fastify();
  addRoutes(server, withOnePet());
  await server.ready();
  return server.server;
}

/** Gives a function that sends a request, and resolves to what comes back at once. */
function memoryClient(server) {
  const [ours, theirs] = duplexPair();
  server.emit('connection', theirs);
  let use = () => {};
  let received = '';
  ours.setEncoding('latin1').on('data', (text) => {
    received += text;
    const headEnd = received.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
    if (headEnd === -1 || received.length < headEnd + 4 + length) return;
    const answer = received;
    received = '';
    use(answer);
  });
  return (request) => new Promise((resolve) => {
    use = resolve;
    ours.write(request);
  });
}

async function firstAnswer(client, request) {
  return (await client(request)).replace(/\r\nDate: [^\r]*/, '');
}

async function timed(client, request) {
  const begin = performance.now();
  for (let index = 0; index < REQUESTS; index += 1) await client(request);
  return performance.now() - begin;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}
