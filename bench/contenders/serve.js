/**
 * One contender in a process of its own, told over the channel of its parent what to do:
 *
 *   node serve.js fastify
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Pets } from './pets.js';
import { serveCommands } from './child.js';
import { capture, MemoryClients } from '../in-process/memory-clients.js';

await warmUpTicks();
const { open } = await import(`./${process.argv[2]}.js`);
const captured = capture();
let clients;
let begin;

serveCommands({
  /** Opens the server as its users do, and gives its port. */
  async open() {
    const { port } = await open(new Pets());
    return port;
  },
  /** Proves that the server answers in memory as well, and gives nothing. */
  async connect() {
    clients = new MemoryClients(await captured);
    await clients.prove();
  },
  /** Answers so many requests of an operation in memory, and gives the nanoseconds and the CPU's for each. */
  round: ({ operation, requests }) => clients.round(operation, requests),
  beginCount() {
    begin = process.cpuUsage();
  },
  /** Microseconds of CPU since the counting began. */
  endCount() {
    const { user, system } = process.cpuUsage(begin);
    return user + system;
  },
});

/**
 * Whether V8 compiles `process.nextTick` well is decided once in the life of a process, and is luck: in 5 of 24 it cost
 * 0.4 µs more each time, whoever called it. Called enough before anything else is, it is compiled well (24 of 24).
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
