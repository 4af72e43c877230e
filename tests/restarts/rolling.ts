/** Restarts the workers of the cluster example again and again, while clients send requests without a pause. */
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
  readonly stopLingerMs: number;
  /** Called after each restart of all workers, with their number. */
  readonly onRestart?: (restarted: number) => void;
}

export interface Rolled {
  readonly restarts: number;
  readonly exitCode: number | null;
}

const PROGRAM = join(process.cwd(), 'build', 'examples', 'cluster.js');
// How many restarts to wait for at most.
const MAX_RESTARTS = 1000;

/** Runs the example under load, and restarts its workers until there were enough restarts and requests. */
export async function roll({ workers, load, requests, restarts, stopLingerMs, onRestart }: Rolling): Promise<Rolled> {
  const child = new Child([PROGRAM], { PORT: '0', WORKERS: String(workers), STOP_LINGER_MS: String(stopLingerMs) });
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
  }
}
