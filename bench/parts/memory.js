/**
 * The memory of a server at rest, and of an idle connection. Each contender has its own process,
 * which collects its garbage before it is measured. 5,000 connections need 5,000 open files on both sides.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { byName, takeTurns, withContenders } from '../contenders/contenders.js';
import { encodeRequest, OPERATIONS } from '../contenders/operations.js';
import { median } from '../statistics.js';

const KIB = 1024;
const FIGURES = ['rss', 'heap', 'connectionRss', 'connectionHeap'];
const ROUNDS = 3;
const CONNECTIONS = 5_000;
const AT_ONCE = 100;

export const title = 'Memory';

export async function run() {
  const rounds = await takeTurns({ rounds: ROUNDS }, ({ name }) => withProcess(name, measure));
  const computeMedian = (name, key) => Math.round(median(rounds[name].map((figures) => figures[key])));
  return { contenders: byName((name) => Object.fromEntries(FIGURES.map((key) => [key, computeMedian(name, key)]))) };
}

function withProcess(name, use) {
  console.error(`memory: ${name}`);
  return withContenders(([{ child }]) => use(child), [name], ['--expose-gc']);
}

async function measure(child) {
  const port = await child.ask('open');
  const sockets = [await connectTo(port)];
  const before = await child.ask('memory');
  while (sockets.length <= CONNECTIONS) {
    sockets.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => connectTo(port)))));
  }
  const after = await child.ask('memory');
  if (sockets.some(({ closed }) => closed)) throw new Error('a connection was closed while it was measured');
  for (const socket of sockets) socket.destroy();
  const each = (key) => (after[key] - before[key]) / (sockets.length - 1);
  return { ...before, connectionRss: each('rss'), connectionHeap: each('heap') };
}

/** A connection that has had one response. */
export async function connectTo(port) {
  const socket = connect(port, '127.0.0.1');
  socket.write(encodeRequest(OPERATIONS[0]));
  for (let text = ''; !text.endsWith(OPERATIONS[0].expected.body); ) text += (await once(socket, 'data'))[0];
  return socket;
}

export function makeTable({ contenders }) {
  const mib = (bytes) => `${(bytes / KIB / KIB).toFixed(1)} MiB`;
  const kib = (bytes) => `${(bytes / KIB).toFixed(2)} KiB`;
  return {
    notes: `Medians of ${ROUNDS} processes each, with ${CONNECTIONS.toLocaleString('en')} idle connections after one response each.`,
    columns: ['', 'RSS at rest', 'heap at rest', 'RSS of a connection', 'heap of a connection'],
    rows: Object.entries(contenders).map(([name, { rss, heap, connectionRss, connectionHeap }]) => {
      return [name, mib(rss), mib(heap), kib(connectionRss), kib(connectionHeap)];
    }),
  };
}
