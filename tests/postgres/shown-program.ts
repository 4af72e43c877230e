/** A program of a page of docs over PostgreSQL, as processes that a test starts, kills and stops. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as assert from 'uvu/assert';
import { Child } from '../support/child.ts';
import { findFreePort } from '../support/free-port.ts';
import { readFences } from '../support/markdown.ts';
import { waitUntil } from '../support/wait.ts';
import { withPool } from './case.ts';

export interface Command {
  readonly command: string;
  readonly printed: string;
}

interface Program {
  readonly name: string;
  readonly code: string;
  readonly commands: readonly Command[];
  /** The files beside it. */
  readonly files?: readonly Program[];
}

/** A process of a program. */
export interface RunningProgram {
  readonly port: number;
  readonly pid: number;
}

/** The exports of `tests/compat/shown-programs.js`. */
interface ShownPrograms {
  readonly ENVIRONMENT: Readonly<Record<string, string>>;
  readonly listPrograms: (document: string) => readonly Program[];
  readonly withScratch: <T>(use: (folder: string) => Promise<T>) => Promise<T>;
  readonly writeProgram: (program: Program, folder: string, port: number) => Promise<string>;
  readonly withRunning: (program: Program, folder: string, use: (running: RunningProgram) => Promise<void>) => Promise<void>;
  readonly printedBy: (commands: readonly Command[], running: RunningProgram) => Promise<readonly string[]>;
  readonly run: (program: Program, folder: string) => Promise<{ readonly status: number | null; readonly output: string }>;
  readonly toJavaScript: (code: string) => Promise<string>;
}

// The tests change the folder of the process later.
const ROOT = process.cwd();

export async function loadShownPrograms(): Promise<ShownPrograms> {
  return await import(pathToFileURL(join(ROOT, 'tests', 'compat', 'shown-programs.js')).href) as ShownPrograms;
}

/** The SQL of a page of docs. */
export function tablesOf(page: string): readonly string[] {
  return readFences(readFileSync(join(ROOT, 'docs', page), 'utf8')).filter(({ language, text }) => language === 'sql' && text.startsWith('CREATE')).map(({ text }) => text);
}

export interface Shown {
  readonly commands: readonly Command[];
  /** Starts the program, and waits until it listens. `port` is where it does. */
  readonly start: (port: number) => Promise<Child>;
  readonly printedBy: ShownPrograms['printedBy'];
}

/** A program of a page. `changes` are parts of it, such as a time, and what they are in the test. */
interface Where {
  readonly page: string;
  readonly name: string;
  readonly url?: string;
  /** The program, if the page shows only a part of it. */
  readonly code?: string;
  readonly changes?: Readonly<Record<string, string>>;
}

/** Makes the tables of a page, if the program needs them, and calls `use` with one of its programs. */
export async function withShownProgram(
  { page, name, url, code: whole, changes = {} }: Where,
  use: (shown: Shown) => Promise<void>,
): Promise<void> {
  const { listPrograms, withScratch, writeProgram, printedBy, ENVIRONMENT } = await loadShownPrograms();
  const program = whole === undefined ? listPrograms(page).find((each) => each.name === name) : { name, code: whole, commands: [] };
  if (program === undefined) throw new Error(`docs/${page} shows no ${name} with commands`);
  let { code } = program;
  for (const [part, changed] of Object.entries(changes)) {
    if (!code.includes(part)) throw new Error(`${name} has no ${part}`);
    code = code.replace(part, changed);
  }
  if (url !== undefined) {
    await withPool(url, async (pool) => {
      for (const table of tablesOf(page)) await pool.query(table);
    });
  }
  await withScratch(async (folder) => {
    const children: Child[] = [];
    const start = async (port: number): Promise<Child> => {
      const file = await writeProgram({ ...program, code }, join(folder), port);
      const child = new Child([file], url === undefined ? ENVIRONMENT : { ...ENVIRONMENT, DATABASE_URL: url }, folder);
      children.push(child);
      const isReached = (): Promise<boolean> => fetch(`http://127.0.0.1:${port}`).then(() => true, () => false);
      await waitUntil(isReached, 'a program that listens');
      return child;
    };
    try {
      await use({ commands: program.commands, start, printedBy });
    } finally {
      for (const child of children) await child.end('SIGKILL');
    }
  });
}

/** Runs the commands below a program: they print what the page shows. Then `use` can send more requests, and the program ends by SIGTERM with 0. */
export async function checkCommands(where: Where, use: (port: number) => Promise<void> = async () => {}): Promise<void> {
  await withShownProgram(where, async ({ commands, start, printedBy }) => {
    const port = await findFreePort();
    const child = await start(port);
    assert.ok(commands.length >= 2);
    assert.equal(await printedBy(commands, { port, pid: 0 }), commands.map(({ printed }) => printed));
    await use(port);
    assert.is(await child.end('SIGTERM'), 0, child.output);
  });
}
