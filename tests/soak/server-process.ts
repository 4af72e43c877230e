/** The parent's side of the process in which the server of the soak test runs. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

export type Ask = 'start' | 'stop' | 'measure';

export interface Reply {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** What the server uses after a forced collection. Sizes are in bytes. */
export interface Measure {
  readonly heapUsed: number;
  readonly rss: number;
  /** The number of open handles and pending operations of each kind. */
  readonly handles: Readonly<Record<string, number>>;
  /** How many failures the server logged. */
  readonly failures: number;
}

export class ServerProcess {
  readonly #process: ChildProcess;
  readonly #asked = new Map<number, (reply: Reply) => void>();
  #port = 0;

  constructor() {
    this.#process = fork(new URL('./server.js', import.meta.url), { execArgv: ['--expose-gc'] });
    this.#process.on('message', (reply: Reply) => {
      this.#asked.get(reply.number)?.(reply);
      this.#asked.delete(reply.number);
    });
    this.#process.on('exit', (code, signal) => {
      for (const [number, answer] of this.#asked) answer({ number, error: `the server's process ended with ${code ?? signal}` });
      this.#asked.clear();
    });
  }

  /** The port on which it listens since its last start. */
  get port(): number {
    return this.#port;
  }

  async start(): Promise<void> {
    this.#port = (await this.#ask('start')) as number;
  }

  async stop(): Promise<void> {
    await this.#ask('stop');
  }

  async measure(): Promise<Measure> {
    return (await this.#ask('measure')) as Measure;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill();
    await once(this.#process, 'exit');
  }

  async #ask(ask: Ask): Promise<unknown> {
    if (!this.#process.connected) throw new Error(`the server's process ended with ${this.#process.exitCode ?? this.#process.signalCode}`);
    const number = this.#asked.size === 0 ? 0 : Math.max(...this.#asked.keys()) + 1;
    const { value, error } = await new Promise<Reply>((resolve) => {
      this.#asked.set(number, resolve);
      this.#process.send({ number, ask });
    });
    if (error !== undefined) throw new Error(error);
    return value;
  }
}
