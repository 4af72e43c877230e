/** A temporary Redis server, on a Unix socket in a temporary folder. Nothing of it stays when it has ended. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDebianPackage, canRun } from '../support/debian-package.ts';
import { waitUntil } from '../support/wait.ts';

/** Returns why Redis is missing, or `undefined` if it is installed or could be. */
export function missingRedis(): string | undefined {
  const isThere = (): boolean => canRun('redis-server', ['--version']);
  const wasThere = isThere();
  const missing = installDebianPackage('redis-server', isThere);
  // Debian starts its own server after the installation.
  if (!wasThere && missing === undefined) canRun('service', ['redis-server', 'stop']);
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
    await waitUntil(() => existsSync(this.#socket), 'Redis to listen');
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
