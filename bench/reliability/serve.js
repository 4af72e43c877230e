/**
 * One contender in a process of its own, told over the channel of its parent what to do:
 *
 *   node serve.js fastify
 */
import { subscribe } from 'node:diagnostics_channel';
import { Pets } from './contenders/pets.js';

const contender = await import(`./contenders/${process.argv[2]}.js`);
let pets = new Pets();
let server;
let received = 0;
// Counted by Node itself: what a contender has received, it need not have begun.
subscribe('http.server.request.start', () => (received += 1));

const commands = {
  async open(options) {
    pets = new Pets();
    received = 0;
    server = await contender.open(pets, options);
    return server.port;
  },
  /** Milliseconds until the contender says that it is closed. */
  async close() {
    const begin = performance.now();
    await server.close();
    return performance.now() - begin;
  },
  received: () => received,
  shutRooms: () => pets.shut(),
  openRooms: () => pets.open(),
};

process.on('message', async ({ id, command, argument }) => {
  process.send({ id, result: await commands[command](argument) });
});
process.on('disconnect', () => process.exit());
