/** Restarts the workers of the cluster example again and again, while clients send requests without a pause. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../support/child.ts';
import type { Load } from './load.ts';

export interface Rolling {
  readonly workers: number;
  readonly load: Load;
  /** How many requests to send at least. */
  readonly requests: number;
  /** How often to restart all workers at least. */
  readonly restarts: number;
  /** How long a worker that stops keeps an idle connection, in milliseconds: 50 for users. */
  readonly lingerMs: number;
  /** Called after each restart of all workers, with their number. */
  readonly onRestart?: (restarted: number) => void;
}

export interface Rolled {
  readonly restarts: number;
  readonly exitCode: number | null;
}

const EXAMPLES = join(process.cwd(), 'build', 'examples');
// How many restarts to wait for at most.
const MAX_RESTARTS = 1000;

/** Runs the example under load, and restarts its workers until there were enough restarts and requests. */
export async function roll({ workers, load, requests, restarts, lingerMs, onRestart }: Rolling): Promise<Rolled> {
  const program = writeProgram(lingerMs);
  const child = new Child([program], { PORT: '0', WORKERS: String(workers) });
  try {
    const [, port] = await child.waitForOutput(new RegExp(`(?:listening on http://127\\.0\\.0\\.1:(\\d+)\\n[^]*){${workers}}`));
    const ended = load.run(Number(port));
    let restarted = 0;
    while (restarted < MAX_RESTARTS && (restarted < restarts || load.succeeded + load.lost.length < requests)) {
      child.send('SIGHUP');
      restarted += 1;
      await child.waitForOutput(new RegExp(`(?:^restarted\\n[^]*){${restarted}}`, 'm'));
      onRestart?.(restarted);
    }
    load.end();
    await ended;
    return { restarts: restarted, exitCode: await child.end('SIGTERM') };
  } finally {
    load.end();
    await child.end('SIGKILL');
    rmSync(program);
  }
}

/** Writes the example with a longer linger, which is no option, and returns its file. */
function writeProgram(lingerMs: number): string {
  const example = readFileSync(join(EXAMPLES, 'cluster.js'), 'utf8');
  const program = example.replace("new ApiServer('/v1', {", `$& ' internal': { lingerMs: ${lingerMs} },`);
  if (program === example) throw new Error('the example makes no server');
  const file = join(EXAMPLES, `cluster-lingering-${process.pid}.js`);
  writeFileSync(file, program);
  return file;
}
