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
import { ApiServer, stringId } from 'restpoint';

const PORT = Number(process.env['PORT'] ?? 8080);
const WORKERS = Number(process.env['WORKERS'] ?? availableParallelism());

if (cluster.isPrimary) runPrimary();
else await runWorker();

function runPrimary(): void {
  let workers: readonly Worker[] = [];
  let isStopping = false;

  async function stop(): Promise<void> {
    isStopping = true;
    await Promise.all(workers.map(stopWorker));
  }

  async function start(): Promise<void> {
    const started = await Promise.all(Array.from({ length: WORKERS }, startWorker));
    workers = started.filter((worker) => worker !== undefined);
    if (workers.length === WORKERS) return;
    process.exitCode = 1;
    await stop();
  }

  /** Replaces the workers. A new one listens before an old one stops, so that there are never fewer. */
  async function restart(): Promise<void> {
    for (const old of workers) {
      if (isStopping) return;
      const fresh = await startWorker();
      // An old worker that serves is better than no worker.
      if (fresh === undefined) return console.error('not restarted');
      workers = workers.map((worker) => (worker === old ? fresh : worker));
      await stopWorker(old);
    }
    console.log('restarted');
  }

  // Signals are handled from the beginning, since SIGHUP would end a process that does not.
  let working = start();
  process.on('SIGHUP', () => (working = working.then(restart)));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, async () => {
      isStopping = true;
      await working;
      await stop();
    });
  }
}

/** Starts a worker, and waits until it listens. All workers listen on one port. Resolves to `undefined` if the worker ends first. */
async function startWorker(): Promise<Worker | undefined> {
  const worker = cluster.fork();
  worker.once('listening', ({ port }) => console.log(`worker ${worker.id} is listening on http://127.0.0.1:${port}`));
  await Promise.race([once(worker, 'listening'), once(worker, 'exit')]);
  return worker.isDead() ? undefined : worker;
}

async function stopWorker(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const ended = once(worker, 'exit');
  // It may have ended a moment ago.
  if (worker.isConnected()) worker.send('stop', () => {});
  await ended;
}

async function runWorker(): Promise<void> {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
  server.registerEndpoint('/animal', { id: stringId, get: (name) => ({ name, legs: 4 }) });

  // Ctrl-C reaches the workers too, and so does SIGTERM under systemd. Only the primary decides when they stop.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.once('message', async () => {
    await server.stop();
    // Waits for connections that the primary has passed to this worker just before. `process.disconnect` would lose them.
    cluster.worker?.disconnect();
  });
  const started = await server.start({ port: PORT });
  if (!started.ok) throw new Error(started.error);
}
