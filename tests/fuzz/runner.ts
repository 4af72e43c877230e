/** Runs cases against a subject, and tells of the first whose outcome is not allowed. */
import { until } from '../support/gate.ts';
import { Aside } from './aside.ts';
import { makeCase, type Case, type LeaverCase, type StreamCase } from './cases.ts';
import { deliver, visit } from './delivery.ts';
import { healthOf, roomOf } from './health.ts';
import { complaintAboutFarewell, leave } from './leaving.ts';
import { complaintAbout, invocationsIn, isAnswered, type Outcome } from './oracle.ts';
import { readStream } from './reference.ts';
import type { Subject } from './subject.ts';
import type { Visit } from './witness.ts';

const HEALTH_EVERY = 50;
// Those that take long are run beside the others, which shows that they hold nobody up.
const MOST_ASIDE = 12;

/**
 * Runs the cases of a seed from one number to before another, and gives how many were run. Throws an `Error` that says how
 * to bring a failure back.
 */
export async function runCases(subject: Subject, seed: number, from: number, to: number, isOver: () => boolean = () => false): Promise<number> {
  const aside = new Aside(MOST_ASIDE);
  let number = from;
  for (; number < to && !isOver(); number += 1) {
    const it = makeCase(seed, number);
    if (it.kind === 'patient') await runStream(subject, it);
    else await aside.add(() => (it.kind === 'leaver' ? runLeaver(subject, it) : runStream(subject, it)));
    if (number % HEALTH_EVERY === 0) complainWhere(await healthOf(subject), seed, number);
  }
  await aside.end();
  if (subject.isCounting) complainWhere(await roomOf(subject), seed, number - 1);
  return number - from;
}

async function runStream(subject: Subject, it: StreamCase): Promise<void> {
  const stream = readStream(it.bytes);
  const [socket, itsVisit] = await visit(subject, it.kind === 'hasty' ? subject.hastyPort : subject.port);
  const transcript = await deliver(socket, it, (received) => isAnswered(stream, received));
  const isOver = (): boolean => itsVisit.isClosed && itsVisit.untold.size === 0;
  const leak = isOver() ? undefined : await until(isOver, 'the server to close its side').then(() => undefined, (error: Error) => error.message);
  const outcome = { ...transcript, calls: itsVisit.calls };
  const complaint = leak ?? complaintOfHost(subject, it, itsVisit) ?? complaintAbout(stream, outcome);
  if (complaint !== undefined) throw new Error(report(it, it.ending, outcome, complaint));
}

async function runLeaver(subject: Subject, it: LeaverCase): Promise<void> {
  const [transcript, itsVisit, farewell] = await leave(subject, it);
  const outcome = { ...transcript, calls: itsVisit.calls };
  const complaint = complaintAboutFarewell(farewell) ?? complaintOfHost(subject, it, itsVisit) ?? complaintAbout(readStream(it.bytes), outcome);
  if (complaint !== undefined) throw new Error(report(it, `${it.leaving}, ${it.reads ? '' : 'reads nothing, '}stays: ${it.stays}`, outcome, complaint));
}

/** What the host's functions found out by themselves. */
function complaintOfHost(subject: Subject, it: Case, { failures, calls }: Visit): string | undefined {
  const found = [...subject.takeLost(), ...failures];
  if (found.length > 0) return found.join('; ');
  const isSmuggled = it.isWhole && invocationsIn(calls).some((invocation) => invocation.startsWith('forbidden'));
  return isSmuggled ? 'a body was taken for a request' : undefined;
}

function complainWhere(complaint: string | undefined, seed: number, number: number): void {
  if (complaint !== undefined) throw new Error(`${complaint}, behind seed ${seed}, case ${number}`);
}

function report({ seed, number, chunks, bytes }: Case, manner: string, { received, end: serverEnd, calls }: Outcome, complaint: string): string {
  return [
    `${complaint}`,
    `  again: npm run fuzz -- --seed ${seed} --case ${number}`,
    `  or with what ran beside it: npm run fuzz -- --seed ${seed} --cases ${number + 1}`,
    `  sent, as ${chunks.length} chunks, then ${manner} (the stream is ${readStream(bytes).end}):`,
    `    ${chunks.map(escaped).join(' + ')}`,
    `  received, then ${serverEnd}:`,
    ...received.split(/(?<=\n)/).map((line) => `    ${escaped(line)}`),
    `  called, each for which request: ${escaped(calls.map(({ what, about, request }) => `${what} ${about} (${request})`).join(', '))}`,
  ].join('\n');
}

/** Text that stands for bytes, with an escape for each that is not seen. */
function escaped(bytes: string): string {
  const short = bytes.replace(/x{40,}/g, (run) => `x{${run.length}}`);
  return JSON.stringify(short).replace(/[^\x20-\x7e]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}
