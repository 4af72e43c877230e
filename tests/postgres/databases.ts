/** The programs of docs/database.md that use PostgreSQL: each gets the responses that the page shows below the first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { fencesOf } from '../support/markdown.ts';
import { withPool, type Case, type Setting } from './case.ts';

interface Program {
  readonly name: string;
  readonly commands: readonly { readonly command: string; readonly printed: string }[];
}

/** What `tests/compat/shown-programs.js` exports. */
interface ShownPrograms {
  readonly programsOf: (document: string) => readonly Program[];
  readonly inScratch: (use: (folder: string) => Promise<void>) => Promise<void>;
  readonly whileRunning: (program: Program, folder: string, use: (running: unknown) => Promise<void>) => Promise<void>;
  readonly printedBy: (commands: Program['commands'], running: unknown) => Promise<readonly string[]>;
  readonly javaScriptOf: (code: string) => Promise<string>;
}

const ROOT = process.cwd();
const PAGE = 'database.md';
const PROGRAMS = ['pg.ts', 'drizzle.ts', 'prisma.ts'];

export async function loadShownPrograms(): Promise<ShownPrograms> {
  return await import(pathToFileURL(join(ROOT, 'tests', 'compat', 'shown-programs.js')).href) as ShownPrograms;
}

async function checkProgram(name: string, { url }: Setting): Promise<void> {
  const { programsOf, inScratch, whileRunning, printedBy } = await loadShownPrograms();
  const programs = programsOf(PAGE);
  const program = programs.find((each) => each.name === name);
  const commands = programs.find((each) => each.name === 'pg.ts')?.commands ?? [];
  if (program === undefined || commands.length < 8) throw new Error(`docs/${PAGE} shows no ${name}, or too few commands`);
  const table = fencesOf(readFileSync(join(ROOT, 'docs', PAGE), 'utf8')).find(({ language }) => language === 'sql')?.text ?? '';
  await withPool(url, (pool) => pool.query(table).then(() => {}));
  process.env['DATABASE_URL'] = url;
  await inScratch((folder) => whileRunning(program, folder, async (running) => {
    const printed = await printedBy(commands, running);
    assert.equal(printed, commands.map(({ printed: shown }) => shown));
  }));
}

export const DATABASES: readonly Case[] = PROGRAMS.map((name) => [name, (setting) => checkProgram(name, setting)]);
