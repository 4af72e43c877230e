/** A temporary PostgreSQL server, on a Unix socket in a temporary folder. Nothing of it stays when it has ended. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadPg, type Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { installDebianPackage, canRun } from '../support/debian-package.ts';

// Debian has a folder for each version, and does not add them to the path.
const VERSIONS = '/usr/lib/postgresql';
// Nothing needs to survive a crash of this machine.
const PATIENCE_MS = 600_000;
const STANDBY_PORT = 5433;
const SETTINGS = '-c fsync=off -c full_page_writes=off -c max_connections=60 -c max_prepared_transactions=5';

/** Returns why PostgreSQL is missing, or `undefined` if it is installed or could be. */
export function missingPostgres(): string | undefined {
  const wasThere = isThere();
  const missing = installDebianPackage('postgresql', isThere);
  // Debian starts its own server after the installation.
  if (!wasThere && missing === undefined) canRun('service', ['postgresql', 'stop']);
  return missing;
}

function isThere(): boolean {
  return canRun(program('initdb'), ['--version']);
}

/** The path of one of PostgreSQL's programs: the newest version that Debian has here, or else the one in `PATH`. */
function program(name: string): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  const paths = versions.map((version) => join(VERSIONS, version, 'bin', name));
  return paths.find((path) => existsSync(path)) ?? name;
}

export class Cluster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'restpoint-pg-'));
  readonly #data = join(this.#folder, 'data');
  readonly #log = join(this.#folder, 'log');
  #admin: Pool | undefined;

  /** Creates it, and starts it. */
  create(): void {
    // PostgreSQL rejects to run as root. Debian's package creates this user.
    if (process.getuid?.() === 0) execFileSync('chown', ['postgres:', this.#folder]);
    this.#run('initdb', '--auth=trust', '--no-sync', '--username=postgres', '--encoding=UTF8', '--locale=C', this.#data);
    this.start();
  }

  start(): void {
    this.#start(this.#data);
  }

  #start(data: string, settings = ''): void {
    this.#run('pg_ctl', 'start', '-w', '-D', data, '-l', this.#log, '-o', `${SETTINGS} ${settings} -c listen_addresses='' -c unix_socket_directories=${this.#folder}`);
  }

  /** Starts a standby, which can only be read, uses it, and removes it. */
  async withStandby(use: (url: string) => Promise<void>): Promise<void> {
    const data = join(this.#folder, 'standby');
    this.#run('pg_basebackup', '-h', this.#folder, '-U', 'postgres', '-D', data, '-R', '-c', 'fast', '--no-sync');
    try {
      this.#start(data, `-p ${STANDBY_PORT}`);
      await use(this.url('postgres').replace('localhost', `localhost:${STANDBY_PORT}`));
    } finally {
      if (existsSync(join(data, 'postmaster.pid'))) this.#run('pg_ctl', 'stop', '-w', '-D', data, '-m', 'immediate');
      rmSync(data, { recursive: true });
    }
  }

  /** Stops it. All connections are lost at once. */
  stop(): void {
    this.#run('pg_ctl', 'stop', '-w', '-m', 'fast');
  }

  /** Stops it, while this process goes on. */
  async stopped(): Promise<void> {
    const [command = '', ...args] = this.#command('pg_ctl', 'stop', '-w', '-m', 'fast');
    await promisify(execFile)(command, args, this.#options);
  }

  /** Makes a standby of it, which follows no other. All connections are lost at once. */
  demote(): void {
    this.stop();
    writeFileSync(join(this.#data, 'standby.signal'), '');
    this.start();
  }

  /** Ends `demote`. Connections stay, and can write again. */
  promote(): void {
    this.#run('pg_ctl', 'promote', '-w');
  }

  /** Empties the database of the tests, after it has closed its connections. Returns its URL. */
  async database(): Promise<string> {
    this.#admin ??= connect(this.url('postgres'));
    const others = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    await this.#admin.query(`SELECT pg_terminate_backend(pid) FROM (${others}) AS other`);
    await this.#admin.query('DROP SCHEMA public CASCADE');
    await this.#admin.query('CREATE SCHEMA public');
    await this.#admin.query('DROP SCHEMA IF EXISTS pgboss CASCADE');
    return this.url('postgres');
  }

  /** The URL of a database, which has a password, so that tests can look where it is shown. */
  url(database: string): string {
    return `postgres://postgres:not-to-be-shown@localhost/${database}?host=${encodeURIComponent(this.#folder)}`;
  }

  /** Stops it, and removes all of it. Does not throw. */
  async end(): Promise<void> {
    await this.#admin?.end();
    if (existsSync(join(this.#data, 'postmaster.pid'))) {
      try {
        this.#run('pg_ctl', 'stop', '-w', '-m', 'immediate');
      } catch (error) {
        console.error(String(error));
      }
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Runs one of PostgreSQL's programs. Throws its output if it fails. */
  #run(name: string, ...args: string[]): void {
    const [command = '', ...rest] = this.#command(name, ...args);
    execFileSync(command, rest, { ...this.#options, stdio: 'pipe' });
  }

  get #options(): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
    return { cwd: this.#folder, env: { ...process.env, PGDATA: this.#data, LC_ALL: 'C' } };
  }

  /** One of PostgreSQL's programs, as a different user than root. */
  #command(name: string, ...args: string[]): readonly string[] {
    const asOther = process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : [];
    return [...asOther, program(name), ...args];
  }
}

/** Connections for a test, to look at the database and to change it. An idle one that is lost is not a failure. */
export function connect(url: string): Pool {
  const options = { connectionTimeoutMillis: PATIENCE_MS, statement_timeout: PATIENCE_MS, query_timeout: PATIENCE_MS };
  const pool = new (loadPg().Pool)({ connectionString: url, ...options });
  pool.on('error', () => {});
  return pool;
}
