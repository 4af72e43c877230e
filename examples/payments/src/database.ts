/** The tables, and the store of idempotency keys, which opens the transaction that a payment writes in. */
import { Pool, type PoolClient } from 'pg';
import type { IdempotencyClaim, IdempotencyRecord, IdempotencyStore, StoredResponse } from 'restpoint/interceptors';

const TABLES = `
  CREATE TABLE IF NOT EXISTS account (name text PRIMARY KEY, cents bigint NOT NULL CHECK (cents >= 0));
  CREATE TABLE IF NOT EXISTS payment (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payer text NOT NULL REFERENCES account, payee text NOT NULL, cents bigint NOT NULL,
    state text NOT NULL, evidence bytea, created timestamptz NOT NULL DEFAULT now());
  CREATE INDEX IF NOT EXISTS payment_of_payer ON payment (payer, id);
  CREATE TABLE IF NOT EXISTS stored_response (
    key text PRIMARY KEY, fingerprint text NOT NULL, status int NOT NULL, headers jsonb NOT NULL, body bytea,
    created timestamptz NOT NULL DEFAULT now());`;

export async function openDatabase(connectionString: string): Promise<Pool> {
  const pool = new Pool({ connectionString, statement_timeout: 5000 });
  // Otherwise an idle connection that is lost ends the process.
  pool.on('error', () => {});
  await pool.query(TABLES);
  return pool;
}

/** Stores a response in the transaction of the operation: both are there, or neither. */
export class DatabaseKeys implements IdempotencyStore<{ readonly tx: PoolClient }> {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async once(
    claim: IdempotencyClaim | undefined, run: (adds: { readonly tx: PoolClient }) => Promise<StoredResponse>,
  ): Promise<IdempotencyRecord | 'done' | 'running'> {
    const tx = await this.#pool.connect();
    tx.on('error', ignoreError);
    try {
      await tx.query('BEGIN');
      const outcome = claim === undefined ? await run({ tx }).then(() => 'done' as const) : await runOnce(tx, claim, run);
      const { command } = await tx.query('COMMIT');
      // After a statement that failed, COMMIT rolls back, and succeeds.
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back.');
      release(tx);
      return outcome;
    } catch (error) {
      await tx.query('ROLLBACK').then(() => release(tx), () => release(tx, true));
      throw error;
    }
  }
}

async function runOnce(
  tx: PoolClient, { key, fingerprint }: IdempotencyClaim, run: (adds: { readonly tx: PoolClient }) => Promise<StoredResponse>,
): Promise<IdempotencyRecord | 'done' | 'running'> {
  const lock = await tx.query<{ free: boolean }>('SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS free', [key]);
  if (lock.rows[0]?.free !== true) return 'running';
  const found = await tx.query<Stored>('SELECT fingerprint, status, headers, body FROM stored_response WHERE key = $1', [key]);
  const [stored] = found.rows;
  if (stored !== undefined) {
    const { status, headers, body } = stored;
    return { fingerprint: stored.fingerprint, response: { status, headers, body: body ?? undefined } };
  }
  const { status, headers, body } = await run({ tx });
  const bytes = body === undefined ? null : Buffer.from(body);
  await tx.query('INSERT INTO stored_response (key, fingerprint, status, headers, body) VALUES ($1, $2, $3, $4, $5)', [
    key, fingerprint, status, JSON.stringify(headers), bytes,
  ]);
  return 'done';
}

interface Stored {
  fingerprint: string;
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer | null;
}

function ignoreError(): void {}

function release(tx: PoolClient, isBroken = false): void {
  tx.off('error', ignoreError);
  tx.release(isBroken);
}
