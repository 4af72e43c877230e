/**
 * The programs of docs and examples that have a pool: each operation with as many requests at the same time as the pool has connections, and
 * two more, without a condition and with each that it can have, and with a key. All succeed, the program serves the next request, and no
 * transaction is left open.
 */
import * as assert from 'uvu/assert';
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { findFreePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait.ts';
import { withPool, type Case, type Setting } from './case.ts';
import { servePaymentsApi } from './payments-api.ts';
import { Provider } from './provider.ts';
import { withShownProgram } from './shown-program.ts';
import { CODE, TABLE } from './versions.ts';

// The default of `pg` is 10, and no program has a different one.
const AT_ONCE = 10 + 2;

type Send = (method: string, path: string, init?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown; readonly nth?: number }) => Promise<Response>;

/** A program that runs. */
interface Running {
  readonly send: Send;
  readonly pool: Pool;
  /** What it has printed. */
  readonly output: () => string;
}

interface Operation {
  /** As the program logs it. */
  readonly route: string;
  /** The body of a request. Each has a number of its own. */
  readonly body?: (nth: number) => unknown;
  readonly key?: 'optional' | 'required';
  /** Whether a request without a condition is rejected. */
  readonly isConditional?: boolean;
  /** Whether an item is made for each request, although its path has no id. */
  readonly needsItem?: boolean;
  /** Makes an item, and returns its id. The default is that of the program. */
  readonly makeItem?: MakeItem;
  readonly status?: RegExp;
}

type MakeItem = (running: Running, nth: number) => Promise<string>;

interface Program {
  readonly name: string;
  readonly serve: (setting: Setting, use: (running: Running) => Promise<void>) => Promise<void>;
  readonly makeItem?: MakeItem;
  readonly operations: readonly Operation[];
}

/** A program of a page. */
function shown(
  page: string, name: string, operations: readonly Operation[],
  { headers = {}, changes = {}, makeItem, code, table = '' }: {
    readonly headers?: Readonly<Record<string, string>>; readonly changes?: Readonly<Record<string, string>>; readonly makeItem?: MakeItem;
    readonly code?: string; readonly table?: string;
  } = {},
): Program {
  return {
    name,
    operations,
    ...(makeItem && { makeItem }),
    serve: async ({ url }, use) => {
      const provider = new Provider(() => undefined);
      await provider.serve((at) => withPool(url, (pool) => (
        withShownProgram({ page, name, url, changes: Object.fromEntries(Object.entries(changes).map(([part, changed]) => [part, changed || at])), ...(code !== undefined && { code }) }, async ({ start }) => {
          await pool.query(table);
          const port = await findFreePort();
          const child = await start(port);
          const send: Send = (method, path, { headers: own, body } = {}) => fetch(`http://127.0.0.1:${port}${path}`, {
            method, redirect: 'manual', headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...own },
            ...(body !== undefined && { body: JSON.stringify(body) }),
          });
          await use({ send, pool, output: () => child.output });
        })
      )));
    },
  };
}

const insert = (statement: string): MakeItem => async ({ pool }, nth) => String((await pool.query(statement, [nth])).rows[0]?.['id']);
/** Makes an item by a request. Its id is the end of `Location`, or the body. */
const post = (path: string, body: (nth: number) => unknown): MakeItem => async ({ send }, nth) => {
  const response = await send('POST', path, { body: body(nth), nth, headers: { 'Idempotency-Key': `made-${nth}` } });
  assert.ok(response.ok, `${response.status} ${await response.clone().text()}`);
  return response.headers.get('location')?.split('/').at(-1) ?? await response.text();
};

const pet = (nth: number): object => ({ name: `Rex ${nth}`, legs: 4 });
const CRUD: readonly Operation[] = [
  { route: 'GET /v1/pet' },
  { route: 'POST /v1/pet', body: pet },
  { route: 'GET /v1/pet/:id' },
  { route: 'PUT /v1/pet/:id', body: pet },
  { route: 'DELETE /v1/pet/:id' },
];
const insertPet = insert("INSERT INTO pet (name, legs) VALUES ('Asp ' || $1, 0) RETURNING id");
const report = (): object => ({ year: 2025 });
const charge = (nth: number): object => ({ cents: 100 + nth, card: 'good' });
const csv = (): object => ({ format: 'csv' });
const INVOICE = { amount: '12.50', due: '2026-03-31', sent: '2026-03-02T09:30:00Z' };
const RESULT = /^(?:202|303)$/;

const PROGRAMS: readonly Program[] = [
  ...['pg.ts', 'drizzle.ts', 'prisma.ts'].map((name) => shown('database.md', name, CRUD, { makeItem: insertPet })),
  shown('postgres.md', 'bookings.ts', [
    { route: 'GET /v1/booking' },
    { route: 'POST /v1/booking', body: () => ({ room: 'Blue', nights: 2 }), key: 'optional' },
    { route: 'GET /v1/booking/:id' },
    { route: 'DELETE /v1/booking/:id' },
    { route: 'GET /v1/event' },
  ], { makeItem: insert("INSERT INTO booking (room, nights) VALUES ('Red', $1) RETURNING id"), changes: { 'limit: 100,': 'limit: 100_000,' } }),
  shown('database.md', 'accounts.ts', [
    { route: 'GET /v1/account/:id' },
    { route: 'POST /v1/account/:id/pay', body: () => ({ to: 2, cents: 1 }) },
  ], { makeItem: insert('INSERT INTO account VALUES ($1 + 10, 100) RETURNING id') }),
  shown('idempotency.md', 'shop.ts', [
    { route: 'POST /v1/payment', body: charge, key: 'required' },
    { route: 'GET /v1/payment/:id' },
    { route: 'POST /v1/payment/:id/refund', body: () => ({ cents: 1 }), key: 'required' },
  ], { headers: { Authorization: 'Bearer token-of-ann' }, changes: { 'http://127.0.0.1:8081': '' }, makeItem: post('/v1/payment', charge) }),
  shown('webhooks.md', 'webhook-sender.ts', [
    { route: 'POST /v1/pet', body: (nth) => ({ name: `Rex ${nth}` }) },
    { route: 'GET /v1/pet/:id' },
  ], { makeItem: insert("INSERT INTO pet (name) VALUES ('Asp ' || $1) RETURNING id") }),
  shown('interceptors.md', 'limited-in-postgres.ts', [{ route: 'GET /v1/pet/:id' }], {
    makeItem: async (_, nth) => String(nth), changes: { 'limit: 100,': 'limit: 100_000,' },
  }),
  shown('lists.md', 'list-pets.ts', [{ route: 'GET /v1/pet' }]),
  shown('lists.md', 'page-numbers.ts', [{ route: 'GET /v1/pet' }]),
  shown('decoders.md', 'invoices.ts', [
    { route: 'GET /v1/invoice' },
    { route: 'POST /v1/invoice', body: () => INVOICE },
    { route: 'GET /v1/invoice/:id' },
  ], { makeItem: post('/v1/invoice', () => INVOICE) }),
  shown('files.md', 'rows.ts', [{ route: 'GET /v1/pet/csv' }]),
  shown('operations.md', 'soft-delete.ts', [
    { route: 'GET /v1/pet' },
    { route: 'POST /v1/pet', body: pet },
    { route: 'GET /v1/pet/deleted' },
    { route: 'GET /v1/pet/:id' },
    { route: 'DELETE /v1/pet/:id' },
    { route: 'POST /v1/pet/:id/restore' },
  ], { makeItem: insert("INSERT INTO pet (name) VALUES ('Asp ' || $1) RETURNING id") }),
  shown('long-running-jobs.md', 'reports.ts', [
    { route: 'POST /v1/report', body: report, key: 'optional' },
    { route: 'GET /v1/report/:id', makeItem: insert('INSERT INTO report VALUES (gen_random_uuid(), 2025, $1) RETURNING id') },
    { route: 'GET /v1/job/:id', makeItem: post('/v1/report', report), status: RESULT },
  ]),
  shown('long-running-jobs.md', 'exports.ts', [
    { route: 'POST /v1/export', body: csv },
    { route: 'GET /v1/export/:id', makeItem: post('/v1/export', csv) },
  ]),
  shown('versions.md', 'versions-pg.ts', [
    { route: 'GET /v1/pet/:id' },
    { route: 'PUT /v1/pet/:id', body: (nth) => ({ name: `Rex ${nth}` }), isConditional: true },
  ], { makeItem: insert("INSERT INTO pet VALUES ($1, 'Asp') RETURNING id"), code: CODE, table: TABLE }),
  {
    name: 'examples/payments',
    serve: (setting, use) => servePaymentsApi(setting, async ({ call, pool, output }) => {
      // An account for each, since a caller has 10 payments a second.
      const send: Send = (method, path, { headers, body, nth = 0 } = {}) => call(path, {
        method, account: `payer-${nth}`, headers: { ...(typeof body === 'object' && !(body instanceof FormData) && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
      });
      await pool.query("INSERT INTO account VALUES ('payer-0', 100)");
      await use({ send, pool, output });
    }),
    makeItem: async ({ pool }, nth) => {
      await pool.query(`INSERT INTO account VALUES ('payer-${nth}', 100) ON CONFLICT DO NOTHING`);
      return String((await pool.query(`INSERT INTO payment (payer, payee, cents, state) VALUES ('payer-${nth}', 'bob', 1, 'paid') RETURNING id`)).rows[0]?.['id']);
    },
    operations: [
      { route: 'GET /v1/currency' },
      { route: 'GET /v1/currency/:id', makeItem: async () => 'EUR' },
      { route: 'GET /v1/payment', needsItem: true },
      { route: 'POST /v1/payment', body: () => ({ to: 'bob', cents: 1 }), key: 'required', needsItem: true },
      { route: 'GET /v1/payment/:id' },
      {
        route: 'POST /v1/payment/:id/dispute',
        body: () => {
          const form = new FormData();
          form.set('reason', 'not mine');
          form.set('document', new File(['%PDF-1.7'], 'letter.pdf', { type: 'application/pdf' }));
          return form;
        },
      },
    ],
  },
];

const ANY = { 'If-Match': '*' };
const LATER = { 'If-Unmodified-Since': 'Fri, 31 Dec 2100 23:59:59 GMT' };

/** The conditions that requests of an operation can have. `version` is the version of an item, if it has one. */
function conditionsOf({ route, isConditional }: Operation, version: string | null): readonly Readonly<Record<string, string>>[] {
  const isOfItem = route.includes('/:id');
  return [
    ...(isConditional === true ? [] : [{}]), ...(isOfItem ? [ANY] : []), ...(version === null ? [] : [{ 'If-Match': version }]),
    ...(isOfItem && isConditional !== true ? [LATER] : []),
  ];
}

// More than an `integer` and a `bigint` of PostgreSQL hold, and no text.
const ODD_IDS = ['3000000000', '18446744073709551615', '%00'];
const LONG = Array.from({ length: 10_000 }, (_, at) => at.toString(36)).join('');
// Each string of the body is one of these.
const ODD_STRINGS = ['\0', LONG, '+275760-09-13T00:00:00.000Z', '2026-02-30T00:00:00Z'];

/** Sends ids, strings and numbers that PostgreSQL cannot store. */
async function checkOddValues({ send, output }: Running, { route, body, key }: Operation, makeId: (nth: number) => Promise<string>): Promise<void> {
  const [method = '', path = ''] = route.split(' ');
  const ids = path.includes(':id') ? ODD_IDS.map((id) => [id, body?.(0)] as const) : [];
  const change = (value: unknown, odd: unknown): unknown => (typeof value === typeof odd ? odd : value);
  const odd = body === undefined || body(0) instanceof FormData ? [] : [...ODD_STRINGS, Number.MAX_SAFE_INTEGER, 2 ** 31, 1e300].map((each) => (
    ['', Object.fromEntries(Object.entries(Object(body(0)) as object).map(([name, value]) => [name, change(value, each)]))] as const
  ));
  for (const [at, [oddId, sent]] of [...ids, ...odd].entries()) {
    const id = oddId || (path.includes(':id') ? await makeId(at) : '');
    const headers = { ...ANY, ...(key !== undefined && { 'Idempotency-Key': `odd-${at}` }) };
    const { status } = await send(method, path.replace(':id', id), { headers, ...(sent !== undefined && { body: sent }) });
    assert.ok(status < 500, `${route} with the id ${id} and ${String(JSON.stringify(sent)).slice(0, 200)}: ${status}\n${output()}`);
  }
}

async function checkOperation(running: Running, operation: Operation, makeItem: MakeItem | undefined, next: () => number): Promise<void> {
  const { send, pool } = running;
  const { route, body, key, needsItem = false, status = /^2/ } = operation;
  const [method = '', path = ''] = route.split(' ');
  const make = async (nth: number): Promise<string> => ((path.includes(':id') || needsItem) && makeItem ? makeItem(running, nth) : '');
  const readPath = path.replace(/(?<=:id).*/, '');
  const first = next();
  const read = async (nth: number, id: string): Promise<Response> => send('GET', readPath.replace(':id', id), { nth });
  const reads = running.output().includes(`route: GET ${readPath}\n`);
  const version = reads && path.includes(':id') ? (await read(first, await make(first))).headers.get('etag') : null;
  const keys = key === undefined ? [false] : key === 'required' ? [true] : [false, true];
  for (const condition of conditionsOf(operation, version)) {
    for (const hasKey of keys) {
      const numbers = Array.from({ length: AT_ONCE }, next);
      const ids: string[] = [];
      for (const nth of numbers) ids.push(await make(nth));
      const statuses = await Promise.all(numbers.map(async (nth, at) => {
        const headers = { ...condition, ...(hasKey && { 'Idempotency-Key': `key-${nth}` }) };
        const response = await send(method, path.replace(':id', ids[at] ?? ''), { headers, nth, ...(body && { body: body(nth) }) });
        await response.body?.cancel();
        return response.status;
      }));
      const what = `${route} ${JSON.stringify(condition)}${hasKey ? ' with a key' : ''}`;
      assert.equal(statuses.filter((each) => !status.test(String(each))), [], `${what}: ${statuses}\n${running.output()}`);
      const after = next();
      if (reads) assert.match(String((await read(after, await make(after))).status), /^(?:2|303)/, what);
      const open = async (): Promise<unknown[]> => [...(await pool.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'")).rows];
      await waitUntil(async () => (await open()).length === 0, `${what}: the end of all transactions`);
    }
  }
}

/** The routes of a program, without discovery and what is mounted. */
const routesOf = (output: string): readonly string[] => (
  [...output.matchAll(/route: (\w+ \/v1\S*)/g)].map(([, route = '']) => route).filter((route) => !/^(?:OPTIONS|HEAD) /.test(route)).toSorted()
);

export const PROGRAMS_AT_ONCE: readonly Case[] = PROGRAMS.map(({ name, serve, makeItem, operations }): Case => (
  [name, (setting) => serve(setting, async (running) => {
    let count = 0;
    const next = (): number => (count += 1);
    assert.equal(operations.map(({ route }) => route).toSorted(), routesOf(running.output()));
    for (const operation of operations) {
      await checkOperation(running, operation, operation.makeItem ?? makeItem, next);
      await checkOddValues(running, operation, async () => (operation.makeItem ?? makeItem)?.(running, next()) ?? '');
    }
  })]
));
