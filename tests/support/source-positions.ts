/**
 * Positions in compiled files, shown as those of their sources: `file:///…/build/src/server/api-server.js:20:7` becomes
 * `src/server/api-server.ts:31:5`. Only the output of tests is read, so that tests run without the cost of `--enable-source-maps`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const POSITION = /(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):(\d+)/g;

/** Replaces each position in a file that has a source map. */
export function mapSourcePositions(text: string): string {
  return text.replaceAll(POSITION, (position, file: string, line: string, column: string) => {
    return sourcePosition(file, Number(line), Number(column)) ?? position;
  });
}

function sourcePosition(file: string, line: number, column: number): string | undefined {
  if (!existsSync(`${file}.map`)) return undefined;
  const entry = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8'))).findEntry(line - 1, column - 1);
  if (!('originalSource' in entry)) return undefined;
  const source = fileURLToPath(new URL(entry.originalSource, pathToFileURL(file)));
  return `${relative(process.cwd(), source)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
