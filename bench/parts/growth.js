/**
 * What grows with the work: endpoints, idle connections, readers of events, long digits in JSON, documents, statements of PostgreSQL.
 *
 * Each contender has a process of its own, and CPU time is of that process: neither the clients nor other work on the machine count.
 * Polka is left out: it has neither events nor documents.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from '../client.js';
import { BASELINE, withContenders } from '../contenders/contenders.js';
import { EVENT } from '../contenders/growth/common.js';
import { countStatements } from '../contenders/growth/statements.js';
import { median } from '../statistics.js';
import { connectTo } from './memory.js';

const NAMES = ['restpoint', BASELINE, 'fastify', 'hono'];
const KIB = 1024;
const { ROUNDS = '3' } = process.env;
const ENDPOINTS = 1_000;
const CONNECTIONS = 5_000;
const IDLE_MS = 5_000;
const AT_ONCE = 100;
const EVENTS = 10;
const POSTS = 20;
const VECTOR = JSON.stringify(Array.from({ length: 48_000 }, (_, at) => Math.sin(at)));
const POST = `POST /v1/vector/length HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${VECTOR.length}\r\n\r\n${VECTOR}`;

// The folder of the contenders, and the measurement, which resolves to a figure for each of its keys, or to nothing.
const MEASURES = [
  ['growth/', measureEndpoints, ['start', 'heap']],
  ['', measureIdle, ['idle']],
  ['growth/', measureReaders, ['event']],
  ['growth/', measureDigits, ['digits']],
  ['growth/', measureDocument, ['firstDocument', 'nextDocument']],
];

const count = (value) => value.toLocaleString('en');

// What the figures are, and their units.
const FIGURES = {
  start: [`CPU of a start with ${count(ENDPOINTS)} endpoints`, ' ms'],
  heap: ['heap of an endpoint with five operations', ' KiB'],
  idle: [`CPU of ${count(CONNECTIONS)} idle connections, of one core`, ' %'],
  event: [`CPU of an event, for each of ${count(CONNECTIONS)} readers`, ' µs'],
  digits: ['CPU of a request with 1 MB of numbers of 17 digits', ' ms'],
  firstDocument: [`CPU of the OpenAPI document of ${count(ENDPOINTS)} endpoints`, ' ms'],
  nextDocument: ['CPU of the same document again', ' ms'],
};

export const title = 'How cost grows';

export async function run() {
  const data = {};
  for (const [folder, measure, keys] of MEASURES) {
    const rounds = Object.fromEntries(NAMES.map((name) => [name, []]));
    for (let round = 0; round < Number(ROUNDS); round += 1) {
      for (const name of NAMES) {
        console.error(`growth: ${keys[0]} of ${name}`);
        rounds[name].push(await withContenders(([{ child }]) => measure(child), [folder + name], ['--expose-gc']));
      }
    }
    const measured = NAMES.filter((name) => rounds[name][0] !== undefined);
    for (const [at, key] of keys.entries()) {
      data[key] = Object.fromEntries(measured.map((name) => [name, median(rounds[name].map((figures) => figures[at]))]));
    }
  }
  return { rounds: Number(ROUNDS), ...data, statements: await countStatements() };
}

async function measureEndpoints(child) {
  await child.ask('cpu');
  await child.ask('open', { endpoints: ENDPOINTS });
  const cpu = await child.ask('cpu');
  // The first of them compiles the code, which is not counted.
  const before = await child.ask('memory');
  await child.ask('open', { endpoints: ENDPOINTS });
  return [cpu / 1000, ((await child.ask('memory')).heap - before.heap) / ENDPOINTS / KIB];
}

async function measureIdle(child) {
  const port = await child.ask('open');
  await openSockets(() => connectTo(port));
  await child.ask('memory');
  await child.ask('cpu');
  await sleep(IDLE_MS);
  return [(await child.ask('cpu')) / IDLE_MS / 10];
}

async function measureReaders(child) {
  const port = await child.ask('open');
  const [data] = EVENT.split(' ');
  const reading = new Set();
  let received = 0;
  let receive = () => {};
  await openSockets(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write('GET /v1/event HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.on('data', (bytes) => {
      const events = bytes.latin1Slice().split(data).length - 1;
      if (events > 0) reading.add(socket);
      received += events;
      receive();
    });
  });
  // A reader gets the events after it has begun to read.
  while (reading.size < CONNECTIONS) await Promise.all([child.ask('emit'), sleep(500)]);
  for (let before = -1; before !== received; await sleep(500)) before = received;
  const emit = async () => {
    const all = received + CONNECTIONS;
    await Promise.all([child.ask('emit'), new Promise((resolve) => (receive = () => received >= all && resolve()))]);
  };
  for (let event = 0; event < EVENTS; event += 1) await emit();
  await child.ask('cpu');
  for (let event = 0; event < EVENTS; event += 1) await emit();
  return [(await child.ask('cpu')) / EVENTS / CONNECTIONS];
}

async function measureDigits(child) {
  const client = new Client(await child.ask('open'));
  const post = async () => {
    client.send(POST);
    const { status, body } = await client.respond();
    if (status !== 200 || body !== '48000') throw new Error(`a wrong response: ${status} ${body}`);
  };
  for (let at = 0; at < POSTS; at += 1) await post();
  await child.ask('cpu');
  for (let at = 0; at < POSTS; at += 1) await post();
  return [(await child.ask('cpu')) / POSTS / 1000];
}

async function measureDocument(child) {
  if (!(await child.ask('prepareDocument', ENDPOINTS))) return undefined;
  const make = async () => {
    await child.ask('cpu');
    await child.ask('makeDocument');
    return (await child.ask('cpu')) / 1000;
  };
  return [await make(), await make()];
}

async function openSockets(open) {
  for (let opened = 0; opened < CONNECTIONS; opened += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, open));
}

export function makeTable({ rounds, statements, ...data }) {
  const show = (figure, unit) => (figure === undefined ? '' : `${Number(figure.toPrecision(3)).toLocaleString('en')}${unit}`);
  const ratio = (figure, other) => (Number.isFinite(other) ? (figure / other).toFixed(2) : '');
  const makeRow = (label, unit, figures) => {
    const peers = NAMES.slice(2).map((name) => figures[name] ?? Infinity);
    const ratios = [figures[BASELINE], Math.min(...peers)].map((other) => ratio(figures.restpoint, other));
    return [label, ...NAMES.map((name) => show(figures[name], unit)), ...ratios];
  };
  return {
    notes: `${rounds === 1 ? 'One process' : `Medians of ${rounds} processes`} of each contender. Statements of PostgreSQL are counted.`,
    columns: ['', ...NAMES, `beside ${BASELINE}`, 'beside the better peer'],
    rows: [
      ...Object.entries(data).map(([key, figures]) => makeRow(...FIGURES[key], figures)),
      ...Object.entries(statements).map(([what, figures]) => makeRow(`statements of a change ${what}`, '', figures)),
    ],
  };
}
