/** An instance as a child process. It can be started, stopped as an operator would, and started again on the same port. */
import { Child } from '../support/child.ts';
import type { Instance } from './haproxy.ts';

const PROGRAM = new URL('instance.js', import.meta.url).pathname;

export class InstanceProcess implements Instance {
  /** Its name in the balancer's configuration. */
  readonly name: string;
  readonly #arguments: readonly string[];
  #child: Child | undefined;

  constructor(name: string, port: number, journal: string) {
    this.name = name;
    this.#arguments = [PROGRAM, String(port), journal];
  }

  /** Starts it, and waits until it listens. */
  async listens(): Promise<void> {
    this.#child = new Child(this.#arguments);
    await this.#child.waitForOutput(/^listening$/m);
  }

  /** Makes its health check fail. */
  announceEnd(): void {
    this.#child?.send('SIGUSR2');
  }

  /** Asks it to end. Returns the failures. */
  async stop(): Promise<string[]> {
    const code = await this.#child?.end('SIGTERM');
    return code === 0 ? [] : [`instance ${this.name} exited ${code}: ${this.#child?.output}`];
  }

  /** Kills it. */
  async end(): Promise<void> {
    await this.#child?.end('SIGKILL');
  }
}
