/** One contender in a separate process, which takes commands from its parent: `node serve.js fastify`. */
import { subscribe } from 'node:diagnostics_channel';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { capture, connectTo } from '../memory-clients.js';
import { serveCommands } from './child.js';
import { Pets } from './pets.js';

await warmUpTicks();
const contender = await import(`./${process.argv[2]}.js`);
const captured = capture();
const servers = new Map();
let pets;
let usage;
let received = 0;

serveCommands({
  /** Opens a server with new pets, and returns its port. */
  async open(options) {
    pets = new Pets();
    const server = await contender.open(pets, options);
    servers.set(server.port, server);
    this.emit = server.emit;
    return server.port;
  },
  /** Milliseconds until the server reports that it is closed. */
  async close(port) {
    const begin = performance.now();
    await servers.get(port).close();
    return performance.now() - begin;
  },
  /** Connects clients in memory to the server that had the first request. From then on `round` sends requests. */
  async connect(responseBytes) {
    this.round = connectTo(await captured, responseBytes);
  },
  /** Microseconds of CPU since the last call. */
  cpu() {
    const { user, system } = process.cpuUsage(usage);
    usage = process.cpuUsage();
    return user + system;
  },
  /** Memory after garbage collection. Several collections are needed to free objects that only finalizers and weak references hold. */
  async memory() {
    for (let time = 0; time < 5; time += 1) {
      globalThis.gc();
      await sleep(20);
    }
    const { rss, heapUsed, arrayBuffers } = process.memoryUsage();
    return { rss, heap: heapUsed + arrayBuffers };
  },
  /** Prepares the document of so many endpoints. Resolves to whether the contender has one. */
  async prepareDocument(endpoints) {
    const make = await contender.prepareDocument?.(endpoints);
    this.makeDocument = () => JSON.stringify(make()).length;
    return make !== undefined;
  },
  // Node itself counts them: a contender may have received a request and not begun it.
  countReceived: () => subscribe('http.server.request.start', () => (received += 1)),
  received: () => received,
  shutRooms() {
    this.openRooms = pets.shutRooms();
  },
});

/**
 * V8 decides once in the life of a process how well it compiles `process.nextTick`. Without enough calls before anything
 * else, some processes are slower than others for all of their life.
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
