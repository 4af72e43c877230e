/**
 * One contender in a process of its own, told over the channel of its parent what to do:
 *
 *   node serve.js fastify
 */
import { Pets } from './pets.js';
import { serveCommands } from './child.js';
import { capture, MemoryClients } from '../in-process/memory-clients.js';

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
