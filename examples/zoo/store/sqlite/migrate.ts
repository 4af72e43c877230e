/**
 * The tables of the SQLite file. Each migration is a step to the next version of them. It is never changed, since there are files that
 * have taken it. A file has its version in `user_version`.
 */
import type { Database } from './database.ts';

// AUTOINCREMENT: the id of a removed row is not used again.
const MIGRATIONS = [
  // The first version of the example had no zoos, and did not set `user_version`. So its files are at version 0, as new ones are.
  `CREATE TABLE IF NOT EXISTS pet (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    legs INTEGER NOT NULL,
    lethal INTEGER NOT NULL,
    eaten INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  // The pets of such a file move into a zoo.
  `CREATE TABLE zoo (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    city TEXT NOT NULL
  ) STRICT;
  INSERT INTO zoo (name, city) SELECT 'The old zoo', 'unknown' WHERE EXISTS (SELECT 1 FROM pet);
  ALTER TABLE pet ADD COLUMN zoo INTEGER REFERENCES zoo;
  UPDATE pet SET zoo = (SELECT id FROM zoo);
  CREATE INDEX pet_of_zoo ON pet (zoo, id);
  CREATE TABLE photo (
    pet INTEGER PRIMARY KEY REFERENCES pet ON DELETE CASCADE,
    type TEXT NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT`,
  `CREATE TABLE response (
    key TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    at INTEGER NOT NULL DEFAULT (unixepoch())
  ) STRICT;
  CREATE INDEX response_at ON response (at)`,
  `ALTER TABLE zoo ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE pet ADD COLUMN revision INTEGER NOT NULL DEFAULT 1`,
];

/** Brings the tables up to date. If that fails, they stay as they were. */
export function migrate(database: Database): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version > MIGRATIONS.length) throw new Error('the file is of a later version of the example');
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const migration of MIGRATIONS.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
    database.exec('COMMIT');
  } catch (thrown) {
    database.exec('ROLLBACK');
    throw thrown;
  }
}
