/**
 * Eight writers of one item with `If-Match`, over PostgreSQL: in one process, in two, and behind HAProxy that sends requests again while
 * processes are killed.
 */
import * as assert from 'uvu/assert';
import { type Balanced, type Instance, withBalancer } from '../balancer/haproxy.ts';
import type { Child } from '../support/child.ts';
import { waitUntil } from '../support/wait.ts';
import { completeTally, countLostOverTwo, countLostWithoutComparison, startInstance, TallyWriters, writeOverOne, writeOverTwo } from '../support/lost-updates.ts';
import { createTallies, openTallies, type Tallies } from '../support/tallies.ts';
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
class Mortal implements Instance {
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

/** Two processes behind HAProxy, each of which dies after so many changes. */
function withMortals({ url, folder }: Setting, killAfter: number, use: (balanced: Balanced<Mortal>) => Promise<void>): Promise<void> {
  return withBalancer(folder, retryingConfiguration(folder), (_, port) => new Mortal(url, port, killAfter), use);
}

export const LOST_UPDATES: readonly Case[] = [
  ['none of 400 changes is lost', ({ url }) => withTallies(url, writeOverOne)],
  ['some are lost with a store that does not compare',
    ({ url }) => withTallies(url, async (tallies) => assert.ok(await countLostWithoutComparison(tallies) > 0))],
  ['over two processes, none of 400 changes is lost', ({ url }) => withTallies(url, () => writeOverTwo(url))],
  ['over two processes, some are lost with a store that does not compare', ({ url }) => withTallies(url, async () => assert.ok(await countLostOverTwo(url) > 0))],
  ['a change that HAProxy sends again, since the process died after it was made, is a 412, and is there', (setting) => withTallies(setting.url, () => (
    withMortals(setting, 1, async ({ one, two, base, retries }) => {
      const headers = { 'Content-Type': 'application/json', 'If-Match': '"0"' };
      const response = await fetch(`${base}/v1/tally`, { method: 'PUT', headers, body: JSON.stringify(FIRST) });
      assert.is(response.status, 412);
      assert.is((await response.json() as { readonly detail: string }).detail, 'A condition of the request is not met.');
      assert.equal(await (await fetch(`${base}/v1/tally`)).json(), { ...FIRST, revision: 1 });
      await waitUntil(() => one.kills + two.kills === 1, 'the process to die');
      assert.ok(await retries() > 0);
    })
  ))],
  ['behind HAProxy that sends requests again, none of 400 changes is lost or made twice while the processes are killed', (setting) => withTallies(setting.url, () => (
    withMortals(setting, KILL_AFTER, async ({ one, two, base, retries }) => {
      const writers = new TallyWriters(base);
      assert.equal(await writers.run(), completeTally());
      console.log(`      ${one.kills + two.kills} kills, ${await retries()} retries of HAProxy, ${writers.foundMade} changes found made after a 412 or no response`);
      assert.ok(one.kills + two.kills > 0 && writers.foundMade > 0);
    })
  ))],
];
