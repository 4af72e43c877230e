/** `keyset` of `restpoint/postgres`: each page is one index scan, and no cursor reads more. */
import type { Pool } from '../../examples/zoo/store/postgres/pg.ts';
import { defineEndpoint, integerId, uint64Id } from '../../src/index.ts';
import { dateKey, pages } from '../../src/interceptors/index.ts';
import { keyset } from '../../src/postgres/index.ts';
import { client } from '../../src/client/index.ts';
import { assert, serve } from '../support/facts.ts';
import { withPool, type Case } from './case.ts';

const ROWS = 20_000;
const TABLE = `
  CREATE TABLE pet (id bigint PRIMARY KEY, "Name" text NOT NULL, legs integer NOT NULL, created timestamptz(3) NOT NULL, code numeric NOT NULL UNIQUE);
  CREATE INDEX ON pet ("Name", id); CREATE INDEX ON pet (created, id); CREATE INDEX ON pet (legs, id);
  CREATE INDEX ON pet (legs, "Name", id); CREATE INDEX ON pet (legs, created, id);
  INSERT INTO pet SELECT n, 'pet ' || n % 997, n % 100, timestamptz '2026-01-01' + n % 991 * interval '1 hour', n FROM generate_series(1, ${ROWS}) AS n;
  ANALYZE pet`;
const COLUMNS = { id: 'pet.id', name: 'pet.Name', created: 'public.pet.created' };

interface Row {
  readonly id: bigint;
  readonly name: string;
  readonly created: Date;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly Plan[];
}

/** The plan of a statement. Its only step below the limit must be an index scan. */
async function scanOf(pool: Pool, text: string, values: readonly unknown[]): Promise<Plan> {
  const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values as never);
  const [{ Plan: plan }] = (rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'];
  const [scan, ...others] = plan.Plans ?? [];
  const shown = `${text}\n${JSON.stringify(plan, null, 1)}`;
  assert.is(plan['Node Type'], 'Limit', shown);
  assert.match(scan?.['Node Type'] ?? '', /^Index (?:Only )?Scan$/, shown);
  assert.equal([others, scan?.Plans], [[], undefined], shown);
  return scan as Plan;
}

const withPets = (url: string, use: (pool: Pool) => Promise<void>): Promise<void> => withPool(url, async (pool) => {
  await pool.query(TABLE);
  await use(pool);
});

export const KEYSETS: readonly Case[] = [
  ['a column with microseconds is sorted by its text, as docs/postgres.md says: no row comes twice or is left out', ({ url }) => withPool(url, async (pool) => {
    await pool.query(`CREATE TABLE pet (id integer PRIMARY KEY, created timestamptz NOT NULL);
      INSERT INTO pet SELECT n, timestamptz '2026-01-01 10:00:00.000001' + n % 37 * interval '1 microsecond' FROM generate_series(1, 100) AS n;
      INSERT INTO pet VALUES (101, 'infinity'), (102, '-infinity'), (103, '0001-01-01 BC'), (104, '10000-01-01')`);
    interface Timed { readonly id: number; readonly created: string }
    const pet = defineEndpoint({
      id: integerId,
      list: {
        use: pages({ cursor: (row: Timed) => row.id, codec: integerId, sort: ['created'] }),
        run: async ({ page }) => {
          const { where, orderBy, values } = keyset(page, { id: 'pet.id', created: 'pet.created' });
          const text = `SELECT id, pet.created::text AS created FROM pet WHERE ${where} ORDER BY ${orderBy} LIMIT ${page.take}`;
          return (await pool.query(text, values as never)).rows as unknown as readonly Timed[];
        },
      },
    });
    await serve((server) => server.registerEndpoint('/pet', pet), async (served) => {
      const pets = client<{ '/pet': typeof pet }>(`${served.url}/v1`)('/pet');
      for (const sort of ['created', '-created'] as const) {
        const ids: number[] = [];
        for await (const { id } of pets.each({ query: { limit: 7, sort } })) ids.push(id);
        const direction = sort === 'created' ? 'ASC' : 'DESC';
        assert.equal(ids, (await pool.query(`SELECT id FROM pet ORDER BY created ${direction}, id ${direction}`)).rows.map(({ id }) => id));
      }
    });
  })],
  ['each page is one index scan of its rows, in each order and direction, with a filter and without', ({ url }) => withPets(url, async (pool) => {
    for (const by of [undefined, 'name', 'created'] as const) {
      for (const descending of [false, true]) {
        for (const filter of [false, true]) {
          for (const isFirst of [true, false]) {
            const keys = { name: 'pet 500', created: new Date('2026-01-21') };
            const after = isFirst ? undefined : { id: ROWS / 2, key: by === undefined ? undefined : keys[by] };
            const { where, orderBy, values } = keyset({ after, by, descending }, COLUMNS, { from: filter ? 2 : 1 });
            const text = `SELECT * FROM pet WHERE ${filter ? 'legs = $1 AND ' : ''}${where} ORDER BY ${orderBy} LIMIT 21`;
            const scan = await scanOf(pool, text, filter ? [3, ...values] : values);
            // The rows that it reads are those of the page.
            assert.equal([scan['Actual Rows'], scan['Rows Removed by Filter'] ?? 0], [21, 0], text);
          }
        }
      }
    }
  })],
  ['a cursor that no row can have reads no more than a row', ({ url }) => withPets(url, async (pool) => {
    for (const after of [2n ** 64n, 2n ** 63n - 1n, -(2n ** 64n), Number.MAX_SAFE_INTEGER]) {
      for (const column of ['pet.id', 'pet.code']) {
        const descending = after < 0;
        const { where, orderBy, values } = keyset({ after, descending }, { id: column });
        const scan = await scanOf(pool, `SELECT * FROM pet WHERE ${where} ORDER BY ${orderBy} LIMIT 21`, values);
        assert.ok(scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0) <= 1, `${column} ${after}`);
      }
    }
    await pool.query(`INSERT INTO pet VALUES (0, '', 0, now(), 18446744073709551615), (-1, '', 0, now(), 18446744073709551617)`);
    const { where, values } = keyset({ after: 2n ** 64n }, { id: 'code' });
    assert.equal((await pool.query(`SELECT code FROM pet WHERE ${where}`, values as never)).rows, [{ code: '18446744073709551617' }]);
  })],
  ['over HTTP: all pages in both directions have each row once, in order, and hostile cursors get 400 or an empty page', ({ url }) => withPets(url, async (pool) => {
    await pool.query('DELETE FROM pet WHERE id > 100');
    const pet = defineEndpoint({
      id: uint64Id,
      list: {
        use: pages({ cursor: (row: Row) => row.id, codec: uint64Id, sort: { name: { parse: String, format: String }, created: dateKey }, prev: true, max: 7 }),
        output: (rows: readonly Row[]) => rows.map(({ id }) => ({ id: String(id) })),
        run: async ({ page }) => {
          const { where, orderBy, values } = keyset(page, COLUMNS);
          const { rows } = await pool.query(`SELECT id, "Name" AS name, created FROM pet WHERE ${where} ORDER BY ${orderBy} LIMIT ${page.take}`, values as never);
          return rows.map(({ id, name, created }) => ({ id: BigInt(String(id)), name: String(name), created: created as Date }));
        },
      },
    });
    await serve((server) => server.registerEndpoint('/pet', pet), async (served) => {
      const names = client<{ '/pet': typeof pet }>(`${served.url}/v1`)('/pet');
      for (const sort of [undefined, 'name', '-name', 'created', '-created'] as const) {
        const ids: string[] = [];
        for await (const { id } of names.each({ query: { limit: 7, ...(sort !== undefined && { sort }) } })) ids.push(String(id));
        const order = sort === undefined ? 'id' : `${sort.replace('-', '').replace('name', '"Name"')} ${sort.startsWith('-') ? 'DESC' : ''}, id ${sort.startsWith('-') ? 'DESC' : ''}`;
        assert.equal(ids, (await pool.query(`SELECT id FROM pet ORDER BY ${order}`)).rows.map(({ id }) => String(id)), sort);
        // Back from the last page.
        let path = `?limit=7${sort === undefined ? '' : `&sort=${sort}`}`;
        const back: string[] = [];
        for (let relation = 'next'; ; ) {
          const response = await fetch(`${served.url}/v1/pet${path}`);
          const found = new RegExp(`<([^>]+)>; rel="${relation}"`).exec(response.headers.get('link') ?? '')?.[1];
          const page = (await response.json() as { id: string }[]).map(({ id }) => String(id));
          if (relation === 'prev') back.unshift(...page);
          if (found === undefined && relation === 'prev') break;
          if (found === undefined) relation = 'prev';
          else path = found;
        }
        assert.equal(back, ids, sort);
      }
      for (const [sort, id, key] of [['name', '1', 'a\0'], ['name', '18446744073709551615', 'pet 5'], ['created', '1', '9999-12-31T23:59:59.999Z'], ['name', '1', `'; DROP TABLE pet; --`]] as const) {
        const after = Buffer.from(JSON.stringify([sort, id, key])).toString('base64url');
        assert.is((await fetch(`${served.url}/v1/pet?${new URLSearchParams({ sort, after })}`)).status, key.includes('\0') ? 400 : 200, key);
      }
    });
  })],
];
