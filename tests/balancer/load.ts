/** Clients with a connection each that send requests without a pause, and check every response. */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { delay } from '../support/wait.ts';

interface Question {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly status: number;
  readonly expected: string;
}

const TIMEOUT_MS = 600_000;
const MAX_TEXT = 6000;

export class Load {
  /** All requests that change something: `POST 3-17`. */
  readonly changes: string[] = [];
  readonly failures: string[] = [];
  readonly responded = new Map<string, number>();
  readonly #port: number;
  readonly #agent: Agent;
  #connections = 0;
  #ends = false;

  constructor(port: number, clients: number) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: clients });
  }

  /** How many connections were opened. */
  get connections(): number {
    return this.#connections;
  }

  /** Sends requests until `end` is called. Resolves after the last response. */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, (_, client) => this.#askOnAndOn(client)));
    this.#agent.destroy();
  }

  end(): void {
    this.#ends = true;
  }

  async #askOnAndOn(client: number): Promise<void> {
    for (let turn = 0; !this.#ends; turn += 1) {
      const question = questionFor(turn, `${client}-${turn}`);
      const { method } = question;
      if (method !== 'GET') this.changes.push(`${method} ${client}-${turn}`);
      try {
        await this.#ask(question);
        this.responded.set(method, (this.responded.get(method) ?? 0) + 1);
      } catch (error) {
        this.failures.push(`${new Date().toISOString()} ${method} ${question.path} (${client}-${turn}): ${String(error)}`);
      }
      // Now and then a pause, so that connections become idle.
      if (Math.random() < 0.2) await delay(Math.random() * 100);
    }
  }

  async #ask({ method, path, body, status, expected }: Question): Promise<void> {
    const response = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const headers = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const asked = request({ port: this.#port, host: '127.0.0.1', agent: this.#agent, method, path, headers, signal });
      asked.once('socket', () => {
        if (!asked.reusedSocket) this.#connections += 1;
      });
      asked.once('error', reject);
      asked.once('response', (message) => {
        text(message).then((received) => resolve({ status: message.statusCode, body: received }), reject);
      });
      asked.end(body);
    });
    if (response.status !== status) throw new Error(`got ${response.status}: ${response.body.slice(0, 200)}`);
    if (response.body !== expected) throw new Error(`the wrong response: ${response.body.slice(0, 200)}`);
  }
}

/** Of ten requests, five are Gets, two Creates, one a Custom operation, one an Update and one a Delete. */
function questionFor(turn: number, marker: string): Question {
  const written = 'abcdefghij'.repeat(Math.floor((Math.random() * MAX_TEXT) / 10));
  const body = JSON.stringify({ marker, text: written });
  const item = `/v1/job/${marker}`;
  switch (turn % 10) {
    case 0:
    case 5:
      return { method: 'POST', path: '/v1/job', body, status: 201, expected: marker };
    case 2: {
      const expected = JSON.stringify({ marker, text: [...written].reverse().join('') });
      return { method: 'POST', path: '/v1/job/reverse', body, status: 200, expected };
    }
    case 4:
      return { method: 'PUT', path: item, body, status: 204, expected: '' };
    case 7:
      return { method: 'DELETE', path: item, status: 204, expected: '' };
    default:
      return { method: 'GET', path: item, status: 200, expected: JSON.stringify({ marker, text: `the text of ${marker}` }) };
  }
}
