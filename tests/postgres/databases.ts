/** The programs of docs/database.md that use PostgreSQL: each gets the responses that the page shows below the first. The programs of docs/postgres.md, docs/operations.md and docs/decoders.md. */
import * as assert from 'uvu/assert';
import { withPool, type Case, type Setting } from './case.ts';
import { checkCommands, loadShownPrograms, tablesOf } from './shown-program.ts';

const PAGE = 'database.md';
const PROGRAMS = ['pg.ts', 'drizzle.ts', 'prisma.ts'];

async function checkProgram(name: string, { url }: Setting): Promise<void> {
  const { listPrograms, withScratch, withRunning, printedBy } = await loadShownPrograms();
  const programs = listPrograms(PAGE);
  const program = programs.find((each) => each.name === name);
  const commands = programs.find((each) => each.name === 'pg.ts')?.commands ?? [];
  if (program === undefined || commands.length < 8) throw new Error(`docs/${PAGE} shows no ${name}, or too few commands`);
  const [table = ''] = tablesOf(PAGE);
  await withPool(url, (pool) => pool.query(table).then(() => {}));
  process.env['DATABASE_URL'] = url;
  await withScratch((folder) => withRunning(program, folder, async (running) => {
    const printed = await printedBy(commands, running);
    assert.equal(printed, commands.map(({ printed: shown }) => shown));
  }));
}

/** After the commands of the page: of pets with one name, one is restored, whoever is first. */
async function checkRestored(port: number): Promise<void> {
  const call = (method: string, path = ''): Promise<Response> => fetch(`http://127.0.0.1:${port}/v1/pet${path}`, { method });
  const statuses = async (paths: readonly string[]): Promise<number[]> => {
    return (await Promise.all(paths.map((path) => call('POST', path)))).map(({ status }) => status).toSorted();
  };
  assert.is((await call('DELETE', '/1')).status, 204);
  assert.equal(await statuses(['/1/restore', '/2/restore']), [200, 409]);
  assert.equal(await statuses(['/7/restore', '/9007199254740991/restore']), [404, 404]);
  const count = async (path?: string): Promise<number> => (await (await call('GET', path)).json() as unknown[]).length;
  assert.equal([await count(), await count('/deleted')], [1, 1]);
}

export const DATABASES: readonly Case[] = [
  ...PROGRAMS.map((name): Case => [name, (setting) => checkProgram(name, setting)]),
  ['soft-delete.ts', ({ url }) => checkCommands({ page: 'operations.md', name: 'soft-delete.ts', url }, checkRestored)],
  ['invoices.ts', ({ url }) => checkCommands({ page: 'decoders.md', name: 'invoices.ts', url })],
  ['bookings.ts', ({ url }) => checkCommands({ page: 'postgres.md', name: 'bookings.ts', url })],
];
