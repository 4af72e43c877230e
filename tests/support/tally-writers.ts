/**
 * Eight writers of one tally, as users write them with `fetch`: get it, change it, put it with `If-Match`, and do it all again after a 412.
 * Each writer counts its own changes in the tally.
 */
import { delay } from './wait.ts';
import type { Tally } from './tallies.ts';
import { REJECTED_BY_STORE } from './tally-server.ts';

export const WRITERS = 8;
export const CHANGES_OF_EACH = 50;

/** The tally when no change is lost and none is made twice. */
export function completeTally(changesOfEach = CHANGES_OF_EACH): Tally {
  return { counts: Array.from({ length: WRITERS }, () => changesOfEach), revision: WRITERS * changesOfEach };
}

const TIMEOUT_MS = 30_000;
const MAX_JITTER_MS = 6;
const MAX_ATTEMPTS = 5000;

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
