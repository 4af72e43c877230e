/** Events behind PgBouncer in transaction mode: it accepts LISTEN, and passes no notification on. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { postgresEvents } from '../../src/postgres/index.ts';
import { findListener } from '../../src/postgres/listener.ts';
import { canRun, ENVIRONMENT, installDebianPackage } from '../support/debian-package.ts';
import { waitUntil, withTimeout } from '../support/wait.ts';
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

/** Starts a PgBouncer before a database, uses it, and ends it. */
async function withPgbouncer(url: string, use: (url: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'restpoint-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  const isRoot = process.getuid?.() === 0;
  writeFileSync(file, `[databases]
* = host=${new URL(url).searchParams.get('host') ?? ''} user=postgres
[pgbouncer]
listen_addr =
listen_port = ${PORT}
unix_socket_dir = ${folder}
auth_type = any
pool_mode = transaction
ignore_startup_parameters = statement_timeout
`);
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
