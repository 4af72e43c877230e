/** Idempotency keys in SQLite, each in the transaction of its payment. docs/idempotency.md explains it. */
import { DatabaseSync } from 'node:sqlite';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { type IdempotencyClaim, type IdempotencyStore, idempotent, type StoredResponse } from 'restpoint/interceptors';
import { z } from 'zod';

const Account = z.object({ cents: z.int() });

const tx = new DatabaseSync(':memory:');
tx.exec('CREATE TABLE account (id INTEGER PRIMARY KEY, cents INTEGER NOT NULL); INSERT INTO account VALUES (1, 0)');
tx.exec('CREATE TABLE kept (key TEXT PRIMARY KEY, fingerprint TEXT, status INTEGER, headers TEXT, body BLOB)');

type Store = IdempotencyStore<{ readonly tx: DatabaseSync }>;
let last: Promise<unknown> = Promise.resolve();
const keys: Store = {
  once: (claim, run) => {
    const turn = last.then(() => once(claim, run));
    last = turn.catch(() => {});
    return turn;
  },
};

async function once(claim: Parameters<Store['once']>[0], run: Parameters<Store['once']>[1]) {
  tx.exec('BEGIN IMMEDIATE');
  try {
    // A request without a key has no claim.
    const stored = claim && findResponse(claim);
    if (!stored) {
      const response = await run({ tx });
      if (claim) storeResponse(claim, response);
    }
    tx.exec('COMMIT');
    return stored ?? 'done';
  } catch (error) {
    tx.exec('ROLLBACK');
    throw error;
  }
}

function storeResponse({ key, fingerprint }: IdempotencyClaim, { status, headers, body }: StoredResponse) {
  const bytes = body === undefined ? null : Buffer.from(body);
  tx.prepare('INSERT INTO kept VALUES (?, ?, ?, ?, ?)').run(key, fingerprint, status, JSON.stringify(headers), bytes);
}

function findResponse({ key }: IdempotencyClaim) {
  const row = tx.prepare('SELECT * FROM kept WHERE key = ?').get(key);
  if (row === undefined) return undefined;
  const { fingerprint, status, headers, body } = row;
  return {
    fingerprint: String(fingerprint),
    response: { status: Number(status), headers: JSON.parse(String(headers)), body: body instanceof Uint8Array ? body : undefined },
  };
}

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/account': defineEndpoint({
    id: integerId,
    itemCustom: {
      pay: {
        use: idempotent(keys, { required: true }),
        input: z.int32(),
        run: (id, cents, { tx }) => {
          return Account.parse(tx.prepare('UPDATE account SET cents = cents + ? WHERE id = ? RETURNING cents').get(cents, id));
        },
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
