/**
 * Rolling restarts of a cluster under load lose no request.
 *
 *   npm run restarts -- [--requests 100000]
 *
 * Exits with 1 if a request is lost.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { roll } from './rolling.ts';

const { values } = parseArgs({ options: { requests: { type: 'string', default: '100000' } } });
const begun = Date.now();
const { answered, restarts, connections, lost, exitCode } = await roll({
  workers: Math.max(2, availableParallelism()), clients: 64, requests: Number(values.requests), restarts: 3,
});
const seconds = ((Date.now() - begun) / 1000).toFixed(0);
console.log(`Node ${process.versions.node}: ${answered} answered over ${connections} connections, ${restarts} restarts of all workers, ${seconds} s`);
for (const line of lost.slice(0, 20)) console.log(line);
if (exitCode !== 0) console.log(`the cluster exited with ${exitCode}`);
const failed = lost.length + Number(exitCode !== 0);
console.log(`${answered} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
