/**
 * Whether a compiler rejects the wrong programs of `tests/types/wrong-programs.md`, and says why:
 *
 *   node build/tests/support/wrong-programs.js <the path of tsc>
 */
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';
import { casesIn, messagesFor } from './compiled-cases.ts';

export interface WrongProgram {
  readonly title: string;
  readonly line: string;
  /** What the message has to say. */
  readonly reason: string;
  /** The message of the compiler. */
  readonly message: string;
}

/** The programs, with what the compiler says. */
export function wrongPrograms(compiler?: string): WrongProgram[] {
  const { cases } = casesIn('tests/types/wrong-programs.md');
  const messages = messagesFor(cases.map(({ code }) => code), compiler);
  return cases.map(({ title, message }, index) => {
    const [, line = '', reason = ''] = /^(\d+): (.+)$/.exec(message) ?? [];
    return { title, line, reason, message: messages[index] ?? '' };
  });
}

/** Whether the message is about the right line, and has the reason. */
export function isRejected({ line, reason, message }: WrongProgram): boolean {
  return reason !== '' && message.startsWith(`(${line},`) && message.includes(reason);
}

const [, program, compiler] = argv;
if (program === fileURLToPath(import.meta.url)) {
  const accepted = wrongPrograms(compiler).filter((each) => !isRejected(each));
  for (const { title, line, reason, message } of accepted) console.error(`${title}: expected ${line}: ${reason}\nbut got ${message || 'nothing'}`);
  process.exitCode = accepted.length === 0 ? 0 : 1;
}
