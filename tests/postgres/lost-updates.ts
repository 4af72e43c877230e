/**
 * Eight writers of one item with `If-Match`, over PostgreSQL: in one process, in two, and behind HAProxy that sends requests again while
 * processes are killed.
 */
import * as assert from 'uvu/assert';
import { Haproxy } from '../balancer/haproxy.ts';
import type { Child } from '../support/child.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait.ts';
import { countLostOverTwo, countLostWithoutComparison, startInstance, writeOverOne, writeOverTwo } from '../support/lost-updates.ts';
import { createTallies, openTallies, type Tallies } from '../support/tallies.ts';
import { completeTally, TallyWriters } from '../support/tally-writers.ts';
import type { Case, Setting } from './case.ts';
import { retryingConfiguration } from './payments.ts';

const KILL_AFTER = 40;
const FIRST = { counts: [1, 0, 0, 0, 0, 0, 0, 0], revision: 0 };

async function withTallies(url: string, use: (tallies: Tallies) => Promise<void>): Promise<void> {
  await createTallies(url);
  const tallies = openTallies(url);
  try {
    await use(tallies);
  } finally {
    await tallies.close();
  }
}

/** A process that kills itself when it has written some changes, before the response to the last. Then another one takes its place. */
class Mortal {
  readonly #start: () => Child;
  #child: Child;
  #isOver = false;
  kills = 0;

  constructor(place: string, port: number, killAfter: number) {
    this.#start = () => startInstance(place, { killAfter }, port);
    this.#child = this.#start();
    void this.#revive();
  }

  async listens(): Promise<void> {
    await this.#child.waitForOutput(/^listening/m);
  }

  send(signal: NodeJS.Signals): void {
    this.#child.send(signal);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#child.end('SIGKILL');
  }

  async #revive(): Promise<void> {
    for (;;) {
      await this.#child.exit();
      if (this.#isOver) return;
      this.kills += 1;
      this.#child = this.#start();
    }
  }
}

interface Balanced {
  /** Of HAProxy. */
  readonly base: string;
  readonly kills: () => number;
  /** How often HAProxy has sent a request again. */
  readonly retries: () => Promise<number>;
}

/** Two processes behind HAProxy, each of which dies after so many changes. */
async function withMortals({ url, folder }: Setting, killAfter: number, use: (balanced: Balanced) => Promise<void>): Promise<void> {
  const ports = { balancer: await findFreePort(), one: await findFreePort(), two: await findFreePort() };
  const mortals = [ports.one, ports.two].map((port) => new Mortal(url, port, killAfter));
  const haproxy = new Haproxy(folder, retryingConfiguration(folder), ports);
  const kill = (): void => [...mortals, { send: () => haproxy.kill() }].forEach((each) => each.send('SIGKILL'));
  process.once('exit', kill);
  try {
    await Promise.all([haproxy.listens(), ...mortals.map((mortal) => mortal.listens())]);
    await Promise.all([haproxy.untilUp('one'), haproxy.untilUp('two')]);
    await use({
      base: `http://127.0.0.1:${ports.balancer}`,
      kills: () => mortals.reduce((sum, { kills }) => sum + kills, 0),
      retries: async () => (await haproxy.counts()).reduce((sum, each) => sum + (each.server === 'BACKEND' ? each.retries : 0), 0),
    });
  } finally {
    process.off('exit', kill);
    for (const mortal of mortals) await mortal.end();
    await haproxy.end();
  }
}

export const LOST_UPDATES: readonly Case[] = [
  ['none of 400 changes is lost', ({ url }) => withTallies(url, writeOverOne)],
  ['some are lost with a store that does not compare', ({ url }) => withTallies(url, async (tallies) => assert.ok(await countLostWithoutComparison(tallies) > 0))],
  ['over two processes, none of 400 changes is lost', ({ url }) => withTallies(url, () => writeOverTwo(url))],
  ['over two processes, some are lost with a store that does not compare', ({ url }) => withTallies(url, async () => assert.ok(await countLostOverTwo(url) > 0))],
  ['a change that HAProxy sends again, since the process died after it was made, is a 412, and is there', (setting) => withTallies(setting.url, () => (
    withMortals(setting, 1, async ({ base, kills, retries }) => {
      const headers = { 'Content-Type': 'application/json', 'If-Match': '"0"' };
      const response = await fetch(`${base}/v1/tally`, { method: 'PUT', headers, body: JSON.stringify(FIRST) });
      assert.is(response.status, 412);
      assert.is((await response.json() as { readonly detail: string }).detail, 'A condition of the request is not met.');
      assert.equal(await (await fetch(`${base}/v1/tally`)).json(), { ...FIRST, revision: 1 });
      await waitUntil(() => kills() === 1, 'the process to die');
      assert.ok(await retries() > 0);
    })
  ))],
  ['behind HAProxy that sends requests again, none of 400 changes is lost or made twice while the processes are killed', (setting) => withTallies(setting.url, () => (
    withMortals(setting, KILL_AFTER, async ({ base, kills, retries }) => {
      const writers = new TallyWriters(base);
      assert.equal(await writers.run(), completeTally());
      console.log(`      ${kills()} kills, ${await retries()} retries of HAProxy, ${writers.foundMade} changes found made after a 412 or no response`);
      assert.ok(kills() > 0 && writers.foundMade > 0);
    })
  ))],
];
