/** Many clients at once that connect again and again, and a stop of the server meanwhile. */
import { delay } from '../support/wait.ts';
import { Random } from '../support/random.ts';
import { RawClient } from '../support/raw-client.ts';
import { longQuestion } from './questions.ts';
import type { ServerProcess } from './server-process.ts';
import { Tally } from './tally.ts';
import { visit } from './visits.ts';

// The mean pause of a client between two visits. It limits the rate.
const PAUSE_MS = 1500;
const IN_FLIGHT_AT_STOP = 100;

export class Traffic {
  readonly tally = new Tally();
  readonly #server: ServerProcess;
  readonly #random: Random;
  readonly #visitors: number;
  #isStopping = false;

  constructor(server: ServerProcess, visitors: number, seed: number) {
    this.#server = server;
    this.#visitors = visitors;
    this.#random = new Random(seed);
  }

  /** Runs the clients for so many milliseconds. Resolves after the last visit. */
  async run(ms: number): Promise<void> {
    const end = Date.now() + ms;
    const come = async (): Promise<void> => {
      await delay(this.#random.below(PAUSE_MS));
      while (Date.now() < end) {
        await visit(this.#server.port, this.tally, this.#random, () => this.#isStopping);
        await delay(this.#random.below(2 * PAUSE_MS));
      }
    };
    await Promise.all(Array.from({ length: this.#visitors }, come));
  }

  /** Stops the server with requests in flight, and starts it again. All of these requests must get responses. */
  async restartServer(): Promise<void> {
    const clients = await Promise.all(Array.from({ length: IN_FLIGHT_AT_STOP }, () => RawClient.connect(this.#server.port)));
    const questions = clients.map(() => longQuestion(this.#random));
    clients.forEach((client, index) => client.send(questions[index]?.bytes ?? ''));
    this.tally.requests += clients.length;
    const responded = Promise.all(clients.map((client, index) => this.#expect(client, questions[index]?.body)));
    // Half of the time that the responses take, so that all of the requests are in flight.
    await delay(250);
    this.#isStopping = true;
    await this.#server.stop();
    await responded;
    await this.#server.start();
    this.#isStopping = false;
  }

  async #expect(client: RawClient, body: string | undefined): Promise<void> {
    try {
      const response = await client.response();
      this.tally.responses += 1;
      if (response.body !== body || response.headers.get('connection') !== 'close') this.tally.mistake(`at the stop: ${response.head}`);
    } catch (error) {
      this.tally.lose(1, `at the stop: ${String(error)}`);
    } finally {
      client.destroy();
    }
  }
}
