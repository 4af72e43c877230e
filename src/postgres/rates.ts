/**
 * Counts rates in a table (GCRA), by one statement for each request, so that requests of several processes at the same time exceed no
 * quota. What is missing from a quota is a whole number, as in memory: less by `limit` in each millisecond, more by the milliseconds of the
 * window with each request.
 */
import type { RateStore, RateTaken } from '../interceptors/rate-stores.ts';
import { RATES_TABLE } from './names.ts';
import { checkPool, type PostgresPool } from './pool.ts';
import { checkOutside } from './run-transaction.ts';
import { repeatStatements } from './statement.ts';
import { Sweeper } from './sweeper.ts';

const MINUTE_MS = 60_000;
const CLOCK = '(SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now) AS clock';

/**
 * Counts requests in a table of PostgreSQL: limits are exact for all processes that share the database. Quotas that are whole again are
 * removed. A `rateLimit` of callers must be before a `transaction` in `use`, since it needs a connection of its own.
 *
 * @example
 * ```ts
 * rateLimit({ limit: 100, windowSeconds: 60, store: postgresRates(db) });
 * ```
 * @throws `TypeError` for a value that is not a pool.
 */
export function postgresRates(pool: PostgresPool): RateStore {
  checkPool(pool, 'postgresRates');
  const statements = repeatStatements(pool);
  // More than a window makes a quota whole, and would not fit into a bigint.
  const grown = `greatest(0, kept.missing - least(greatest(0, clock.now - kept.at), $4::bigint) * $5::bigint)`;
  // In minutes, so that few changes reach its index.
  const expires = (now: string, missing: string): string => `ceil((${now} + ${missing} / $5::bigint) / ${MINUTE_MS}.0)::bigint`;
  // The time is the one after the wait for other statements. One that is earlier than theirs is of a clock that was set back.
  const takeRow = `INSERT INTO ${RATES_TABLE} AS kept (key, missing, at, is_allowed, expires)
    SELECT $1::text, $2::bigint, clock.now, true, ${expires('clock.now', '$2::bigint')} FROM ${CLOCK}
    ON CONFLICT (key) DO UPDATE SET (missing, at, is_allowed, expires) = (
      SELECT after.missing, after.now, after.is_allowed, ${expires('after.now', 'after.missing')}
      FROM (
        SELECT before.missing + CASE WHEN before.missing + $2::bigint <= $3::bigint THEN $2::bigint ELSE 0 END AS missing,
          before.missing + $2::bigint <= $3::bigint AS is_allowed, before.now
        FROM (SELECT ${grown} AS missing, clock.now FROM ${CLOCK}) AS before
      ) AS after
    )
    RETURNING missing::text AS missing, is_allowed`;
  const readRow = `SELECT ${grown.replace('$4', '$2').replace('$5', '$3')}::text AS missing, true AS is_allowed
    FROM ${RATES_TABLE} AS kept, ${CLOCK} WHERE key = $1::text`;
  const sweeper = new Sweeper(pool, `DELETE FROM ${RATES_TABLE} WHERE key IN (
    SELECT key FROM ${RATES_TABLE} WHERE expires < extract(epoch FROM now()) / 60 ORDER BY expires LIMIT $1::integer FOR UPDATE SKIP LOCKED)
    RETURNING 1 AS one`);
  return {
    take: async (key, { limit, windowSeconds, cost }) => {
      checkOutside(pool, 'rateLimit with postgresRates');
      const windowMs = windowSeconds * 1000;
      if (cost === 0) return toTaken((await statements.query(readRow, [key, windowMs, limit])).rows[0], limit);
      const { rows: [row] } = await statements.query(takeRow, [key, cost * windowMs, limit * windowMs, windowMs, limit]);
      sweeper.added();
      return toTaken(row, limit);
    },
  };
}

/** The quota of a key without a row is whole. */
function toTaken(row: { readonly missing: string; readonly is_allowed: boolean } | undefined, limit: number): RateTaken {
  return row === undefined ? { isAllowed: true, fullMs: 0 } : { isAllowed: row.is_allowed, fullMs: Number(row.missing) / limit };
}
