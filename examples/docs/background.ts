import { setTimeout } from 'node:timers/promises';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';

const pending = new Set<Promise<void>>();

/** Runs work that no response waits for. */
function runLater(work: (signal: AbortSignal) => Promise<void>) {
  const done = work(AbortSignal.timeout(10_000)).catch(console.error).finally(() => pending.delete(done));
  pending.add(done);
}

const orders: { mailed: boolean }[] = [];
const server = new ApiServer('/v1');
server.registerEndpoints({
  '/order': defineEndpoint({
    id: integerId,
    create: {
      run: () => {
        const order = { mailed: false };
        runLater(async (signal) => {
          await setTimeout(100, undefined, { signal }); // a mail
          order.mailed = true;
        });
        return orders.push(order);
      },
    },
    get: (id) => orders[id - 1],
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
process.once('SIGTERM', async () => {
  await server.stop();
  await Promise.all(pending);
});
