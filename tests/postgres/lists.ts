/** The lists of docs/lists.md: they get the responses that the page shows. */
import * as assert from 'uvu/assert';
import { withPool, type Case, type Setting } from './case.ts';
import { loadShownPrograms, tablesOf } from './shown-program.ts';

const PAGE = 'lists.md';

async function checkProgram({ url }: Setting, shown: string, minCommands: number, use: (base: string) => Promise<void> = async () => {}): Promise<void> {
  const { listPrograms, withScratch, withRunning, printedBy } = await loadShownPrograms();
  const program = listPrograms(PAGE).find(({ name }) => name === shown);
  if (program === undefined || program.commands.length < minCommands) throw new Error(`docs/${PAGE} shows no ${shown}, or too few commands`);
  await withPool(url, (pool) => pool.query(tablesOf(PAGE).join('\n')).then(() => {}));
  process.env['DATABASE_URL'] = url;
  await withScratch((folder) => withRunning(program, folder, async (running) => {
    assert.equal(await printedBy(program.commands, running), program.commands.map(({ printed }) => printed));
    await use(`http://127.0.0.1:${running.port}/v1/pet`);
  }));
}

/** A key that no string of PostgreSQL can have, and an id that its type does not hold. */
async function checkCursors(base: string): Promise<void> {
  const cursors = [['name', '1', 'a\0'], ['name', '9007199254740991', 'Asp'], ['created', '1', '9999-12-31T23:59:59.999Z']];
  const statuses = await Promise.all(cursors.map(async (parts) => {
    const after = Buffer.from(JSON.stringify(parts)).toString('base64url');
    return (await fetch(`${base}?${new URLSearchParams({ sort: parts[0] ?? '', after })}`)).status;
  }));
  assert.equal(statuses, [400, 200, 200]);
}

/** A page after the last one, and one that is too far. */
async function checkNumbers(base: string): Promise<void> {
  const found = await Promise.all(['3', '1001', 'x'].map(async (page) => (await fetch(`${base}?size=3&page=${page}`)).json() as Promise<object>));
  assert.equal(found[0], { items: [], total: 4, pages: 2 });
  assert.equal(found.slice(1).map((problem) => (problem as { readonly status: number }).status), [400, 400]);
}

export const LISTS: readonly Case[] = [
  ['the program of the page has the responses that it shows', (setting) => checkProgram(setting, 'list-pets.ts', 7, checkCursors)],
  ['the program with page numbers has the responses that it shows', (setting) => checkProgram(setting, 'page-numbers.ts', 2, checkNumbers)],
];
