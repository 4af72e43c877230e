/**
 * Whether a compiler rejects the wrong programs of `tests/types/wrong-programs.md`, and wrong options of all functions, and says why:
 *
 *   node build/tests/support/wrong-programs.js <the path of tsc>
 */
import { readFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { compileCases } from './compiled-cases.ts';
import { compileWrongOptions } from './wrong-options.ts';

const PAGE = fileURLToPath(new URL('../../../tests/types/wrong-programs.md', import.meta.url));

export interface WrongProgram {
  readonly title: string;
  readonly line: number;
  /** What the message has to say. */
  readonly reason: string;
  /** The message of the compiler. */
  readonly message: string;
}

/** The programs, with what the compiler says. */
export function compileWrongPrograms(compiler?: string): WrongProgram[] {
  const [, code = ''] = /```ts\n([^]+?)\n```/.exec(readFileSync(PAGE, 'utf8')) ?? [];
  const programs = code.split(/\n\n(?=\/\/ )/);
  const messages = compileCases(programs, compiler);
  return programs.map((program, index) => {
    const [first = '', ...lines] = program.split('\n');
    const at = lines.findIndex((line) => line.includes('// rejected: '));
    const [, before = '', reason = ''] = /^(.*)\/\/ rejected: (.+)$/.exec(lines[at] ?? '') ?? [];
    return { title: first.replace('// ', ''), line: at + (before.trim() === '' ? 3 : 2), reason, message: messages[index] ?? '' };
  });
}

/** Whether the message is about the right line, and has the reason. */
export function isRejected({ line, reason, message }: WrongProgram): boolean {
  return reason !== '' && message.startsWith(`(${line},`) && message.includes(reason);
}

const [, program, compiler] = argv;
if (program === fileURLToPath(import.meta.url)) {
  const options = compileWrongOptions(compiler).wrong;
  const accepted = [...compileWrongPrograms(compiler).filter((each) => !isRejected(each)), ...options.filter((each) => !isRejected(each) || !each.isOnlyError)];
  for (const { title, line, reason, message } of accepted) console.error(`${title}: expected ${line}: ${reason}\nbut got ${message || 'nothing'}`);
  process.exitCode = accepted.length === 0 ? 0 : 1;
}
