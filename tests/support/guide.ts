/** The guide: its pages in their order, and the files of a reader after each step. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf, fencesOf, type Shown } from './markdown.ts';
import { withBlock, type Files } from './shown-files.ts';

/** The files at one point of the guide. */
export interface Scene {
  /** A folder: `step-3` has the files after step 3, `step-3-1` those at its first terminal if the step goes on. */
  readonly name: string;
  readonly heading: string;
  readonly files: Files;
  /** The commands that the guide shows there. */
  readonly commands: readonly Shown[];
}

export const GUIDE_PAGES = ['guide.md', 'guide-operations.md', 'guide-authentication.md', 'guide-errors.md', 'guide-server.md'];

/** The text of all pages, which is one program. */
export const guide: string = GUIDE_PAGES.map((page) => readFileSync(join('docs', page), 'utf8')).join('\n');

/** One scene for each terminal, and for the end of each step. */
export function scenesOf(markdown: string): Scene[] {
  const scenes: Scene[] = [];
  let files: Files = new Map();
  for (const [, step = '', heading = '', text = ''] of markdown.matchAll(/^## (\d+)\. ([^\n]+)\n(.*?)(?=^#{1,2} |(?![^]))/gms)) {
    const fences = fencesOf(text);
    const last = fences.findLastIndex(({ language }) => language === 'ts');
    for (const [at, { language, text: block }] of fences.entries()) {
      if (language === 'ts') files = withBlock(files, block);
      else scenes.push({ name: at > last ? `step-${step}` : `step-${step}-${at}`, heading, files, commands: commandsOf(block) });
    }
    if (last !== -1) scenes.push({ name: `step-${step}`, heading, files, commands: [] });
  }
  return scenes;
}
