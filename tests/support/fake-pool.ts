/** A pool without a database: it logs what is done with it, and a test says what each statement returns. */
import type { ConnectingPool, PostgresClient, PostgresResult, SharedConnection } from '../../src/postgres/index.ts';

/** Returns the rows of a statement, or throws its error. */
export type Respond = (text: string, values: readonly unknown[]) => PostgresResult | readonly unknown[] | undefined | void | Promise<readonly unknown[]>;

type Listener = (...args: any[]) => void;

/** An error of PostgreSQL. */
export function pgError(code: string, message = `failed with ${code}`): Error {
  return Object.assign(new Error(message), { code });
}

/** A row of the statement that finds tables. */
interface FoundTable { readonly name: string; readonly qualified: string; readonly is_visible: boolean; readonly is_only: boolean }

export function foundTable(name: string, schema: string, is_visible = true, is_only = true): FoundTable {
  return { name: `"restpoint_${name}"`, qualified: `${schema}."restpoint_${name}"`, is_visible, is_only };
}

export class FakePool implements ConnectingPool {
  /** The first word of each statement, and what was done with connections. */
  readonly log: string[] = [];
  readonly statements: { readonly text: string; readonly values: readonly unknown[] }[] = [];
  /** The connections that are not given back. */
  readonly open = new Set<FakeClient>();
  options: { max: number } = { max: 10 };
  /** What is found of the tables, each time. */
  tables: readonly FoundTable[] = ['key', 'rate', 'event'].map((name) => foundTable(name, 'public'));
  finds = 0;
  /** Whether all roles may read the line of the server. */
  mayReadLine = false;
  lineChecks = 0;
  readonly #respond: Respond;

  constructor(respond: Respond = () => []) {
    this.#respond = respond;
  }

  async query(text: string, values: any[] = []): Promise<PostgresResult> {
    if (text.includes('pg_table_is_visible')) return (this.finds += 1, { rows: this.tables });
    if (text.startsWith("SELECT has_function_privilege('public'")) return (this.lineChecks += 1, { rows: [{ may_read: this.mayReadLine }] });
    this.log.push(/^\w+/.exec(text.trim())?.[0] ?? '');
    this.statements.push({ text, values });
    const response = await this.#respond(text, values) ?? [];
    return Array.isArray(response) ? { rows: response, command: this.log.at(-1) ?? '' } : response as PostgresResult;
  }

  async connect(): Promise<FakeClient> {
    this.log.push('connect');
    const client = new FakeClient(this);
    this.open.add(client);
    return client;
  }
}

export class FakeClient implements PostgresClient {
  readonly #pool: FakePool;
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(pool: FakePool) {
    this.#pool = pool;
  }

  query(text: string, values?: any[]): Promise<PostgresResult> {
    return this.#pool.query(text, values);
  }

  release(close = false): void {
    this.#pool.log.push(close ? 'close' : 'release');
    this.#pool.open.delete(this);
  }

  on(event: string, listener: Listener): void {
    this.#listeners.set(event, (this.#listeners.get(event) ?? new Set()).add(listener));
  }

  off(event: string, listener: Listener): void {
    this.#listeners.get(event)?.delete(listener);
  }

  /** As an emitter of Node: an error without a listener is thrown. */
  emit(event: string, value: unknown): void {
    const listeners = [...this.#listeners.get(event) ?? []];
    if (event === 'error' && listeners.length === 0) throw value;
    for (const listener of listeners) listener(value);
  }

  count(event: string): number {
    return this.#listeners.get(event)?.size ?? 0;
  }
}

/** One connection for all, as PGlite. `QueuedShared` runs one transaction at a time, and other statements between them, as PGlite does. */
export class FakeShared implements SharedConnection {
  readonly pool: FakePool;

  constructor(pool: FakePool) {
    this.pool = pool;
  }

  query(text: string, values?: any[]): Promise<PostgresResult> {
    return this.pool.query(text, values);
  }

  async transaction(run: (tx: any) => Promise<any>): Promise<any> {
    this.pool.log.push('begin');
    try {
      const result: unknown = await run(this.pool);
      this.pool.log.push('commit');
      return result;
    } catch (error) {
      this.pool.log.push('rollback');
      throw error;
    }
  }
}

export class QueuedShared extends FakeShared {
  #last: Promise<unknown> = Promise.resolve();

  override query(text: string, values?: any[]): Promise<PostgresResult> {
    return this.#enter(() => super.query(text, values));
  }

  override transaction(run: (tx: any) => Promise<any>): Promise<any> {
    return this.#enter(() => super.transaction(run));
  }

  #enter<T>(run: () => Promise<T>): Promise<T> {
    const entered = this.#last.then(run);
    this.#last = entered.catch(() => {});
    return entered;
  }
}
