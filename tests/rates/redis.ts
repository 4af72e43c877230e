/** A temporary Redis server, on a Unix socket in a temporary folder. Nothing of it stays when it has ended. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingPackage, runs } from '../support/debian-package.ts';
import { after } from '../support/gate.ts';

/** Returns why Redis is missing, or `undefined` if it is installed or could be. */
export function missingRedis(): string | undefined {
  const isThere = (): boolean => runs('redis-server', ['--version']);
  const wasThere = isThere();
  const missing = missingPackage('redis-server', isThere);
  // Debian starts its own server after the installation.
  if (!wasThere && missing === undefined) runs('service', ['redis-server', 'stop']);
  return missing;
}

export class Redis {
  readonly #folder = mkdtempSync(join(tmpdir(), 'restpoint-redis-'));
  readonly #socket = join(this.#folder, 'socket');
  #server: ChildProcess | undefined;

  get url(): string {
    return `unix://${this.#socket}`;
  }

  async start(): Promise<void> {
    this.#server = spawn('redis-server', ['--port', '0', '--unixsocket', this.#socket, '--save', '', '--dir', this.#folder], { stdio: 'ignore' });
    for (let attempt = 0; attempt < 500 && !existsSync(this.#socket); attempt += 1) await after(10);
  }

  /** Runs a command, and returns what it prints. */
  run(...args: readonly string[]): string {
    return execFileSync('redis-cli', ['-s', this.#socket, ...args], { encoding: 'utf8' }).trim();
  }

  /** Stops it, and removes all of it. */
  async end(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server?.kill('SIGKILL') === true) await once(server, 'exit');
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
