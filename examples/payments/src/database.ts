/** The tables. */
import { Pool } from 'pg';
import { postgresTables } from 'restpoint/postgres';

const TABLES = `
  CREATE TABLE IF NOT EXISTS account (name text PRIMARY KEY, cents bigint NOT NULL CHECK (cents >= 0));
  CREATE TABLE IF NOT EXISTS payment (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, payer text NOT NULL REFERENCES account, payee text NOT NULL REFERENCES account, cents bigint NOT NULL,
    state text NOT NULL, evidence bytea, created timestamptz NOT NULL DEFAULT now());
  CREATE INDEX IF NOT EXISTS payment_of_payer ON payment (payer, id);`;

export async function openDatabase(connectionString: string): Promise<Pool> {
  const pool = new Pool({ connectionString, connectionTimeoutMillis: 5000, statement_timeout: 5000, query_timeout: 10_000 });
  // Otherwise an idle connection that is lost ends the process.
  pool.on('error', () => {});
  await pool.query(TABLES);
  await pool.query(postgresTables());
  return pool;
}
