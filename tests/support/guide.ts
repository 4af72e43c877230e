/** The guide, and the files of a reader after each step. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCommands, readFences, type ShownCommand } from './markdown.ts';
import { addBlock, type Files } from './shown-files.ts';

/** A step of the guide. */
export interface Step {
  readonly number: number;
  readonly heading: string;
  /** All files after the step. */
  readonly files: Files;
  /** The commands of the terminal, with their output. */
  readonly commands: readonly ShownCommand[];
  /** The packages that are installed before the step or in it. */
  readonly packages: readonly string[];
}

/** The text of the page, which is one program. */
export const guide: string = readFileSync(join('docs', 'guide.md'), 'utf8');

/** Languages of the blocks that are not files. */
const TERMINALS = ['console', 'sh'];

/** Reads the steps. What stands above the first one belongs to it. */
export function readSteps(markdown: string): Step[] {
  let files: Files = new Map();
  let packages: readonly string[] = [];
  const read = (text: string): readonly ShownCommand[] => {
    const fences = readFences(text);
    for (const { language, text: block } of fences) if (!TERMINALS.includes(language)) files = addBlock(files, language, block);
    packages = [...packages, ...fences.filter(({ language }) => language === 'sh').flatMap(({ text: block }) => readPackages(block))];
    return fences.filter(({ language }) => language === 'console').flatMap(({ text: block }) => readCommands(block));
  };
  const [before = '', ...sections] = markdown.split(/^## (?=\d+\. )/m);
  read(before);
  return sections.map((section) => {
    const [, number = '', heading = ''] = /^(\d+)\. (.+)\n/.exec(section) ?? [];
    const commands = read(section);
    return { number: Number(number), heading, files, commands, packages };
  });
}

function readPackages(commands: string): string[] {
  return [...commands.matchAll(/^npm install (?:--\S+ )*(.+)$/gm)].flatMap(([, names = '']) => names.split(' '));
}
