/** A pool without a database that has as many connections as its `max`, for statements too: what wants more waits, as with `pg`. */
import type { PostgresResult } from '../../src/postgres/index.ts';
import { type FakeClient, FakePool, type Respond } from './fake-pool.ts';

export class BoundedPool extends FakePool {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(max: number, respond?: Respond) {
    super(respond);
    this.options = { max };
    this.#free = max;
  }

  override async query(text: string, values: any[] = []): Promise<PostgresResult> {
    await this.#take();
    return super.query(text, values).finally(() => this.#give());
  }

  override async connect(): Promise<FakeClient> {
    await this.#take();
    const client = await super.connect();
    const release = client.release.bind(client);
    client.query = (text, values) => super.query(text, values);
    client.release = (close) => {
      release(close);
      this.#give();
    };
    return client;
  }

  async #take(): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #give(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
