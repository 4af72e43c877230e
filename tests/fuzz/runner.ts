/** Runs cases against a subject, and reports the first whose outcome is not allowed. */
import { waitUntil } from '../support/wait.ts';
import type { ServedConnection } from './call-log.ts';
import { makeCase, type Case, type FetchCase, type LeaverCase, type StreamCase } from './cases.ts';
import { SMUGGLED } from './corpus.ts';
import { connectTo, deliver } from './delivery.ts';
import { bytesOf, complaintAboutFetch, differenceOf, differenceOfCalls, isSameOverSocket, requestOf } from './fetch-oracle.ts';
import { callFetch, type FetchOutcome } from './fetching.ts';
import { capacityProblem, healthProblem } from './health.ts';
import { complaintAboutLeaving, leave } from './leaving.ts';
import { complaintAbout, hasResponse, invocationsIn, type Outcome } from './oracle.ts';
import { type ReadResponse, readResponses } from './read-responses.ts';
import { readStream, type ReadRequest } from './reference.ts';
import { Subject, TAKEN_IDS } from './subject.ts';

const HEALTH_EVERY = 50;
const FALSE_LENGTH = 'Content-Length: 2001\r\n';
// Slow cases run at the same time as the others, which shows that they delay no other client.
const MAX_BACKGROUND = 12;

/** Runs the first cases of a seed against a subject of its own. Returns how many ran. */
export async function runSeed(seed: number, cases: number): Promise<number> {
  const subject = await Subject.startFor(seed);
  try {
    return await runCases(subject, seed, 0, cases);
  } finally {
    await subject.stop();
  }
}

/** Runs the cases `from` to `to - 1` of a seed. Returns how many ran. Throws an `Error` that says how to repeat a failure. */
export async function runCases(subject: Subject, seed: number, from: number, to: number, isOver: () => boolean = () => false): Promise<number> {
  const background = new Background(MAX_BACKGROUND);
  let number = from;
  for (; number < to && !isOver(); number += 1) {
    const it = makeCase(seed, number);
    if (it.kind === 'plain' || it.kind === 'middleware') await runStream(subject, it);
    else await background.add(() => runSlow(subject, it));
    if (number % HEALTH_EVERY === 0) complainWhere(await healthProblem(subject), seed, number);
  }
  await background.end();
  for (const port of subject.isCounting ? [subject.port, subject.middlewarePort] : []) complainWhere(await capacityProblem(subject, port), seed, number - 1);
  return number - from;
}

async function runSlow(subject: Subject, it: Case): Promise<void> {
  if (it.kind === 'leaver') await runLeaver(subject, it);
  else if (it.kind === 'fetch') await runFetch(subject, it);
  else await runStream(subject, it);
}

/** Runs a case. Throws an `Error` if its outcome is not allowed. */
export async function runStream(subject: Subject, it: StreamCase): Promise<Outcome> {
  const stream = readStream(it.bytes, it.kind === 'middleware', TAKEN_IDS[it.kind]);
  const [socket, connection] = await connectTo(subject, portOf(subject, it));
  const transcript = await deliver(socket, it, (received) => hasResponse(stream, received));
  const isOver = (): boolean => connection.isClosed && connection.pending.size === 0;
  const leak = isOver() ? undefined : await waitUntil(isOver, 'the server to close its side').then(() => undefined, (error: Error) => error.message);
  const outcome = { ...transcript, calls: connection.calls };
  const complaint = leak ?? complaintOfHost(subject, it, connection) ?? complaintAbout(stream, outcome);
  if (complaint !== undefined) throw new Error(report(it, it.ending, outcome, complaint));
  return outcome;
}

/**
 * Runs a call of `server.fetch`, and then sends the same over a socket, if both ways must have the same response. Returns whether they must.
 */
export async function runFetch(subject: Subject, it: FetchCase): Promise<boolean> {
  const request = requestOf(it);
  const [outcome, connection] = await callFetch(subject, it);
  const { response } = outcome;
  const isCompared = request !== undefined && response !== undefined && isSameOverSocket(it, request);
  const complaint = complaintOfHost(subject, { isWhole: true, bytes: '' }, connection) ?? complaintAboutFetch(it, request, outcome)
    ?? (isCompared ? await differenceToSocket(subject, it, request, { ...outcome, response }) : undefined);
  if (complaint !== undefined) throw new Error(reportFetch(it, outcome, complaint));
  return isCompared;
}

async function differenceToSocket(
  subject: Subject, it: FetchCase, request: ReadRequest, outcome: FetchOutcome & { readonly response: ReadResponse },
): Promise<string | undefined> {
  const { seed, number, which } = it;
  const bytes = bytesOf(request);
  const sent = await runStream(subject, { kind: which, seed, number, bytes, isWhole: true, ending: 'wait', chunks: [bytes] });
  const [overSocket] = readResponses(sent.received, [request]).responses;
  if (overSocket === undefined) return 'no response over a socket';
  return differenceOf(outcome.response, overSocket) ?? differenceOfCalls(outcome.calls, sent.calls);
}

function portOf(subject: Subject, { kind }: StreamCase): number {
  if (kind === 'timeout') return subject.timeoutPort;
  return kind === 'middleware' ? subject.middlewarePort : subject.port;
}

async function runLeaver(subject: Subject, it: LeaverCase): Promise<void> {
  const [transcript, connection, leaving] = await leave(subject, it);
  const outcome = { ...transcript, calls: connection.calls };
  const complaint = complaintAboutLeaving(leaving) ?? complaintOfHost(subject, it, connection) ?? complaintAbout(readStream(it.bytes), outcome);
  if (complaint !== undefined) throw new Error(report(it, `${it.leaving}, ${it.reads ? '' : 'reads nothing, '}stays: ${it.stays}`, outcome, complaint));
}

/** Returns the failures that the user's functions and its logger found. */
function complaintOfHost(subject: Subject, it: Pick<StreamCase, 'isWhole' | 'bytes'>, { failures, calls }: ServedConnection): string | undefined {
  const found = [...subject.takeLost(), ...failures];
  if (found.length > 0) return found.join('; ');
  // A false length over that of a body can end between two requests in a later body, which then are requests.
  const isWhole = it.isWhole && !it.bytes.includes(FALSE_LENGTH);
  const isSmuggled = isWhole && invocationsIn(calls).some((invocation) => invocation.startsWith('forbidden'));
  return isSmuggled ? 'a body was taken for a request' : undefined;
}

function complainWhere(complaint: string | undefined, seed: number, number: number): void {
  if (complaint !== undefined) throw new Error(`${complaint}\n  again: npm run fuzz -- --seed ${seed} --cases ${number + 1}`);
}

/** The number of the case that a complaint names. A call in the wrong context may belong to a case in the background. */
function numberIn(complaint: string, number: number): number {
  const [, named] = /\bm(\d+)-.* found /.exec(complaint) ?? [];
  return named === undefined ? number : Number(named);
}

function report({ seed, number, chunks, bytes }: StreamCase | LeaverCase, manner: string, { received, end: serverEnd, calls }: Outcome, complaint: string): string {
  return [
    `${complaint}`,
    `  again: npm run fuzz -- --seed ${seed} --case ${numberIn(complaint, number)}`,
    `  or with the cases that ran at the same time: npm run fuzz -- --seed ${seed} --cases ${number + 1}`,
    `  sent, as ${chunks.length} chunks, then ${manner} (the stream is ${readStream(bytes).end}):`,
    `    ${chunks.map(escapeBytes).join(' + ')}`,
    `  received, then ${serverEnd}:`,
    ...received.split(/(?<=\n)/).map((line) => `    ${escapeBytes(line)}`),
    `  called, each for which request: ${escapeBytes(calls.map(({ what, about, request }) => `${what} ${about} (${request})`).join(', '))}`,
  ].join('\n');
}

function reportFetch(it: FetchCase, { response, error, bodyError, calls }: FetchOutcome, complaint: string): string {
  return [
    `${complaint}`,
    `  again: npm run fuzz -- --seed ${it.seed} --case ${numberIn(complaint, it.number)}`,
    `  or with the cases that ran at the same time: npm run fuzz -- --seed ${it.seed} --cases ${it.number + 1}`,
    `  fetched: ${escapeBytes(JSON.stringify(it))}`,
    `  response: ${response === undefined ? 'none' : escapeBytes(JSON.stringify([response.status, [...response.headers], response.body]))}`,
    `  errors: ${[error, bodyError].map((thrown) => (thrown instanceof Error ? `${thrown} (${thrown.cause})` : String(thrown))).join(', ')}`,
    `  called: ${escapeBytes(calls.map(({ what, about }) => `${what} ${about}`).join(', '))}`,
  ].join('\n');
}

/** Text that stands for bytes, with escapes for invisible ones. A longer run would overflow the stack of the pattern. */
function escapeBytes(bytes: string): string {
  const short = bytes.replace(/x{40,10000}/g, (run) => `x{${run.length}}`).replaceAll(SMUGGLED, '<a request>').replace(/(?:<a request>){2,1000}/g, '<requests>');
  return JSON.stringify(short).replace(/[^\x20-\x7e]/g, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** Runs slow functions in the background, a limited number at a time. */
class Background {
  readonly #max: number;
  readonly #running = new Set<Promise<void>>();
  #failures: unknown[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  /** Starts a function as soon as fewer than the limit run. Rethrows the error of an earlier one. */
  async add(run: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#max) await Promise.race(this.#running);
    this.#throwFailure();
    const running = run().catch((thrown: unknown) => void this.#failures.push(thrown)).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Waits for all functions. Rethrows the error of any of them. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    this.#throwFailure();
  }

  #throwFailure(): void {
    const [failure] = this.#failures;
    this.#failures = [];
    if (failure !== undefined) throw failure;
  }
}
