/**
 * The files that a guide shows, as they grow from block to block:
 *
 *   // pet.ts          the whole file, which begins after this line. Also `# Dockerfile` and `-- schema.sql`
 *   --- pet.ts         in a block of `diff`: lines that change, with those around them, and `@@` between two places
 */
export type Files = ReadonlyMap<string, string>;

/** A change of a file: these lines, which it has once, and the lines in place of them. */
export interface Edit {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

const FIRST_LINE = /^(?:\/\/|#|--) ([\w.]+)\n/;

/** Adds the file of a block, or changes it. Throws if the block names no file, or if the file does not have the lines of a diff once. */
export function addBlock(files: Files, language: string, block: string): Files {
  if (language === 'diff') return readEdits(block).reduce(applyEdit, files);
  const [line, name] = FIRST_LINE.exec(block) ?? [];
  if (line === undefined || name === undefined) throw new Error(`a block without a file: ${block.slice(0, 80)}`);
  return new Map([...files, [name, block.slice(line.length)]]);
}

function applyEdit(files: Files, { file, before, after }: Edit): Files {
  const text = files.get(file);
  if (text?.split(before).length !== 2) throw new Error(`${file} does not have these lines once:\n${before}`);
  return new Map([...files, [file, text.replace(before, () => after)]]);
}

/** The edits of a block of `diff`. */
export function readEdits(block: string): Edit[] {
  return block.split(/^--- /m).slice(1).flatMap((part) => {
    const [file = '', ...lines] = part.trimEnd().split('\n');
    return lines.join('\n').split(/^@@\n/m).map((place) => {
      const changed = place.replace(/\n$/, '').split('\n');
      const pick = (mark: string): string => changed.filter((line) => line === '' || line.startsWith(' ') || line.startsWith(mark)).map((line) => `${line.slice(1)}\n`).join('');
      return { file, before: pick('-'), after: pick('+') };
    });
  });
}
