/** Two zoos over one database behind HAProxy, which restart one after the other while eight clients write. One of them is killed. */
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { Haproxy } from '../balancer/haproxy.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait.ts';
import type { ZooProcess } from '../support/zoo-process.ts';
import { othersWait, withPool, withTransaction, type Case, type Setting } from './case.ts';
import { lostChanges } from './lost-changes.ts';
import { Writers } from './writers.ts';
import { sendAsKeeper, startZoo, TOKEN } from './zoos.ts';

const WRITERS = 8;
// Of all writers together, between two restarts.
const CHANGES = 200;
export const EXAMPLE: string = fileURLToPath(new URL('../../../examples/deploy/haproxy.cfg', import.meta.url));

/** One of the two zoos. Each of its processes listens on the same port. */
export class Instance {
  readonly #name: string;
  readonly #port: number;
  readonly #url: string;
  zoo: ZooProcess;

  constructor(name: string, port: number, url: string) {
    this.#name = name;
    this.#port = port;
    this.#url = url;
    this.zoo = startZoo(url, port);
  }

  /** Ends the process, and starts another. */
  async replace(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.zoo.kill(signal);
    assert.is(await this.zoo.waitUntilEnded(), signal === 'SIGTERM' ? 0 : signal);
    this.zoo = startZoo(this.#url, this.#port);
    await this.zoo.waitUntilOpen();
  }

  /** Ends the process, starts another, and waits until HAProxy uses it. */
  async restart(haproxy: Haproxy, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.replace(signal);
    await haproxy.untilUp(this.#name);
  }
}

export interface Running {
  readonly one: Instance;
  readonly two: Instance;
  readonly haproxy: Haproxy;
  readonly port: number;
}

/** Starts the zoos and HAProxy with a configuration, uses them, and ends them. */
export async function withBalancer({ url, folder }: Setting, use: (running: Running) => Promise<void>, configuration: string = EXAMPLE): Promise<void> {
  const ports = { balancer: await findFreePort(), one: await findFreePort(), two: await findFreePort() };
  const [one, two] = [new Instance('one', ports.one, url), new Instance('two', ports.two, url)];
  const haproxy = new Haproxy(folder, configuration, ports);
  process.once('exit', () => haproxy.kill());
  try {
    await Promise.all([one.zoo.waitUntilOpen(), two.zoo.waitUntilOpen(), haproxy.listens()]);
    await Promise.all([haproxy.untilUp('one'), haproxy.untilUp('two')]);
    await use({ one, two, haproxy, port: ports.balancer });
  } finally {
    for (const { zoo } of [one, two]) zoo.kill('SIGKILL');
    await haproxy.end();
  }
}

/** Waits until the writers have made some changes more. */
async function progress(writers: Writers): Promise<void> {
  const enough = writers.confirmed + CHANGES;
  await waitUntil(() => writers.confirmed >= enough, `the writers do not get on: ${writers.wrong.join('\n')}`);
}

/** Kills an instance while all writers wait for their responses, so that some changes are made whose responses are lost. */
async function crash(url: string, { zoo }: Instance): Promise<void> {
  await withTransaction(url, (client) => withPool(url, async (pool) => {
    await client.query('LOCK TABLE zoo, pet IN SHARE MODE');
    await othersWait(pool, WRITERS);
    zoo.kill('SIGKILL');
    await zoo.waitUntilEnded();
  }));
}

/** Restarts both in turn under load, with a crash in between. */
async function restartAll({ one, two, haproxy, port }: Running, url: string, zoo: number, fed: number): Promise<Writers> {
  const writers = new Writers(port, TOKEN, zoo, fed);
  const ended = writers.run(WRITERS);
  try {
    await progress(writers);
    await one.restart(haproxy, 'SIGTERM');
    await progress(writers);
    const { unconfirmed } = writers;
    await crash(url, two);
    await two.restart(haproxy, 'SIGKILL');
    assert.ok(writers.unconfirmed > unconfirmed, 'the crash left no change without a response');
    await progress(writers);
    await two.restart(haproxy, 'SIGTERM');
    await progress(writers);
  } finally {
    writers.end();
    await ended;
  }
  return writers;
}

const LOST_NOTHING = 'of the changes that eight writers make, none that got a response is lost, and none is made twice';

export const RESTARTS: readonly Case[] = [
  [LOST_NOTHING, (setting) => withBalancer(setting, async (running) => {
    const { url } = setting;
    const base = `http://127.0.0.1:${running.port}`;
    const zoo = Number(await (await sendAsKeeper(base, 'POST', '/v1/zoo', { name: 'Own', city: 'Utrecht' })).text());
    const fed = Number(await (await sendAsKeeper(base, 'POST', `/v1/zoo/${zoo}/pet`, { name: 'Fed', legs: 4, lethal: false })).text());
    const writers = await restartAll(running, url, zoo, fed);
    console.log(`      ${writers.confirmed} changes got a response, ${writers.unconfirmed} did not`);
    await withPool(url, async (pool) => {
      await pool.query(`DELETE FROM pet WHERE name = 'Rex'; DELETE FROM zoo WHERE name = 'The zoo'`);
      const wrong = [...writers.wrong, ...await lostChanges(pool, writers, { zoo: 'Own', pet: 'Fed' })];
      assert.is(wrong.slice(0, 20).join('\n'), '');
    });
  })],
];
