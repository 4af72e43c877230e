/** Keys under which clients can repeat requests. A response is stored in the transaction of its change: both are stored, or neither. */
import type { IdempotencyClaim, IdempotencyRecord, IdempotencyStore, StoredResponse } from 'restpoint/interceptors';
import type { Store, Tables } from './store/store.ts';

/** What an idempotent operation has at its request. */
export interface InTransaction {
  /** What it reads and changes. The store itself is not part of the transaction. */
  readonly tx: Tables;
  /** Calls a function when the transaction is committed. */
  readonly afterCommit: (call: () => void) => void;
}

export class StoreKeys implements IdempotencyStore<InTransaction> {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async once(claim: IdempotencyClaim | undefined, run: (adds: InTransaction) => Promise<StoredResponse>): Promise<IdempotencyRecord | 'done' | 'running'> {
    const calls: (() => void)[] = [];
    const outcome = await this.#store.transaction(async ({ responses, ...tx }) => {
      if (claim !== undefined && !await responses.lock(claim.key)) return 'running';
      const kept = claim && await responses.find(claim.key);
      if (kept !== undefined) return parse(kept);
      const response = await run({ tx, afterCommit: (call) => void calls.push(call) });
      if (claim !== undefined) await responses.put(claim.key, format({ fingerprint: claim.fingerprint, response }));
      return 'done';
    });
    for (const call of calls) call();
    return outcome;
  }
}

// A body can be bytes, which JSON cannot carry.
function format({ fingerprint, response: { status, headers, body } }: IdempotencyRecord): string {
  return JSON.stringify({ fingerprint, status, headers, body: body === undefined ? undefined : Buffer.from(body).toString('base64') });
}

function parse(text: string): IdempotencyRecord {
  const { fingerprint, status, headers, body } = JSON.parse(text);
  return { fingerprint, response: { status, headers, body: body === undefined ? undefined : Buffer.from(body, 'base64') } };
}
