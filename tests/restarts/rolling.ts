/** Restarts the workers of the cluster example again and again, while clients send requests without a pause. */
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after } from '../support/gate.ts';
import { Child } from '../support/child.ts';

export interface Rolling {
  readonly workers: number;
  readonly clients: number;
  /** How many requests to send at least. */
  readonly requests: number;
  /** How often to restart all workers at least. */
  readonly restarts: number;
}

export interface Rolled {
  readonly answered: number;
  readonly restarts: number;
  readonly connections: number;
  /** Why requests were not answered. */
  readonly lost: readonly string[];
  readonly exitCode: number | null;
}

const PROGRAM = join(process.cwd(), 'build', 'examples', 'cluster.js');
// Each client soon sends its last request. Long, so that the result does not depend on how fast the machine is.
const STOP_LINGER_MS = '8000';
const TIMEOUT_MS = 20_000;
// How many restarts to wait for at most.
const MAX_RESTARTS = 1000;

/** Clients of which each has one connection at a time. A request that is not answered counts as lost, whatever the reason. */
class Clients {
  readonly lost: string[] = [];
  answered = 0;
  connections = 0;
  #ends = false;
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  end(): void {
    this.#ends = true;
  }

  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, (_, client) => this.#askOnAndOn(client)));
  }

  async #askOnAndOn(client: number): Promise<void> {
    // Some open a connection for each request.
    const agent = new Agent({ keepAlive: client % 8 !== 0, maxSockets: 1 });
    for (let turn = 0; !this.#ends; turn += 1) {
      const name = `${client}-${turn}`;
      try {
        const answer = await this.#ask(agent, name);
        if (answer !== JSON.stringify({ name, legs: 4 })) throw new Error(`the wrong answer: ${answer.slice(0, 200)}`);
        this.answered += 1;
      } catch (error) {
        this.lost.push(`${name}: ${String(error)}`);
      }
      // Now and then a pause, so that connections become idle.
      if (Math.random() < 0.1) await after(Math.random() * 5);
    }
    agent.destroy();
  }

  #ask(agent: Agent, name: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = get({ port: this.#port, host: '127.0.0.1', path: `/v1/animal/${name}`, agent, signal: AbortSignal.timeout(TIMEOUT_MS) });
      request.once('socket', () => (this.connections += Number(!request.reusedSocket)));
      request.once('error', reject);
      request.once('response', (response) => void text(response).then(resolve, reject));
    });
  }
}

/** Runs the example under load, and restarts its workers until there were enough restarts and requests. */
export async function roll({ workers, clients, requests, restarts }: Rolling): Promise<Rolled> {
  const child = new Child([PROGRAM], { PORT: '0', WORKERS: String(workers), STOP_LINGER_MS });
  try {
    const [, port] = await child.printed(new RegExp(`(?:listening on http://127\\.0\\.0\\.1:(\\d+)\\n[^]*){${workers}}`));
    const load = new Clients(Number(port));
    const ended = load.run(clients);
    let restarted = 0;
    while (restarted < MAX_RESTARTS && (restarted < restarts || load.answered + load.lost.length < requests)) {
      child.send('SIGHUP');
      restarted += 1;
      await child.printed(new RegExp(`(?:^restarted\\n[^]*){${restarted}}`, 'm'));
    }
    load.end();
    await ended;
    const exitCode = await child.end('SIGTERM');
    return { answered: load.answered, restarts: restarted, connections: load.connections, lost: load.lost, exitCode };
  } finally {
    await child.end('SIGKILL');
  }
}
