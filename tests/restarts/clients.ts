/** Clients in this process, each with one connection at a time. A request without a response counts as lost, for any reason. */
import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { delay } from '../support/wait.ts';
import type { Load } from './load.ts';

const TIMEOUT_MS = 600_000;

export class Clients implements Load {
  readonly lost: string[] = [];
  succeeded = 0;
  #ends = false;
  readonly #clients: number;

  constructor(clients: number) {
    this.#clients = clients;
  }

  end(): void {
    this.#ends = true;
  }

  async run(port: number): Promise<void> {
    await Promise.all(Array.from({ length: this.#clients }, (_, client) => this.#askOnAndOn(port, client)));
  }

  async #askOnAndOn(port: number, client: number): Promise<void> {
    // Some open a connection for each request.
    const agent = new Agent({ keepAlive: client % 8 !== 0, maxSockets: 1 });
    for (let turn = 0; !this.#ends; turn += 1) {
      const name = `${client}-${turn}`;
      try {
        const response = await sendRequest(port, name, agent);
        if (response !== JSON.stringify({ name, legs: 4 })) throw new Error(`the wrong response: ${response.slice(0, 200)}`);
        this.succeeded += 1;
      } catch (error) {
        this.lost.push(`${name}: ${String(error)}`);
      }
      // Now and then a pause, so that connections become idle.
      if (Math.random() < 0.1) await delay(Math.random() * 5);
    }
    agent.destroy();
  }
}

function sendRequest(port: number, name: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ port, host: '127.0.0.1', path: `/v1/animal/${name}`, agent, signal: AbortSignal.timeout(TIMEOUT_MS) });
    request.once('error', reject);
    request.once('response', (response) => void text(response).then(resolve, reject));
  });
}
