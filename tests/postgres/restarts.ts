/** Two zoos over one database behind HAProxy, which restart one after the other while eight clients write. One of them is killed. */
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import type { Pool, Row } from '../../examples/zoo/store/postgres/pg.ts';
import { type Balanced, type Haproxy, type Instance, withBalancer } from '../balancer/haproxy.ts';
import { waitUntil } from '../support/wait.ts';
import type { ZooProcess } from '../support/zoo-process.ts';
import { othersWait, withPool, withTransaction, type Case, type Setting } from './case.ts';
import { sendAsKeeper, startZoo, TOKEN } from './zoos.ts';

const WRITERS = 8;
// Of all writers together, between two restarts.
const CHANGES = 200;
const TIMEOUT_MS = 600_000;
const MAX_TURNS = 5000;
const NO_RESPONSE = [502, 503, 504];
export const EXAMPLE: string = fileURLToPath(new URL('../../../examples/deploy/haproxy.cfg', import.meta.url));

/** A zoo. Each of its processes listens on the same port. */
class ZooInstance implements Instance {
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

  listens(): Promise<void> {
    return this.zoo.waitUntilOpen();
  }

  /** Ends the process, and starts another. */
  async replace(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.zoo.kill(signal);
    assert.is(await this.zoo.waitUntilEnded(), signal === 'SIGTERM' ? 0 : signal);
    this.zoo = startZoo(this.#url, this.#port);
    await this.listens();
  }

  /** Ends the process, starts another, and waits until HAProxy uses it. */
  async restart(haproxy: Haproxy, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    await this.replace(signal);
    await haproxy.untilUp(this.#name);
  }

  async end(): Promise<void> {
    this.zoo.kill('SIGKILL');
    await this.zoo.waitUntilEnded();
  }
}

type BalancedZoos = Balanced<ZooInstance>;

export function withZoosBehind({ url, folder }: Setting, configuration: string, use: (balanced: BalancedZoos) => Promise<void>): Promise<void> {
  return withBalancer(folder, configuration, (name, port) => new ZooInstance(name, port, url), use);
}

/** A pet whose id a writer has received. */
interface ConfirmedPet {
  readonly id: number;
  readonly name: string;
  /** One of these is stored. */
  readonly legs: readonly number[];
  readonly is: 'there' | 'gone' | 'there or gone';
}

interface Received {
  readonly status: number;
  readonly body: string;
}

/**
 * Clients that change zoos and pets without a pause, one change at a time, and note the responses. A response of 2xx or 409 determines the
 * contents of the database. After a 502, 503 or 504, and after a lost connection, a change may or may not have been made. Its writer then leaves
 * that pet alone, since such a change may also be made late.
 */
class Writers {
  readonly pets: ConfirmedPet[] = [];
  /** The names of pets whose insert got no response. */
  readonly unconfirmedPets = new Set<string>();
  /** Zoos by their names: the id that a writer received, or `undefined` if writers received only that the name is taken. */
  readonly zoos = new Map<string, number | undefined>();
  /** The names of zoos whose insert got no response. */
  readonly unconfirmedZoos = new Set<string>();
  readonly meals = { confirmed: 0, unconfirmed: 0 };
  readonly wrong: string[] = [];
  confirmed = 0;
  unconfirmed = 0;
  readonly #port: string;
  readonly #token: string;
  readonly #zoo: number;
  readonly #fed: number;
  readonly #agent = new Agent({ keepAlive: true });
  #ends = false;

  /** `zoo` is the zoo of their pets. `fed` is a pet in it, which all of them feed. */
  constructor(port: string, token: string, zoo: number, fed: number) {
    this.#port = port;
    this.#token = token;
    this.#zoo = zoo;
    this.#fed = fed;
  }

  /** Runs so many of them until `end` is called. Resolves after the last response. */
  async run(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, writer) => this.#write(writer)));
    this.#agent.destroy();
    if (!this.#ends) this.wrong.push(`the writers have made ${MAX_TURNS} changes each before the end`);
  }

  end(): void {
    this.#ends = true;
  }

  async #write(writer: number): Promise<void> {
    for (let turn = 0; turn < MAX_TURNS && !this.#ends; turn += 1) {
      const inserted = await this.#insertPet(`${writer}-${turn}`);
      await this.#feed();
      await this.#insertZoo(`Zoo ${turn}`);
      if (inserted === undefined) continue;
      const changed = await this.#changePet(inserted, turn % 100);
      const leaves = changed.legs.length === 1 && turn % 2 === 0;
      this.pets.push(leaves ? await this.#removePet(changed) : changed);
    }
  }

  async #insertPet(name: string): Promise<ConfirmedPet | undefined> {
    const response = await this.#ask('POST', this.#pathOf(), { name, legs: 4, lethal: false }, [201]);
    if (response !== undefined) return { id: Number(response.body), name, legs: [4], is: 'there' };
    this.unconfirmedPets.add(name);
    return undefined;
  }

  async #changePet(pet: ConfirmedPet, legs: number): Promise<ConfirmedPet> {
    const response = await this.#ask('PATCH', this.#pathOf(pet.id), { legs }, [204]);
    return { ...pet, legs: response === undefined ? [...pet.legs, legs] : [legs] };
  }

  async #removePet(pet: ConfirmedPet): Promise<ConfirmedPet> {
    const response = await this.#ask('DELETE', this.#pathOf(pet.id), undefined, [204]);
    return { ...pet, is: response === undefined ? 'there or gone' : 'gone' };
  }

  async #feed(): Promise<void> {
    const response = await this.#ask('POST', `${this.#pathOf(this.#fed)}/feed`, { grams: 1 }, [200]);
    this.meals[response === undefined ? 'unconfirmed' : 'confirmed'] += 1;
  }

  /** All writers want the same names. */
  async #insertZoo(name: string): Promise<void> {
    const response = await this.#ask('POST', '/v1/zoo', { name, city: 'Utrecht' }, [201, 409]);
    if (response === undefined) {
      this.unconfirmedZoos.add(name);
    } else if (response.status === 409) {
      this.zoos.set(name, this.zoos.get(name));
    } else {
      if (this.zoos.get(name) !== undefined) this.wrong.push(`${name} was stored for two writers`);
      this.zoos.set(name, Number(response.body));
    }
  }

  #pathOf(pet?: number): string {
    return `/v1/zoo/${this.#zoo}/pet${pet === undefined ? '' : `/${pet}`}`;
  }

  /** Returns the response, or `undefined` if there was no response. */
  async #ask(method: string, path: string, json: object | undefined, expected: readonly number[]): Promise<Received | undefined> {
    const response = await this.#send(method, path, json).catch(() => undefined);
    if (response === undefined || NO_RESPONSE.includes(response.status)) {
      this.unconfirmed += 1;
      return undefined;
    }
    if (expected.includes(response.status)) this.confirmed += 1;
    else this.wrong.push(`${method} ${path} -> ${response.status} ${response.body}`);
    return response;
  }

  async #send(method: string, path: string, json: object | undefined): Promise<Received> {
    const body = json === undefined ? '' : JSON.stringify(json);
    const headers = {
      'Authorization': `Bearer ${this.#token}`,
      ...(json === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const sent = request({ port: this.#port, host: '127.0.0.1', agent: this.#agent, method, path, headers, signal });
      sent.once('error', reject);
      sent.once('response', (message) => {
        text(message).then((received) => resolve({ status: message.statusCode ?? 0, body: received }), reject);
      });
      sent.end(body);
    });
  }
}

/** Changes with a response that were lost, and those that were made but not asked for. `own` are the zoo and the pet of the test. */
async function lostChanges(pool: Pool, writers: Writers, own: { readonly zoo: string; readonly pet: string }): Promise<string[]> {
  const pets = await byName(pool, 'pet');
  const zoos = await byName(pool, 'zoo');
  const eaten = Number(pets.get(own.pet)?.[0]?.['eaten']);
  const { confirmed, unconfirmed } = writers.meals;
  return [
    ...lostPets(pets, writers.pets),
    ...findUnrequested(pets, [own.pet, ...writers.unconfirmedPets, ...writers.pets.map(({ name }) => name)]),
    ...[...writers.zoos].flatMap(([name, id]) => lostZoo(zoos.get(name), name, id)),
    ...findUnrequested(zoos, [own.zoo, ...writers.unconfirmedZoos, ...writers.zoos.keys()]),
    ...(eaten >= confirmed && eaten <= confirmed + unconfirmed ? [] : [`${confirmed} meals confirmed, ${unconfirmed} not, and ${eaten} eaten`]),
  ];
}

async function byName(pool: Pool, table: 'pet' | 'zoo'): Promise<Map<string, Row[]>> {
  const rows = new Map<string, Row[]>();
  for (const row of (await pool.query(`SELECT * FROM ${table}`)).rows) {
    const name = String(row['name']);
    rows.set(name, [...(rows.get(name) ?? []), row]);
  }
  return rows;
}

function lostPets(stored: ReadonlyMap<string, readonly Row[]>, confirmed: readonly ConfirmedPet[]): string[] {
  return confirmed.flatMap((pet) => {
    const [row, ...others] = stored.get(pet.name) ?? [];
    const isRight = row === undefined ? pet.is !== 'there' : (
      pet.is !== 'gone' && others.length === 0 && Number(row['id']) === pet.id && pet.legs.includes(Number(row['legs']))
    );
    return isRight ? [] : [`pet ${JSON.stringify(pet)} is stored as ${JSON.stringify(stored.get(pet.name))}`];
  });
}

function lostZoo(rows: readonly Row[] = [], name: string, id: number | undefined): string[] {
  const isRight = rows.length === 1 && (id === undefined || Number(rows[0]?.['id']) === id);
  return isRight ? [] : [`${name}, with the id ${id}, is stored as ${JSON.stringify(rows)}`];
}

/** Rows that were stored without a request, or stored twice. */
function findUnrequested(stored: ReadonlyMap<string, readonly Row[]>, requested: readonly string[]): string[] {
  const names = new Set(requested);
  return [...stored].filter(([name, rows]) => !names.has(name) || rows.length > 1).map(([name, rows]) => `${name} is stored ${rows.length} times`);
}

/** Waits until the writers have made some changes more. */
async function progress(writers: Writers): Promise<void> {
  const enough = writers.confirmed + CHANGES;
  await waitUntil(() => writers.confirmed >= enough, `the writers do not get on: ${writers.wrong.join('\n')}`);
}

/** Kills an instance while all writers wait for their responses, so that some changes are made whose responses are lost. */
async function crash(url: string, { zoo }: ZooInstance): Promise<void> {
  await withTransaction(url, (client) => withPool(url, async (pool) => {
    await client.query('LOCK TABLE zoo, pet IN SHARE MODE');
    await othersWait(pool, WRITERS);
    zoo.kill('SIGKILL');
    await zoo.waitUntilEnded();
  }));
}

/** Restarts both in turn under load, with a crash in between. */
async function restartAll({ one, two, haproxy, base }: BalancedZoos, url: string, zoo: number, fed: number): Promise<Writers> {
  const writers = new Writers(new URL(base).port, TOKEN, zoo, fed);
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
  [LOST_NOTHING, (setting) => withZoosBehind(setting, EXAMPLE, async (balanced) => {
    const { url } = setting;
    const { base } = balanced;
    const zoo = Number(await (await sendAsKeeper(base, 'POST', '/v1/zoo', { name: 'Own', city: 'Utrecht' })).text());
    const fed = Number(await (await sendAsKeeper(base, 'POST', `/v1/zoo/${zoo}/pet`, { name: 'Fed', legs: 4, lethal: false })).text());
    const writers = await restartAll(balanced, url, zoo, fed);
    console.log(`      ${writers.confirmed} changes got a response, ${writers.unconfirmed} did not`);
    await withPool(url, async (pool) => {
      await pool.query(`DELETE FROM pet WHERE name = 'Rex'; DELETE FROM zoo WHERE name = 'The zoo'`);
      const wrong = [...writers.wrong, ...await lostChanges(pool, writers, { zoo: 'Own', pet: 'Fed' })];
      assert.is(wrong.slice(0, 20).join('\n'), '');
    });
  })],
];
