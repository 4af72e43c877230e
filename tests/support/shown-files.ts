/**
 * The files that a guide shows, as they grow from block to block. The first line of a block says where its lines go:
 *
 *   // pet.ts                              the whole file
 *   // pet.ts, in the endpoint             above the last line of the endpoint
 *   // pet.ts, above the endpoint          above the last `export const`
 *   // main.ts, above start                above `const started`
 *   // pet.ts, below                       at the end of the file
 *   // pet.ts, in place of schema: Pet,     in place of that line
 *   // pet.ts, as it is now                 nowhere: the file must be equal to the lines
 */
export type Files = ReadonlyMap<string, string>;

const FIRST_LINE = /^\/\/ ([\w.]+\.ts)(?:, (.+))?\n/;

/** Adds a block. Throws if its first line has another form, if its place is not in the file, or if it shows the file otherwise than it is. */
export function withBlock(files: Files, block: string): Files {
  const [line, name, place] = FIRST_LINE.exec(block) ?? [];
  if (line === undefined || name === undefined) throw new Error(`a block without a file: ${block.slice(0, 80)}`);
  const lines = block.slice(line.length);
  const before = files.get(name);
  if (place === undefined) return new Map([...files, [name, lines]]);
  if (before === undefined) throw new Error(`a file that is not shown before: ${line}`);
  return new Map([...files, [name, placed(before, lines, place)]]);
}

function placed(file: string, lines: string, place: string): string {
  if (place === 'below') return `${file}\n${lines}`;
  if (place === 'in the endpoint') return insertedAt(file, lastIndexOf(file, '\n});') + 1, lines);
  if (place === 'above the endpoint') return insertedAt(file, lastIndexOf(file, '\nexport const') + 1, `${lines}\n`);
  if (place === 'above start') return insertedAt(file, lastIndexOf(file, '\nconst started') + 1, `${lines}\n`);
  const [, replaced] = /^in place of (.+)$/.exec(place) ?? [];
  if (replaced !== undefined) {
    const at = lastIndexOf(file, `  ${replaced}\n`);
    return insertedAt(file.slice(0, at) + file.slice(at + `  ${replaced}\n`.length), at, lines);
  }
  if (place !== 'as it is now') throw new Error(`a place that is not known: ${place}`);
  if (file !== lines) throw new Error(`a file that is shown otherwise than it is now:\n${file}`);
  return file;
}

function lastIndexOf(file: string, text: string): number {
  const at = file.lastIndexOf(text);
  if (at === -1) throw new Error(`a file without ${JSON.stringify(text)}`);
  return at;
}

function insertedAt(file: string, at: number, lines: string): string {
  return file.slice(0, at) + lines + file.slice(at);
}
