/** `wrk` as the client. It is a separate process, so it sends its next request at once, even while this process is busy. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { ENVIRONMENT, installDebianPackage, canRun } from '../support/debian-package.ts';
import type { Load } from './load.ts';

// It reports only at its end.
const ROUND = '5s';
const ROUND_LIMIT_MS = 600_000;

/** Returns why `wrk` is missing, or `undefined` if it is installed or could be. */
export function missingWrk(): string | undefined {
  // It has no option with which it exits with 0.
  return installDebianPackage('wrk', () => canRun('sh', ['-c', 'command -v wrk']));
}

export class Wrk implements Load {
  readonly lost: string[] = [];
  succeeded = 0;
  readonly #clients: number;
  #ends = false;

  constructor(clients: number) {
    this.#clients = clients;
  }

  end(): void {
    this.#ends = true;
  }

  async run(port: number): Promise<void> {
    while (!this.#ends) this.#count(await this.#round(port));
  }

  async #round(port: number): Promise<string> {
    const args = ['-t', '2', '-c', String(this.#clients), '-d', ROUND, '--timeout', '600s', `http://127.0.0.1:${port}/v1/animal/ant`];
    const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'], env: ENVIRONMENT, timeout: ROUND_LIMIT_MS });
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    const exited = once(child, 'exit');
    const report = await text(child.stdout);
    await exited;
    process.off('exit', kill);
    return report;
  }

  #count(report: string): void {
    const requests = /(\d+) requests in /.exec(report)?.[1];
    const rejected = Number(/Non-2xx or 3xx responses: (\d+)/.exec(report)?.[1] ?? 0);
    const broken = (/Socket errors: (.*)/.exec(report)?.[1]?.match(/\d+/g) ?? []).reduce((sum, count) => sum + Number(count), 0);
    if (requests === undefined) this.lost.push(`wrk failed: ${report}`);
    // It counts responses, and those with a different status among them.
    this.succeeded += Number(requests ?? 0) - rejected;
    for (let count = 0; count < rejected; count += 1) this.lost.push('wrk: a response with a different status than 2xx');
    for (let count = 0; count < broken; count += 1) this.lost.push('wrk: a connection that failed');
  }
}
