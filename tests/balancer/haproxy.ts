/** HAProxy as a child process, with the configuration of the example, and with ports and paths of the test. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ENVIRONMENT, installDebianPackage, canRun } from '../support/debian-package.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait.ts';

export interface BalancerPorts {
  readonly balancer: number;
  readonly one: number;
  readonly two: number;
}

/** One server line of a backend, as HAProxy counts it. */
export interface ServerCounts {
  readonly backend: string;
  readonly server: string;
  readonly status: string;
  readonly requests: number;
  readonly retries: number;
  readonly redispatches: number;
}

/** Returns why HAProxy is missing, or `undefined` if it is installed or could be. */
export function missingHaproxy(): string | undefined {
  return installDebianPackage('haproxy', () => canRun('haproxy', ['-v']));
}

/** The example's configuration with our addresses. Throws if a line that must be replaced is missing. */
function render(example: string, folder: string, { balancer, one, two }: BalancerPorts): string {
  let rendered = example;
  for (const [found, ours] of [
    ['    bind :80\n', `    bind 127.0.0.1:${balancer}\n`],
    ['127.0.0.1:8081', `127.0.0.1:${one}`],
    ['127.0.0.1:8082', `127.0.0.1:${two}`],
    ['/run/haproxy/admin.sock', join(folder, 'admin.sock')],
    // On a busy machine, an instance that is slow is neither down nor full.
    ['    timeout connect 2s\n', '    timeout connect 600s\n    timeout check 600s\n'],
    ['    timeout http-request 10s\n', '    timeout http-request 600s\n'],
    ['    timeout server 65s\n', '    timeout server 600s\n'],
    ['    timeout queue 5s\n', '    timeout queue 600s\n'],
    // These lines need root, and a user that Debian's package creates.
    ['    chroot /var/lib/haproxy\n', ''],
    ['    user haproxy\n', ''],
    ['    group haproxy\n', ''],
  ] as const) {
    if (!rendered.includes(found)) throw new Error(`the example has no ${JSON.stringify(found)}`);
    rendered = rendered.replaceAll(found, ours);
  }
  return rendered;
}

export class Haproxy {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #port: number;
  readonly #socket: string;
  #output = '';

  /** Writes the configuration into the folder, and starts HAProxy with it. */
  constructor(folder: string, example: string, ports: BalancerPorts) {
    const configuration = join(folder, 'haproxy.cfg');
    writeFileSync(configuration, render(readFileSync(example, 'utf8'), folder, ports));
    this.#port = ports.balancer;
    this.#socket = join(folder, 'admin.sock');
    this.#process = spawn('haproxy', ['-db', '-f', configuration], { stdio: ['ignore', 'pipe', 'pipe'], env: ENVIRONMENT });
    this.#process.stdout?.on('data', (chunk) => (this.#output += chunk));
    this.#process.stderr?.on('data', (chunk) => (this.#output += chunk));
    this.#exited = once(this.#process, 'close');
  }

  /** Waits until it accepts connections. */
  async listens(): Promise<void> {
    let accepted = false;
    await waitUntil(() => {
      if (this.#process.exitCode !== null) throw new Error(`haproxy ended: ${this.#output}`);
      const socket = connect(this.#port, '127.0.0.1', () => {
        accepted = true;
        socket.destroy();
      });
      socket.on('error', () => {});
      return accepted;
    }, 'haproxy to listen');
  }

  /** Its log of failed requests, and of servers that went down and up. */
  get complaints(): readonly string[] {
    return this.#output.split('\n').filter((line) => line !== '' && !/ 2\d\d \d+ - - ---- /.test(line));
  }

  async counts(): Promise<readonly ServerCounts[]> {
    const table = (await this.#ask('show stat')).trim().split('\n');
    const [names = [], ...rows] = table.map((line) => line.replace('# ', '').split(','));
    return rows.map((row) => {
      const field = (name: string): string => row[names.indexOf(name)] ?? '';
      return {
        backend: field('pxname'),
        server: field('svname'),
        status: field('status'),
        requests: Number(field('stot')),
        retries: Number(field('wretr')),
        redispatches: Number(field('wredis')),
      };
    });
  }

  /** Whether a server gets requests in each backend, or in none. */
  async #is(server: string, state: 'UP' | 'DOWN'): Promise<boolean> {
    const lines = (await this.counts()).filter((line) => line.server === server);
    return lines.length === 2 && lines.every(({ status }) => status.startsWith(state));
  }

  async untilUp(server: string): Promise<void> {
    await waitUntil(() => this.#is(server, 'UP'), `haproxy to see instance ${server}`);
  }

  async untilOut(server: string): Promise<void> {
    await waitUntil(() => this.#is(server, 'DOWN'), `haproxy to remove instance ${server}`);
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  async end(): Promise<void> {
    this.kill();
    await this.#exited;
  }

  async #ask(command: string): Promise<string> {
    const socket = connect(this.#socket);
    socket.write(`${command}\n`);
    return text(socket);
  }
}

/** What HAProxy sends requests to: a process on a port, and those that take its place. */
export interface Instance {
  /** Resolves when it listens. */
  listens(): Promise<void>;
  end(): Promise<unknown>;
}

export interface Balanced<Started> {
  readonly one: Started;
  readonly two: Started;
  readonly haproxy: Haproxy;
  /** Of HAProxy. */
  readonly base: string;
  /** How often HAProxy has sent a request again. */
  readonly retries: () => Promise<number>;
}

/** Starts two instances and HAProxy with a configuration, uses them, and ends them. */
export async function withBalancer<Started extends Instance>(
  folder: string, configuration: string, start: (name: 'one' | 'two', port: number) => Started, use: (balanced: Balanced<Started>) => Promise<void>,
): Promise<void> {
  const ports = { balancer: await findFreePort(), one: await findFreePort(), two: await findFreePort() };
  const [one, two] = [start('one', ports.one), start('two', ports.two)];
  const haproxy = new Haproxy(folder, configuration, ports);
  const kill = (): void => haproxy.kill();
  process.once('exit', kill);
  try {
    await Promise.all([one.listens(), two.listens(), haproxy.listens()]);
    await Promise.all([haproxy.untilUp('one'), haproxy.untilUp('two')]);
    const retries = async (): Promise<number> => (await haproxy.counts()).reduce((sum, each) => sum + (each.server === 'BACKEND' ? each.retries : 0), 0);
    await use({ one, two, haproxy, base: `http://127.0.0.1:${ports.balancer}`, retries });
  } finally {
    process.off('exit', kill);
    for (const instance of [one, two]) await instance.end();
    await haproxy.end();
  }
}
