/** The list of docs/lists.md: it gets the responses that the page shows, and each of its statements is one index scan. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { fencesOf } from '../support/markdown.ts';
import { withPool, type Case, type Setting } from './case.ts';
import { loadShownPrograms, tablesOf } from './shown-program.ts';

const ROOT = process.cwd();
const PAGE = 'lists.md';
const ROWS = 20_000;

/** What `select-pets.ts` exports. */
interface SelectPets {
  readonly selectPets: (page: object, legs?: number) => { readonly text: string; readonly values: never[] };
}

async function checkProgram({ url }: Setting): Promise<void> {
  const { programsOf, inScratch, whileRunning, printedBy } = await loadShownPrograms();
  const program = programsOf(PAGE).find(({ name }) => name === 'list-pets.ts');
  if (program === undefined || program.commands.length < 7) throw new Error(`docs/${PAGE} shows no list-pets.ts, or too few commands`);
  await withPool(url, (pool) => pool.query(tablesOf(PAGE).join('\n')).then(() => {}));
  process.env['DATABASE_URL'] = url;
  await inScratch((folder) => whileRunning(program, folder, async (running) => {
    assert.equal(await printedBy(program.commands, running), program.commands.map(({ printed }) => printed));
    // A key that no string of PostgreSQL can have, and an id that its type does not hold.
    const cursors = [['name', '1', 'a\0'], ['name', '9007199254740991', 'Asp'], ['created', '1', '9999-12-31T23:59:59.999Z']];
    const base = `http://127.0.0.1:${(running as { readonly port: number }).port}/v1/pet`;
    const statuses = await Promise.all(cursors.map(async (parts) => {
      const after = Buffer.from(JSON.stringify(parts)).toString('base64url');
      return (await fetch(`${base}?${new URLSearchParams({ sort: parts[0] ?? '', after })}`)).status;
    }));
    assert.equal(statuses, [400, 200, 200]);
  }));
}

/** Resolves to the statements of the page, in JavaScript. */
async function loadStatements(folder: string): Promise<SelectPets> {
  const { javaScriptOf } = await loadShownPrograms();
  const shown = fencesOf(readFileSync(join(ROOT, 'docs', PAGE), 'utf8')).find(({ text }) => text.startsWith('// select-pets.ts'));
  const file = join(folder, 'select-pets.mjs');
  writeFileSync(file, await javaScriptOf(shown?.text ?? ''));
  return await import(pathToFileURL(file).href) as SelectPets;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Cond'?: string;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly Plan[];
}

async function checkPlans({ url, folder }: Setting): Promise<void> {
  const { selectPets } = await loadStatements(folder);
  await withPool(url, async (pool) => {
    await pool.query(tablesOf(PAGE).join('\n'));
    await pool.query(`INSERT INTO pet (name, legs, created)
      SELECT 'pet ' || n % 997, n % 100, timestamptz '2026-01-01' + n % 991 * interval '1 hour' FROM generate_series(1, ${ROWS}) AS n`);
    await pool.query('ANALYZE pet');
    for (const by of [undefined, 'name', 'created'] as const) {
      for (const descending of [false, true]) {
        for (const legs of [undefined, 3]) {
          for (const isFirst of [true, false]) {
            const keys = { name: 'pet 500', created: new Date('2026-01-21') };
            const after = isFirst ? undefined : { id: ROWS / 2, key: by === undefined ? undefined : keys[by] };
            const { text, values } = selectPets({ take: 21, after, by, descending }, legs);
            const what = `${text} ${JSON.stringify(values)}`;
            const { rows } = await pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
            const [{ Plan: plan }] = (rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'];
            const [scan, ...others] = plan.Plans ?? [];
            const shown = `${what}\n${JSON.stringify(plan, null, 1)}`;
            assert.is(plan['Node Type'], 'Limit', shown);
            assert.match(scan?.['Node Type'] ?? '', /^Index (?:Only )?Scan$/, shown);
            assert.equal([others, scan?.Plans], [[], undefined], shown);
            // The rows that it reads are those of the page.
            assert.equal([scan?.['Actual Rows'], scan?.['Rows Removed by Filter'] ?? 0], [21, 0], shown);
            assert.is(scan?.['Index Cond'] === undefined, isFirst && legs === undefined, shown);
          }
        }
      }
    }
  });
}

export const LISTS: readonly Case[] = [
  ['the program of the page has the responses that it shows', checkProgram],
  ['each page is one index scan, in each order, with and without a filter', checkPlans],
];
