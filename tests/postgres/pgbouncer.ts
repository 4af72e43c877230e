/** Events behind PgBouncer in transaction mode: it accepts LISTEN, and passes no notification on. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineEndpoint } from '../../src/index.ts';
import { inTransaction, mapUnavailable, postgresEvents, postgresIdempotencyStore, postgresRates } from '../../src/postgres/index.ts';
import { findListener } from '../../src/postgres/listener.ts';
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { canRun, ENVIRONMENT, installDebianPackage } from '../support/debian-package.ts';
import { assert, serve, waitUntil, withTimeout } from '../support/facts.ts';
import { type Case, withPool } from './case.ts';
import { withTwoPools } from './keys.ts';

const PORT = 6432;

/** Returns why PgBouncer is missing, or `undefined` if it is installed or could be. */
export function missingPgbouncer(): string | undefined {
  const isThere = (): boolean => canRun('pgbouncer', ['--version']);
  const wasThere = isThere();
  const missing = installDebianPackage('pgbouncer', isThere);
  // Debian starts its own after the installation.
  if (!wasThere && missing === undefined) canRun('service', ['pgbouncer', 'stop']);
  return missing;
}

/** What docs/postgres.md has for its configuration. */
const readShown = (): string => /```ini\n(.*?)```/s.exec(readFileSync('../../docs/postgres.md', 'utf8'))?.[1] ?? '';

/** Starts a PgBouncer before a database, uses it, and ends it. */
async function withPgbouncer(url: string, use: (url: string) => Promise<void>, settings: string = readShown()): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'restpoint-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const isRoot = process.getuid?.() === 0;
  writeFileSync(file, `[databases]
postgres = host=${new URL(url).searchParams.get('host') ?? ''} user=postgres
[pgbouncer]
listen_addr =
listen_port = ${PORT}
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
${settings}`);
  // It does not run as root.
  if (isRoot) execFileSync('chown', ['-R', 'postgres:', folder]);
  const command = ['pgbouncer', '-q', file];
  const [first = '', ...rest] = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command] : command;
  const child: ChildProcess = spawn(first, rest, { stdio: 'ignore', env: ENVIRONMENT });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  try {
    await waitUntil(() => existsSync(join(folder, `.s.PGSQL.${PORT}`)), 'PgBouncer');
    await use(`postgres://postgres@localhost:${PORT}/postgres?host=${encodeURIComponent(folder)}`);
  } finally {
    kill();
    await ended;
    process.off('exit', kill);
    rmSync(folder, { recursive: true });
  }
}

export const PGBOUNCER: readonly Case[] = [
  ['a setting that is wrong is a logged 500: a pool with statement_timeout without the line of the docs, and a database that is not there', async ({ url }) => {
    const TIMEOUT = 'unsupported startup parameter: statement_timeout';
    for (const [settings, change, expected] of [['', '', TIMEOUT], [undefined, '/nothing?', /no such database|bouncer config error/], [undefined, '', undefined]] as const) {
      await withPgbouncer(url, (proxied) => withPool(change === '' ? proxied : proxied.replace('/postgres?', change), async (pool) => {
        await serve((server) => server.registerEndpoint('/one', defineEndpoint({
          get: async () => ({ one: (await pool.query('SELECT 1 AS one')).rows[0]?.['one'] }),
        })), async (served) => {
          const { status } = await fetch(`${served.url}/v1/one`);
          assert.is(status, expected === undefined ? 200 : 500);
          if (expected !== undefined) assert.match(served.errors.join(), expected);
        }, { mapError: mapUnavailable });
      }), settings);
    }
  }],
  ['it shares connections, so statements lose their names with its first error: rates, keys and events of two processes succeed', async ({ url }) => {
    const claim = (): { key: string; fingerprint: string } => ({ key: String(Math.random()), fingerprint: 'f' });
    const uses = [
      async (pool: Pool) => (await postgresRates(pool).take('a', { limit: 99, windowSeconds: 60, cost: 1 })).isAllowed,
      async (pool: Pool) => await postgresIdempotencyStore(pool).once(claim(), async () => ({ status: 200, headers: {}, body: undefined })) === 'done',
      (pool: Pool) => inTransaction(pool, async (tx) => (await postgresEvents(pool, { channel: 'x' }).append(tx, { event: 'a', data: 1 })) !== ''),
    ];
    await withPgbouncer(url, async (proxied) => {
      for (const use of uses) {
        await withTwoPools(proxied, async (one, two) => {
          for (const pool of [one, two, one, two]) assert.is(await use(pool), true);
          assert.equal((await Promise.all(Array.from({ length: 8 }, (_, at) => use(at % 2 === 0 ? one : two)))).every(Boolean), true);
          await one.query('DROP TABLE item');
        });
      }
    });
  }],
  ['a connection counts as one that listens when a notification has arrived: not behind PgBouncer, where readers poll each second', ({ url }) => {
    return withTwoPools(url, (direct) => withPgbouncer(url, (proxied) => withPool(proxied, async (pool) => {
      for (const [each, listens] of [[direct, true], [pool, false]] as const) {
        const changes = postgresEvents(each, { channel: 'x' });
        const query = each.query.bind(each);
        let probes = 0;
        each.query = async (text, values) => {
          const result = await query(text, values);
          if (text.startsWith('SELECT pg_notify')) probes += 1;
          return result;
        };
        const reader = changes.read({ after: '0-0' });
        const next = reader.next();
        await waitUntil(() => probes === 1, 'a probe');
        await changes.append(direct, { event: 'a', data: 1 });
        assert.is((await withTimeout(next, 'the first event')).value.data, 1);
        if (listens) await waitUntil(() => findListener(each).isListening, 'a notification');
        assert.is(findListener(each).isListening, listens);
        await direct.query('TRUNCATE restpoint_event');
        const second = reader.next();
        await changes.append(direct, { event: 'a', data: 2 });
        assert.is((await withTimeout(second, 'the second event')).value.data, 2);
        assert.is(findListener(each).isListening, listens);
        await reader.return?.();
        await direct.query('TRUNCATE restpoint_event');
      }
    })));
  }],
];
