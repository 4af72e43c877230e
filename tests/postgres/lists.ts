/** The list of docs/lists.md: it gets the responses that the page shows. */
import * as assert from 'uvu/assert';
import { withPool, type Case, type Setting } from './case.ts';
import { loadShownPrograms, tablesOf } from './shown-program.ts';

const PAGE = 'lists.md';

async function checkProgram({ url }: Setting): Promise<void> {
  const { listPrograms, withScratch, withRunning, printedBy } = await loadShownPrograms();
  const program = listPrograms(PAGE).find(({ name }) => name === 'list-pets.ts');
  if (program === undefined || program.commands.length < 7) throw new Error(`docs/${PAGE} shows no list-pets.ts, or too few commands`);
  await withPool(url, (pool) => pool.query(tablesOf(PAGE).join('\n')).then(() => {}));
  process.env['DATABASE_URL'] = url;
  await withScratch((folder) => withRunning(program, folder, async (running) => {
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

export const LISTS: readonly Case[] = [
  ['the program of the page has the responses that it shows', checkProgram],
];
