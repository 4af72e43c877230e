/** The programs of docs/database.md that use PostgreSQL: each gets the responses that the page shows below the first. The program of docs/postgres.md. */
import * as assert from 'uvu/assert';
import { withPool, type Case, type Setting } from './case.ts';
import { checkCommands, loadShownPrograms, tablesOf } from './shown-program.ts';

const PAGE = 'database.md';
const PROGRAMS = ['pg.ts', 'drizzle.ts', 'prisma.ts'];

async function checkProgram(name: string, { url }: Setting): Promise<void> {
  const { programsOf, inScratch, whileRunning, printedBy } = await loadShownPrograms();
  const programs = programsOf(PAGE);
  const program = programs.find((each) => each.name === name);
  const commands = programs.find((each) => each.name === 'pg.ts')?.commands ?? [];
  if (program === undefined || commands.length < 8) throw new Error(`docs/${PAGE} shows no ${name}, or too few commands`);
  const [table = ''] = tablesOf(PAGE);
  await withPool(url, (pool) => pool.query(table).then(() => {}));
  process.env['DATABASE_URL'] = url;
  await inScratch((folder) => whileRunning(program, folder, async (running) => {
    const printed = await printedBy(commands, running);
    assert.equal(printed, commands.map(({ printed: shown }) => shown));
  }));
}

export const DATABASES: readonly Case[] = [
  ...PROGRAMS.map((name): Case => [name, (setting) => checkProgram(name, setting)]),
  ['bookings.ts', ({ url }) => checkCommands({ page: 'postgres.md', name: 'bookings.ts', url })],
];
