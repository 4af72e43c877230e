/** A test that needs PostgreSQL. */
import type { Client, Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { PostgresStore } from '../../examples/zoo/store/postgres/postgres-store.ts';
import { waitUntil } from '../support/wait.ts';
import { connect, type Cluster } from './cluster.ts';

export interface Setting {
  readonly cluster: Cluster;
  /** For files, which are removed in the end. */
  readonly folder: string;
  /** Of a database that is empty. */
  readonly url: string;
}

export type Case = readonly [fact: string, show: (setting: Setting) => Promise<void>];

export const SERIALIZABLE = '&options=-c%20default_transaction_isolation%3Dserializable';

/** Opens a store, uses it, and closes it. */
export async function withStore(url: string, use: (store: PostgresStore) => Promise<void>): Promise<void> {
  const store = await PostgresStore.open(url);
  try {
    await use(store);
  } finally {
    await store.close();
  }
}

/** Connects to a database, uses the connections, and closes them. */
export async function withPool(url: string, use: (pool: Pool) => Promise<void>): Promise<void> {
  const pool = connect(url);
  try {
    await use(pool);
  } finally {
    await pool.end();
  }
}

/** Begins a transaction of another client, uses it, and rolls it back unless it was committed. */
export async function withTransaction(url: string, use: (client: Client) => Promise<void>): Promise<void> {
  await withPool(url, async (pool) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await use(client);
    } finally {
      client.release(true);
    }
  });
}

/** Waits until so many statements of other connections wait for locks. */
export async function othersWait(pool: Pool, count = 1): Promise<void> {
  const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await waitUntil(async () => (await pool.query(sql)).rows.length >= count, `${count} statements to wait for a lock`);
}
