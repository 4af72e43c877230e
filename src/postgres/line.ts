/**
 * The line of a database: its server, and the timeline of that, which is a new one after a failover to a standby and after a restore of a
 * backup. The new line can lack the last transactions of the old one, and gives their numbers to others.
 */
import { qualified } from './names.ts';
import type { PostgresPool, PostgresQueries, PostgresResult } from './pool.ts';

/** Stands for the line in a statement of `queryWithLine`. It is an empty string if not all roles may read it. */
export const LINE = '$line';

const FUNCTIONS = ['pg_control_system()', 'pg_control_checkpoint()', 'pg_control_recovery()'];
// After a promotion, the timeline of the last checkpoint is still the old one for a while.
const READ_LINE = `(SELECT to_hex(system_identifier) || '.' || greatest(timeline_id, min_recovery_end_timeline)
  FROM ${FUNCTIONS.join(', ')})`;
// Anybody may read it, unless the provider of the database has revoked that. Asked for all roles, since a transaction can have set its own.
const MAY_READ = `SELECT ${FUNCTIONS.map((name) => `has_function_privilege('public', '${name}', 'EXECUTE')`).join(' AND ')} AS may_read`;

const lines = new WeakMap<PostgresPool, string>();

/** Runs a statement of a pool, which can be a part of a transaction. */
export async function queryWithLine(
  pool: PostgresPool, queries: PostgresQueries, text: string, values: any[] = [],
): Promise<PostgresResult> {
  let line = lines.get(pool);
  if (line === undefined) {
    const { rows: [row] } = await queries.query(MAY_READ);
    line = (row as { readonly may_read: boolean }).may_read ? READ_LINE : `''`;
    lines.set(pool, line);
  }
  return qualified(pool, queries).query(text.replaceAll(LINE, line), values);
}
