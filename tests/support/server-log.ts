/** The log of a server under test. An error in it that the test does not look at fails the test. */
import type { Logger } from '../../src/index.ts';
import { Transcript } from './transcript.ts';

export class ServerLog {
  readonly infos: string[] = [];
  readonly logger: Logger;
  readonly #errors: Error[] = [];
  readonly #transcript = new Transcript();
  #isRead = false;

  constructor() {
    this.logger = {
      info: (message) => {
        this.infos.push(message);
        this.#transcript.log(message);
      },
      error: (error) => {
        this.#errors.push(error);
        this.#transcript.log(error);
      },
    };
  }

  /** Who reads them expects errors. */
  get errors(): readonly Error[] {
    this.#isRead = true;
    return this.#errors;
  }

  /** Uses the server, which has this port. Rejects if the use does, or if the log then has errors that nobody has read. */
  async during(port: number, use: () => Promise<void>): Promise<void> {
    await this.#transcript.during(port, async () => {
      await use();
      if (this.#isRead || this.#errors.length === 0) return;
      throw new Error('the server logged an error that the test does not expect', { cause: this.#errors[0] });
    });
  }
}
