/** Runs cases against a subject, one after the other, and tells of the first whose outcome is not allowed. */
import { isAnswered, complaintAbout, type Outcome } from './oracle.ts';
import { makeCase, type Case } from './cases.ts';
import { deliver } from './delivery.ts';
import { readStream } from './reference.ts';
import type { Subject } from './subject.ts';

const HEALTH_EVERY = 50;
const HEALTH = { chunks: ['GET /v1/later/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'], ending: 'wait' } as const;

/** Runs the cases of a seed from one number to before another. Throws an `Error` that says how to bring a failure back. */
export async function runCases(subject: Subject, seed: number, from: number, to: number, isOver: () => boolean = () => false): Promise<number> {
  for (let number = from; number < to; number += 1) {
    if (isOver()) return number - from;
    await runCase(subject, makeCase(seed, number));
    if (number % HEALTH_EVERY === 0) await checkHealth(subject, seed, number);
  }
  return to - from;
}

async function runCase(subject: Subject, it: Case): Promise<void> {
  const stream = readStream(it.bytes);
  subject.invocations.length = 0;
  const transcript = await deliver(subject.port, it, (received) => isAnswered(stream, received));
  const leak = await subject.settled().then(() => undefined, (error: Error) => error.message);
  const outcome: Outcome = { ...transcript, invocations: [...subject.invocations] };
  const logged = subject.errors.splice(0).map(({ message }) => message);
  const smuggled = it.isWhole && outcome.invocations.some((invocation) => invocation.startsWith('forbidden'));
  const complaint =
    leak ??
    (logged.length > 0 ? `logged: ${logged.join('; ')}` : undefined) ??
    (smuggled ? 'a body was taken for a request' : undefined) ??
    complaintAbout(stream, outcome);
  if (complaint !== undefined) throw new Error(report(it, stream.end, outcome, complaint));
}

async function checkHealth(subject: Subject, seed: number, number: number): Promise<void> {
  const { received } = await deliver(subject.port, HEALTH, () => false);
  if (!received.endsWith('\r\n\r\n{"marker":"health"}')) throw new Error(`not healthy behind seed ${seed}, case ${number}: ${JSON.stringify(received)}`);
  await subject.settled();
}

function report({ seed, number, chunks, ending }: Case, end: string, { received, end: serverEnd, invocations }: Outcome, complaint: string): string {
  return [
    `${complaint}`,
    `  again: npm run fuzz -- --seed ${seed} --case ${number}`,
    `  sent, as ${chunks.length} chunks, then ${ending} (the stream is ${end}):`,
    `    ${chunks.map(escaped).join(' + ')}`,
    `  received, then ${serverEnd}:`,
    ...received.split(/(?<=\n)/).map((line) => `    ${escaped(line)}`),
    `  invoked: ${escaped(invocations.join(', '))}`,
  ].join('\n');
}

/** Text that stands for bytes, with an escape for each that is not seen. */
function escaped(bytes: string): string {
  const short = bytes.replace(/x{40,}/g, (run) => `x{${run.length}}`);
  return JSON.stringify(short).replace(/[^\x20-\x7e]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
