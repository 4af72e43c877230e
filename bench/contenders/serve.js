/**
 * One contender in a process of its own, which takes commands from its parent:
 *
 *   node serve.js fastify <URL of the library>
 */
import { subscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { capture, MemoryClients } from '../memory-clients.js';
import { serveCommands } from './child.js';
import { Pets } from './pets.js';

await warmUpTicks();
const contender = await import(`./${process.argv[2]}.js`);
const captured = capture();
let pets;
let server;
let clients;
let begin;
let register;
let received = 0;

serveCommands({
  /** Opens a server with new pets, and returns its port. */
  async open({ keeps, ...options } = {}) {
    pets = new Pets(keeps);
    received = 0;
    server = await contender.open(pets, options);
    return server.port;
  },
  /** Connects clients in memory. */
  async connect(answerBytes) {
    clients = new MemoryClients(await captured, answerBytes);
  },
  /** Sends requests of one operation in memory, and returns the nanoseconds of one. */
  round: ({ operation, requests }) => clients.round(operation, requests),
  beginCount() {
    begin = process.cpuUsage();
  },
  /** Microseconds of CPU since the counting began. */
  endCount() {
    const { user, system } = process.cpuUsage(begin);
    return user + system;
  },
  /** Memory after a collection. It takes several to free what only finalizers and weak references hold. */
  async memory() {
    for (let time = 0; time < 5; time += 1) {
      globalThis.gc();
      await sleep(20);
    }
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    return { rss, heap: heapUsed + arrayBuffers };
  },
  /** Registers further endpoints, where the contender has such. */
  register: (count) => (register ??= contender.registrar())(count),
  /** Milliseconds until the server reports that it is closed. */
  async close() {
    const closing = performance.now();
    await server.close();
    return performance.now() - closing;
  },
  // Node itself counts them: a contender may have received a request and not begun it.
  countReceived: () => subscribe('http.server.request.start', () => (received += 1)),
  received: () => received,
  shutRooms: () => pets.shut(),
  openRooms: () => pets.open(),
});

/**
 * V8 decides once in the life of a process how well it compiles `process.nextTick`. Without this, 5 of 24 processes spent
 * 0.4 µs more on each call; after enough calls before anything else, none did.
 */
async function warmUpTicks() {
  const nothing = () => {};
  for (let turn = 0; turn < 200; turn += 1) {
    for (let time = 0; time < 300; time += 1) {
      process.nextTick(nothing);
      process.nextTick(nothing, 1);
      process.nextTick(nothing, 1, 2);
      process.nextTick(nothing, 1, 2, 3);
    }
    await nextTurn();
  }
}
