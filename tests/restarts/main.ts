/**
 * Rolling restarts of a cluster under load lose no request.
 *
 *   npm run restarts -- [--requests 100000] [--restarts 3] [--client wrk|own] [--linger 50] [--seconds 100]
 *
 * The client is `wrk` if it is installed or can be, else a client in one process of Node.
 *
 * A client that waits for the processor longer than `--linger` sends a request on a connection that the server has closed in the
 * meantime. The server is not at fault, but the request is lost, and counts as lost. So with 50 ms, which users have, this needs a machine
 * that does nothing else, above all with the client in Node. On a busy one, raise `--linger`.
 *
 * Exits with 1 if a request is lost, or if it is not over after `--seconds`.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Clients } from './clients.ts';
import { roll } from './rolling.ts';
import { missingWrk, Wrk } from './wrk.ts';

const CLIENTS = 64;
const PROGRESS_MS = 5000;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    restarts: { type: 'string', default: '3' },
    client: { type: 'string' },
    linger: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '100' },
  },
});
const missing = values.client === 'own' ? 'a client of our own is asked for' : missingWrk();
if (missing !== undefined && values.client === 'wrk') throw new Error(missing);
const load = missing === undefined ? new Wrk(CLIENTS) : new Clients(CLIENTS);
console.log(missing === undefined ? 'the client is wrk' : `the client is our own: ${missing}`);

const begun = Date.now();
let restarted = 0;

function print(): void {
  console.log(`${((Date.now() - begun) / 1000).toFixed(0)} s: ${load.succeeded} responses, ${restarted} restarts of all workers, ${load.lost.length} failures`);
}

function end(failures: readonly string[]): never {
  print();
  for (const line of [...new Set(failures)].slice(0, 20)) console.log(line);
  console.log(`Node ${process.versions.node}, a linger of ${values.linger} ms\n${load.succeeded} passed, ${failures.length} failed`);
  process.exit(failures.length === 0 ? 0 : 1);
}

setInterval(print, PROGRESS_MS);
setTimeout(() => end([...load.lost, `not over after ${values.seconds} s`]), Number(values.seconds) * 1000);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end([...load.lost, signal]));

const { exitCode } = await roll({
  workers: Math.max(2, availableParallelism()),
  load,
  requests: Number(values.requests),
  restarts: Number(values.restarts),
  lingerMs: Number(values.linger),
  onRestart: (count) => (restarted = count),
}).catch((error: unknown) => end([...load.lost, String(error)]));
end([...load.lost, ...(exitCode === 0 ? [] : [`the cluster exited with ${exitCode}`])]);
