/** Holds what came back, and what was invoked, against what the rules allow for the bytes that were sent. */
import { CONTINUE, readAnswers, type Answer } from './answers.ts';
import { wrongContext } from './contexts.ts';
import type { Transcript } from './delivery.ts';
import { expectationFor, type Expectation } from './model.ts';
import type { ReadRequest, ReadStream } from './reference.ts';
import type { Call } from './witness.ts';

/** What came of a case. */
export interface Outcome extends Transcript {
  readonly calls: readonly Call[];
}

/** The operations and mounted handlers that were called. */
export function invocationsIn(calls: readonly Call[]): string[] {
  return calls.filter(({ what }) => what === 'begin').map(({ about }) => String(about));
}

/** What may be answered when the bytes can not be read. */
const UNREADABLE = [400, 413, 431, 501];

/** Says what is wrong with an outcome, or `undefined`. */
export function complaintAbout(stream: ReadStream, outcome: Outcome): string | undefined {
  const { requests, end } = stream;
  const { answers, rest, complaint } = readAnswers(outcome.received, requests);
  const expectations = requests.map(expectationFor);
  const wrong = wrongContext(requests, expectations, outcome.calls) ?? wrongFailure(requests, expectations, answers, outcome.calls);
  if (wrong !== undefined) return wrong;
  const readable = countReadable(requests);
  const known = end === 'unclear' && requests.at(-1)?.body === undefined ? requests.length - 1 : requests.length;
  for (const [index, answer] of answers.slice(0, Math.max(known, 0)).entries()) {
    const isBeforeUnread = index === readable - 1 && readable < requests.length;
    const isBeforeEnd = index === requests.length - 1 && (end !== 'clean' || outcome.ending !== 'wait');
    const wrong = wrongAnswer(answer, expectations[index], requests[index], isBeforeUnread || isBeforeEnd);
    if (wrong !== undefined) return `answer ${index}: ${wrong}`;
    if (answer.closes && (index < answers.length - 1 || rest !== '')) return `more came behind answer ${index}, which closes`;
  }
  // Where readers may differ on the bytes, nothing is known of what else comes, but that it is no failure.
  if (end === 'unclear' && answers.length >= known) return undefined;
  if (complaint !== undefined) return complaint;
  return wrongEnd(stream, outcome, answers, rest) ?? wrongInvocations(stream, expectations, outcome, answers);
}

/** A failure is answered where it was asked for, and is logged there. */
function wrongFailure(requests: readonly ReadRequest[], expectations: readonly Expectation[], answers: readonly Answer[], calls: readonly Call[]): string | undefined {
  for (const [index, { status }] of answers.entries()) {
    const isLogged = calls.some(({ what, request }) => what === 'log' && request === index);
    const { statuses, logs } = expectations[index] ?? {};
    // Where readers may differ on the bytes, it is not known what was asked for.
    const isAskedFor = requests[index]?.body === undefined ? isLogged : statuses?.includes(status);
    if (status >= 500 && status !== 501 && isAskedFor !== true) return `answered ${status}`;
    if (statuses?.includes(status) === true && logs === true && !isLogged) return `answered ${status} to request ${index}, and logged nothing for it`;
  }
  return undefined;
}

/** How many requests there are before one that may not be answered: it has no end, or Node's parser may refuse it. */
function countReadable(requests: readonly ReadRequest[]): number {
  const first = requests.findIndex((request) => request.body === undefined || expectationFor(request).isUnread === true);
  return first === -1 ? requests.length : first;
}

/** Whether all that must be answered is. */
export function isAnswered({ requests }: ReadStream, received: string): boolean {
  const { answers } = readAnswers(received, requests);
  return answers.length >= countReadable(requests) || answers.some(({ closes }) => closes);
}

function wrongAnswer(answer: Answer, expected: Expectation | undefined, request: ReadRequest | undefined, mayClose: boolean): string | undefined {
  if (expected === undefined || request === undefined) return 'to no request';
  const { status, headers, closes, continued } = answer;
  const isBroken = request.body === undefined;
  const statuses = isBroken ? [...expected.statuses, ...UNREADABLE] : expected.statuses;
  if (!statuses.includes(status)) return `${status}, expected ${statuses.join(' or ')}`;
  if (!isBroken && continued !== expected.continues) return `100 Continue: ${continued}`;
  if (closes && expected.closes === 'no' && !mayClose) return 'closes, and has no reason';
  if (!closes && expected.closes === 'yes') return 'does not close';
  if (!expected.statuses.includes(status)) return undefined;
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    if (headers.get(name) !== value) return `${name}: ${headers.get(name)}, expected ${value}`;
  }
  return isBroken ? undefined : wrongBody(answer, expected, request.method);
}

function wrongBody({ status, headers, body }: Answer, expected: Expectation, method: string): string | undefined {
  if (method === 'HEAD') {
    const length = expected.body === undefined || headers.get('content-length') === String(expected.body.length);
    return length ? undefined : `Content-Length: ${headers.get('content-length')}, expected ${expected.body?.length}`;
  }
  if (expected.body !== undefined) return body === expected.body ? undefined : `body ${JSON.stringify(body)}, expected ${JSON.stringify(expected.body)}`;
  if (headers.get('content-type') !== 'application/problem+json') return `no problem: ${headers.get('content-type')}`;
  return (JSON.parse(body) as { status: number }).status === status ? undefined : `a problem of another status: ${body}`;
}

/** What comes behind the last request that was read, and what must not be missing. */
function wrongEnd({ requests, end, left }: ReadStream, outcome: Outcome, answers: readonly Answer[], rest: string): string | undefined {
  const isLeft = outcome.ending === 'reset' || outcome.ending === 'abandon';
  const extra = answers[requests.length];
  const isUnread = end === 'malformed' || end === 'cut' || (end === 'closed' && left > 0);
  if (extra !== undefined && (!isUnread || !UNREADABLE.includes(extra.status) || !extra.closes)) return `an answer to no request: ${extra.status}`;
  if (answers.length > requests.length + 1) return `${answers.length} answers to ${requests.length} requests`;
  if (isLeft) return undefined;
  // A body that does not come is waited for, and so is, by Node, the rest of one that is broken behind an Upgrade.
  const isAwaited = outcome.ending === 'half-close' || requests.at(-1)?.body === undefined;
  if (rest !== '' && !(isAwaited && rest === CONTINUE)) return `an answer that is cut off: ${JSON.stringify(rest)}`;
  if (outcome.end === 'late') return 'the server did not end the connection';
  const readable = countReadable(requests);
  // Node ends a connection whose client ended its own side, whatever is still in work.
  if (outcome.ending === 'half-close' || answers.some(({ closes }) => closes)) return undefined;
  return answers.length < readable ? `${answers.length} answers to ${readable} requests` : undefined;
}

function wrongInvocations({ requests, end }: ReadStream, expectations: readonly Expectation[], outcome: Outcome, answers: readonly Answer[]): string | undefined {
  // A client that has left can not have seen every answer; one whose body did not come may have been answered before.
  const all = expectations.flatMap(({ invocation, readsBody }, index) => {
    return invocation === undefined || (requests[index]?.body === undefined && readsBody) ? [] : [{ invocation, index }];
  });
  const hanging = expectations.findIndex(({ hangs }) => hangs === true);
  const possible = hanging === -1 ? all : all.filter(({ index }) => index <= hanging);
  // Where readers may differ on the bytes, the server may have read more of them.
  const begun = invocationsIn(outcome.calls);
  const invocations = end === 'unclear' ? begun.slice(0, possible.length) : begun;
  const isPrefix = invocations.every((invocation, at) => invocation === possible[at]?.invocation || possible[at]?.index === requests.length - 1);
  if (!isPrefix || invocations.length > possible.length) {
    return `invoked ${JSON.stringify(invocations)}, expected ${JSON.stringify(possible.map(({ invocation }) => invocation))}`;
  }
  const must = possible.filter(({ index }) => index < answers.length && requests[index]?.body !== undefined).length;
  if (invocations.length < must) return `invoked ${invocations.length}, and answered ${must}`;
  const last = answers.at(-1);
  const most = last?.closes === true ? possible.filter(({ index }) => index < answers.length).length : possible.length;
  return invocations.length > most ? `invoked ${invocations.length}, though the connection closed behind ${most}` : undefined;
}
