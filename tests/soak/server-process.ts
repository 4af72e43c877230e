/** The parent's side of the process in which the server of the soak test runs. */
import { Forked } from '../support/forked.ts';

export type Ask = 'start' | 'stop' | 'measure';

/** The resources of the server after a forced collection. Sizes are in bytes. */
export interface Measure {
  readonly heapUsed: number;
  readonly rss: number;
  /** The number of open handles and pending operations of each kind. */
  readonly handles: Readonly<Record<string, number>>;
  /** How many failures the server logged. */
  readonly failures: number;
}

export class ServerProcess {
  readonly #process = new Forked<Ask>(new URL('./server.js', import.meta.url), [], ['--expose-gc']);
  #port = 0;

  /** The port on which it listens since its last start. */
  get port(): number {
    return this.#port;
  }

  async start(): Promise<void> {
    this.#port = (await this.#process.ask('start')) as number;
  }

  async stop(): Promise<void> {
    await this.#process.ask('stop');
  }

  async measure(): Promise<Measure> {
    return (await this.#process.ask('measure')) as Measure;
  }

  async end(): Promise<void> {
    await this.#process.end();
  }
}
