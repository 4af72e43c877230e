/**
 * A server on all cores, and restarts that lose no request.
 *
 *   node build/examples/cluster.js
 *
 * On SIGHUP, the primary process replaces its workers one by one: it starts a new one, waits until that listens, and stops an old one.
 * On SIGTERM and SIGINT, it stops all of them, and ends.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { ApiServer, defineEndpoint, stringId } from 'restpoint';

const PORT = Number(process.env['PORT'] ?? 8080);
// Long enough for clients far away, whose requests take longer to arrive.
const STOP_LINGER_MS = Number(process.env['STOP_LINGER_MS'] ?? 500);
const WORKERS = Number(process.env['WORKERS'] ?? availableParallelism());

if (cluster.isPrimary) await runPrimary();
else await runWorker();

async function runPrimary(): Promise<void> {
  let workers = await Promise.all(Array.from({ length: WORKERS }, startWorker));
  let restarting = Promise.resolve();
  let isStopping = false;

  /** Replaces the workers. A new one listens before an old one stops, so that there are never fewer. */
  async function restart(): Promise<void> {
    for (const old of workers) {
      if (isStopping) return;
      const fresh = await startWorker();
      workers = workers.map((worker) => (worker === old ? fresh : worker));
      await stopWorker(old);
    }
    console.log('restarted');
  }

  process.on('SIGHUP', () => (restarting = restarting.then(restart)));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      isStopping = true;
      await restarting;
      await Promise.all(workers.map(stopWorker));
    });
  }
}

/** Starts a worker, and waits until it listens. All workers share one port. */
async function startWorker(): Promise<Worker> {
  const worker = cluster.fork();
  worker.once('listening', ({ port }) => console.log(`worker ${worker.id} is listening on http://127.0.0.1:${port}`));
  await once(worker, 'listening');
  return worker;
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  worker.send('stop');
  await once(worker, 'exit');
}

async function runWorker(): Promise<void> {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error }, stopLingerMs: STOP_LINGER_MS });
  server.registerEndpoint('/animal', defineEndpoint({ id: stringId, get: (name) => ({ name, legs: 4 }) }));

  // Ctrl-C reaches the workers too. The primary tells them when to stop.
  process.on('SIGINT', () => {});
  process.once('message', async () => {
    await server.stop();
    process.disconnect();
  });
  const started = await server.start({ port: PORT });
  if (!started.ok) throw new Error(started.error);
}
