/** What eight writers over one tally show, for every store: in one process, and in two. */
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import { Child } from './child.ts';
import { serve } from './serve.ts';
import type { Tallies, Tally } from './tallies.ts';
import type { InstanceOptions } from './tally-instance.ts';
import { REJECTED_BY_STORE, serveTallies } from './tally-server.ts';
import { delay } from './wait.ts';

const PROGRAM = fileURLToPath(new URL('tally-instance.js', import.meta.url));
const WRITERS = 8;
const CHANGES_OF_EACH = 50;
const TIMEOUT_MS = 30_000;
const MAX_JITTER_MS = 6;
const MAX_ATTEMPTS = 5000;

/** The tally when no change is lost and none is made twice. */
export function completeTally(changesOfEach = CHANGES_OF_EACH): Tally {
  return { counts: Array.from({ length: WRITERS }, () => changesOfEach), revision: WRITERS * changesOfEach };
}

/**
 * Eight writers of one tally, as users write them with `fetch`: get it, change it, put it with `If-Match`, and do it all again after a 412.
 * Each writer counts its own changes in the tally.
 */
export class TallyWriters {
  readonly #urls: readonly string[];
  /** The 412s of the comparison before the operation. */
  rejectedByServer = 0;
  /** The 412s of the store, which has compared the versions again. */
  rejectedByStore = 0;
  /** Attempts without a response of the server. */
  unconfirmed = 0;
  /** Changes that a writer found made after a 412, or after no response. */
  foundMade = 0;

  /** The base URLs of the servers, which the writers share out. */
  constructor(...urls: readonly string[]) {
    this.#urls = urls;
  }

  /** Makes so many changes of each writer. Resolves to the tally after them. */
  async run(changesOfEach = CHANGES_OF_EACH): Promise<Tally> {
    await Promise.all(Array.from({ length: WRITERS }, async (_, writer) => {
      for (let made = 0; made < changesOfEach; made += 1) await this.#change(writer, made);
    }));
    return (await this.#get(0)).tally;
  }

  async #change(writer: number, made: number): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      if (await this.#attempt(writer, made).catch(() => this.#note('unconfirmed'))) return;
      await delay(1 + Math.random() * MAX_JITTER_MS);
    }
    throw new Error(`writer ${writer} does not get on`);
  }

  /** Resolves to whether the change is made. */
  async #attempt(writer: number, made: number): Promise<boolean> {
    const { tally, etag } = await this.#get(writer);
    // An attempt before this one was successful, and its response was lost.
    if (tally.counts[writer] === made + 1) return !this.#note('foundMade');
    const counts = tally.counts.map((count, at) => (at === writer ? count + 1 : count));
    const headers = { 'Content-Type': 'application/json', 'If-Match': etag };
    const response = await this.#send(writer, { method: 'PUT', headers, body: JSON.stringify({ ...tally, counts }) });
    if (response.status === 204) return true;
    if (response.status !== 412) throw new Error(`a change got ${response.status}`);
    const { detail } = await response.json() as { readonly detail: string };
    return this.#note(detail === REJECTED_BY_STORE ? 'rejectedByStore' : 'rejectedByServer');
  }

  async #get(writer: number): Promise<{ readonly tally: Tally; readonly etag: string }> {
    const response = await this.#send(writer, {});
    if (response.status !== 200) throw new Error(`a GET got ${response.status}`);
    return { tally: await response.json() as Tally, etag: response.headers.get('ETag') ?? '' };
  }

  #send(writer: number, init: RequestInit): Promise<Response> {
    return fetch(`${this.#urls[writer % this.#urls.length]}/v1/tally`, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
  }

  #note(what: 'rejectedByServer' | 'rejectedByStore' | 'unconfirmed' | 'foundMade'): false {
    this[what] += 1;
    return false;
  }
}

/** Eight writers over a server in this process, which writes none of their first changes before it has compared the versions of all. */
export async function writeOverOne(tallies: Tallies, changesOfEach = CHANGES_OF_EACH): Promise<void> {
  const complete = completeTally(changesOfEach);
  await serve((server) => serveTallies(server, tallies, { together: WRITERS }), async ({ url }) => {
    const writers = new TallyWriters(url);
    assert.equal(await writers.run(changesOfEach), complete);
    assert.ok(writers.rejectedByStore >= WRITERS - 1, `the store has rejected ${writers.rejectedByStore}`);
    assert.equal([writers.unconfirmed, writers.foundMade], [0, 0]);
    // A list may name strings that no version is.
    const list = `"${complete.revision}", "a", "99999999999999999999", "{a,NULL}"`;
    const put = (ifMatch: string): Promise<Response> => {
      const headers = { 'Content-Type': 'application/json', 'If-Match': ifMatch };
      return fetch(`${url}/v1/tally`, { method: 'PUT', headers, body: JSON.stringify(complete) });
    };
    for (const [ifMatch, status] of [[list, 204], [list, 412], ['*', 204], [`W/"${complete.revision + 2}"`, 204], [`"${complete.revision + 2}"`, 412]] as const) {
      assert.is((await put(ifMatch)).status, status);
    }
  });
}

/** The same, with a store that does not get the versions. Resolves to how many changes are lost. */
export async function countLostWithoutComparison(tallies: Tallies, changesOfEach = CHANGES_OF_EACH): Promise<number> {
  let lost = 0;
  await serve((server) => serveTallies(server, tallies, { together: WRITERS, compares: false }), async ({ url }) => {
    const { counts } = await new TallyWriters(url).run(changesOfEach);
    lost = completeTally(changesOfEach).revision - counts.reduce((sum, count) => sum + count, 0);
  });
  return lost;
}

/** Eight writers over two processes with the store at a place. */
export async function writeOverTwo(database: string): Promise<void> {
  await withTwo(database, { together: WRITERS / 2 }, async (...urls) => {
    const writers = new TallyWriters(...urls);
    assert.equal(await writers.run(), completeTally());
    assert.ok(writers.rejectedByStore > 0 && writers.unconfirmed === 0);
  });
}

/** The same as `lostWithoutComparison`, over two processes. */
export async function countLostOverTwo(database: string): Promise<number> {
  let lost = 0;
  await withTwo(database, { together: WRITERS / 2, compares: false }, async (...urls) => {
    const { counts } = await new TallyWriters(...urls).run();
    lost = completeTally().revision - counts.reduce((sum, count) => sum + count, 0);
  });
  return lost;
}

async function withTwo(database: string, options: InstanceOptions, use: (...urls: readonly string[]) => Promise<void>): Promise<void> {
  const instances = [startInstance(database, options), startInstance(database, options)];
  try {
    await use(...await Promise.all(instances.map((instance) => instance.listening())));
  } finally {
    for (const instance of instances) await instance.end('SIGKILL');
  }
}

/** Starts a process that serves the tally at a place. */
export function startInstance(database: string, options: InstanceOptions, port = 0): Child {
  return new Child([PROGRAM, database, JSON.stringify(options), String(port)]);
}
