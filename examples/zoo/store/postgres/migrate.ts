/**
 * The tables in PostgreSQL. Each migration is a step to the next version of them. It is never changed, since there are databases that have
 * taken it. `zoo_version` has the version of a database.
 */
import type { Client, Pool } from './pg.ts';

// An identity never generates an id twice. It leaves gaps where an insert failed.
const MIGRATIONS = [
  `CREATE TABLE zoo (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL UNIQUE,
    city text NOT NULL
  );
  CREATE TABLE pet (
    id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    zoo bigint NOT NULL REFERENCES zoo,
    name text NOT NULL,
    legs bigint NOT NULL,
    lethal boolean NOT NULL,
    eaten bigint NOT NULL DEFAULT 0
  );
  CREATE INDEX pet_of_zoo ON pet (zoo, id);
  CREATE TABLE photo (
    pet bigint PRIMARY KEY REFERENCES pet ON DELETE CASCADE,
    type text NOT NULL,
    bytes bytea NOT NULL
  )`,
  `CREATE TABLE response (
    key text PRIMARY KEY,
    text text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX response_at ON response (at)`,
  `ALTER TABLE zoo ADD COLUMN revision bigint NOT NULL DEFAULT 1;
  ALTER TABLE pet ADD COLUMN revision bigint NOT NULL DEFAULT 1`,
];
// The key of an advisory lock. Any number will do that nothing else in the database uses.
const LOCK = 2_006_548_110;

/** Brings the tables up to date. If that fails, they stay as they were. Processes that start at the same time wait for each other. */
export async function migrate(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await migrateOver(client);
    client.release();
  } catch (thrown) {
    // This rolls back.
    client.release(true);
    throw thrown;
  }
}

async function migrateOver(client: Client): Promise<void> {
  // At a stricter level, we would see the database as it was before the wait for the lock.
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
  await client.query('CREATE TABLE IF NOT EXISTS zoo_version (version integer NOT NULL)');
  const { rows } = await client.query('SELECT version FROM zoo_version');
  const version = Number(rows[0]?.['version'] ?? 0);
  if (version > MIGRATIONS.length) throw new Error('the database is of a later version of the example');
  for (const migration of MIGRATIONS.slice(version)) await client.query(migration);
  await client.query('DELETE FROM zoo_version');
  await client.query('INSERT INTO zoo_version VALUES ($1)', [MIGRATIONS.length]);
  await client.query('COMMIT');
}
