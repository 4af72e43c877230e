/**
 * The zoo over PostgreSQL: its store passes the table of all stores, and clients get its errors. Zoos that are killed lose no change whose response
 * was sent. The programs of docs/database.md are a CRUD each, and its interceptor commits or rolls back.
 *
 *   npm run test:postgres [-- a regular expression for the names of tests]
 *
 * Starts a PostgreSQL server, and removes it. The last line is `N passed, N failed`. Exits with 0 if none failed, with 1 if
 * not, and with 77 if PostgreSQL, HAProxy or PgBouncer is missing and cannot be installed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingHaproxy } from '../balancer/haproxy.ts';
import { Checks } from '../support/checks.ts';
import { NOT_RUN, waitForInterrupt } from '../support/debian-package.ts';
import { STORE_CASES } from '../support/store-cases.ts';
import { withStore, type Case } from './case.ts';
import { Cluster, missingPostgres } from './cluster.ts';
import { CHECKED_SERVICES } from './checked-services.ts';
import { DATABASES } from './databases.ts';
import { LISTS } from './lists.ts';
import { JOBS } from './jobs.ts';
import { EVENTS } from './events.ts';
import { KEYS } from './keys.ts';
import { KILLED_BOOKINGS } from './killed-bookings.ts';
import { KEYSETS } from './keysets.ts';
import { CHECKED_PROGRAMS } from './checked-programs.ts';
import { PROGRAMS_AT_ONCE } from './programs.ts';
import { PROVIDER_PAYMENTS } from './provider-payments.ts';
import { missingPgbouncer, PGBOUNCER } from './pgbouncer.ts';
import { PGLITE } from './pglite.ts';
import { LOST_UPDATES } from './lost-updates.ts';
import { POOLS } from './pools.ts';
import { PAYMENTS_API } from './payments-api.ts';
import { PAYMENTS_WITH_KEYS } from './payments.ts';
import { QUOTAS } from './quotas.ts';
import { REJECTIONS } from './rejections.ts';
import { TRANSACTIONS } from './transactions.ts';
import { UNAVAILABLE_DATABASES } from './unavailable.ts';
import { VERSIONS } from './versions.ts';
import { WEBHOOKS } from './webhooks.ts';
import { ZOOS } from './zoos.ts';

const CONFORMANCE = STORE_CASES.map(([fact, show]): Case => [fact, ({ url }) => withStore(url, show)]);
const SUITES: readonly (readonly [suite: string, cases: readonly Case[]])[] = [
  ['PostgreSQL', CONFORMANCE],
  ['rejections', REJECTIONS],
  ['unavailable', UNAVAILABLE_DATABASES],
  ['transactions', TRANSACTIONS],
  ['pools', POOLS],
  ['keys', KEYS],
  ['quotas', QUOTAS],
  ['events', EVENTS],
  ['PgBouncer', PGBOUNCER],
  ['keysets', KEYSETS],
  ['PGlite', PGLITE],
  ['bookings', KILLED_BOOKINGS],
  ['the programs of the docs', DATABASES],
  ['programs at once', PROGRAMS_AT_ONCE],
  ['the checks of programs', CHECKED_PROGRAMS],
  ['zoos', ZOOS],
  ['payments', PAYMENTS_WITH_KEYS],
  ['a payments API', PAYMENTS_API],
  ['payments by a provider', PROVIDER_PAYMENTS],
  ['lists', LISTS],
  ['jobs', JOBS],
  ['webhooks', WEBHOOKS],
  ['the versions of the docs', VERSIONS],
  ['eight writers of one item', LOST_UPDATES],
  ['the checks', CHECKED_SERVICES],
];

const checks = new Checks();

async function runAll(cluster: Cluster, folder: string, filter: RegExp): Promise<void> {
  const cases = SUITES.flatMap(([suite, all]) => all.map(([fact, show]) => [`${suite}: ${fact}`, show] as const)).filter(([name]) => filter.test(name));
  if (cases.length === 0) throw new Error('no test has this name');
  for (const [name, show] of cases) await checks.check(name, async () => show({ cluster, folder, url: await cluster.database() }));
}

const missing = missingPostgres() ?? missingHaproxy() ?? missingPgbouncer();
if (missing !== undefined) {
  console.log(`not run: ${missing}`);
  process.exit(NOT_RUN);
}

// Each child process is killed by its own listener when this one exits.
process.setMaxListeners(0);
// The zoo loads `pg` from the folder in which it runs.
process.chdir('tests/compat');
const stopped = waitForInterrupt();
const cluster = new Cluster();
const folder = mkdtempSync(join(tmpdir(), 'restpoint-'));
try {
  cluster.create();
  await checks.check('the tests end', () => Promise.race([runAll(cluster, folder, new RegExp(process.argv[2] ?? '')), stopped]));
} finally {
  await cluster.end();
  rmSync(folder, { recursive: true });
}
console.log(checks.counts);
process.exit(checks.areGood ? 0 : 1);
