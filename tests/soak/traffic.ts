/** Many visitors at once, each of whom comes again and again, and a stop of the server while they do. */
import { after } from '../support/gate.ts';
import { Random } from '../support/random.ts';
import { RawClient } from '../support/raw-client.ts';
import { longQuestion } from './questions.ts';
import type { ServerProcess } from './server-process.ts';
import { Tally } from './tally.ts';
import { visit } from './visits.ts';

// What bounds the rate: a visitor's mean pause between two visits.
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

  /** Lets the visitors come for so long. Resolves when the last of them has gone. */
  async run(ms: number): Promise<void> {
    const end = Date.now() + ms;
    const come = async (): Promise<void> => {
      await after(this.#random.below(PAUSE_MS));
      while (Date.now() < end) {
        await visit(this.#server.port, this.tally, this.#random, () => this.#isStopping);
        await after(this.#random.below(2 * PAUSE_MS));
      }
    };
    await Promise.all(Array.from({ length: this.#visitors }, come));
  }

  /** Stops the server with requests in flight, all of which must be answered, and starts it again. */
  async restartServer(): Promise<void> {
    const clients = await Promise.all(Array.from({ length: IN_FLIGHT_AT_STOP }, () => RawClient.connect(this.#server.port)));
    const questions = clients.map(() => longQuestion(this.#random));
    clients.forEach((client, index) => client.send(questions[index]?.bytes ?? ''));
    this.tally.requests += clients.length;
    const answered = Promise.all(clients.map((client, index) => this.#expect(client, questions[index]?.body)));
    // Half of the time that the answers take: by then all of the requests are in work.
    await after(250);
    this.#isStopping = true;
    await this.#server.stop();
    await answered;
    await this.#server.start();
    this.#isStopping = false;
  }

  async #expect(client: RawClient, body: string | undefined): Promise<void> {
    try {
      const answer = await client.response();
      this.tally.answers += 1;
      if (answer.body !== body || answer.headers.get('connection') !== 'close') this.tally.mistake(`at the stop: ${answer.head}`);
    } catch (error) {
      this.tally.lose(1, `at the stop: ${String(error)}`);
    } finally {
      client.destroy();
    }
  }
}
