/** Two zoos over one database behind HAProxy, whose processes can be replaced. */
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { type Balanced, type Instance, withBalancer } from '../balancer/haproxy.ts';
import type { ZooProcess } from '../support/zoo-process.ts';
import type { Setting } from './case.ts';
import { startZoo } from './zoos.ts';

export const EXAMPLE: string = fileURLToPath(new URL('../../../examples/deploy/haproxy.cfg', import.meta.url));

/** A zoo. Each of its processes listens on the same port. */
class ZooInstance implements Instance {
  readonly #port: number;
  readonly #url: string;
  zoo: ZooProcess;

  constructor(port: number, url: string) {
    this.#port = port;
    this.#url = url;
    this.zoo = startZoo(url, port);
  }

  listens(): Promise<void> {
    return this.zoo.waitUntilOpen();
  }

  /** Kills the process, and starts another. */
  async replace(): Promise<void> {
    this.zoo.kill('SIGKILL');
    assert.is(await this.zoo.waitUntilEnded(), 'SIGKILL');
    this.zoo = startZoo(this.#url, this.#port);
    await this.listens();
  }

  async end(): Promise<void> {
    this.zoo.kill('SIGKILL');
    await this.zoo.waitUntilEnded();
  }
}

export function withZoosBehind({ url, folder }: Setting, configuration: string, use: (balanced: Balanced<ZooInstance>) => Promise<void>): Promise<void> {
  return withBalancer(folder, configuration, (_, port) => new ZooInstance(port, url), use);
}
