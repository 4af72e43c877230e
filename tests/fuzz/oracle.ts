/** Compares the responses and the invocations with those that the rules allow for the sent bytes. */
import { CONTINUE, partIn, readResponses, type ReadResponse } from './read-responses.ts';
import type { Transcript } from './delivery.ts';
import { expectationFor, mentionsOf, type Expectation } from './model.ts';
import type { ReadRequest, ReadStream } from './reference.ts';
import type { Call } from './call-log.ts';

/** The outcome of a case. */
export interface Outcome extends Transcript {
  readonly calls: readonly Call[];
}

/** The operations and mounted handlers that were called. */
export function invocationsIn(calls: readonly Call[]): string[] {
  return calls.filter(({ what }) => what === 'begin').map(({ about }) => String(about));
}

/** The statuses that are allowed if the bytes cannot be parsed. */
const UNREADABLE = [400, 413, 431, 501];

/** Returns the flaw of an outcome, or `undefined`. */
export function complaintAbout(stream: ReadStream, outcome: Outcome): string | undefined {
  const { requests, end } = stream;
  const { responses, rest, complaint } = readResponses(outcome.received, requests);
  const expectations = requests.map(expectationFor);
  const wrong = wrongContext(requests, expectations, outcome.calls) ?? wrongFailure(requests, expectations, responses, outcome.calls);
  if (wrong !== undefined) return wrong;
  const readable = countReadable(requests);
  const known = end === 'unclear' && requests.at(-1)?.body === undefined ? requests.length - 1 : requests.length;
  for (const [index, response] of responses.slice(0, Math.max(known, 0)).entries()) {
    const isBeforeUnread = index === readable - 1 && readable < requests.length;
    const isBeforeEnd = index === requests.length - 1 && (end !== 'clean' || outcome.ending !== 'wait');
    const isCut = response.isOpenEnded && outcome.ending !== 'wait';
    const wrong = wrongResponse(response, isCut ? asPart(expectations[index]) : expectations[index], requests[index], isBeforeUnread || isBeforeEnd);
    if (wrong !== undefined) return `response ${index}: ${wrong}`;
    if (response.closes && (index < responses.length - 1 || rest !== '')) return `more bytes after response ${index}, which closes`;
  }
  // If parsers may differ on the bytes, any further response is allowed unless it is a 500.
  if (end === 'unclear' && responses.length >= known) return undefined;
  if (complaint !== undefined) return complaint;
  const next = expectations[responses.length];
  if (next?.breaks === true && responses.at(-1)?.closes !== true && requests[responses.length]?.body !== undefined) {
    return wrongBreak(outcome, rest, next, responses.length) ?? wrongInvocations(stream, expectations, outcome, responses);
  }
  return wrongEnd(stream, expectations, outcome, responses, rest) ?? wrongInvocations(stream, expectations, outcome, responses);
}

/** The expectation for a client that leaves before the end of the connection, which is the end of the response. */
function asPart(expected: Expectation | undefined): Expectation | undefined {
  return expected && { ...expected, isPart: true };
}

/** The connection must be destroyed, with no more than a part of the response sent, and the failure logged. */
function wrongBreak(outcome: Outcome, rest: string, { body = '', logs }: Expectation, index: number): string | undefined {
  const isPart = body.startsWith(partIn(rest.replace(CONTINUE, '')) ?? 'nothing');
  if (!isPart) return `response ${index} is not a part of ${JSON.stringify(body)}`;
  if (outcome.ending !== 'wait') return undefined;
  if (outcome.end === 'late') return 'the server did not end the connection';
  const isLogged = logs === false || outcome.calls.some(({ what, request }) => what === 'log' && request === index);
  return isLogged ? undefined : `response ${index} breaks, and nothing is logged`;
}

/** A failure must be requested, and must be logged in the context of its request. */
export function wrongFailure(requests: readonly ReadRequest[], expectations: readonly Expectation[], responses: readonly ReadResponse[], calls: readonly Call[]): string | undefined {
  for (const [index, { status }] of responses.entries()) {
    const isLogged = calls.some(({ what, request }) => what === 'log' && request === index);
    const { statuses, logs, breaks, isLoose } = expectations[index] ?? {};
    // If parsers may differ on the bytes, the requested failures are unknown.
    const isAskedFor = requests[index]?.body === undefined ? isLogged : statuses?.includes(status);
    if (status >= 500 && status !== 501 && isAskedFor !== true) return `got ${status}`;
    const isSure = isLoose !== true && requests[index]?.body !== undefined;
    // Whether a broken response is logged has been asked already.
    const mustBeLogged = logs === true && ((isSure && breaks !== true) || status >= 500);
    if (statuses?.includes(status) === true && mustBeLogged && !isLogged) return `got ${status} to request ${index}, and logged nothing for it`;
  }
  return undefined;
}

/** Counts the requests before the first that may get no response, because it has no end or Node's parser may reject it. */
function countReadable(requests: readonly ReadRequest[]): number {
  const first = requests.findIndex((request) => request.body === undefined || expectationFor(request).isUnread === true);
  return first === -1 ? requests.length : first;
}

/** Whether every request that must get a response has one. */
export function hasResponse({ requests }: ReadStream, received: string): boolean {
  const { responses } = readResponses(received, requests);
  const open = responses.findIndex(({ isOpenEnded }) => isOpenEnded);
  // An echo of a body that has no end has none either, until the client ends its side.
  if (open !== -1) return requests[open]?.body === undefined;
  return responses.length >= countReadable(requests) || responses.some(({ closes }) => closes);
}

export function wrongResponse(response: ReadResponse, expected: Expectation | undefined, request: ReadRequest | undefined, mayClose: boolean): string | undefined {
  if (expected === undefined || request === undefined) return 'to no request';
  const { status, headers, closes, continued } = response;
  const isBroken = request.body === undefined;
  const statuses = isBroken ? [...expected.statuses, ...UNREADABLE] : expected.statuses;
  if (!statuses.includes(status)) return `${status}, expected ${statuses.join(' or ')}`;
  if (!isBroken && continued !== expected.continues) return `100 Continue: ${continued}`;
  if (closes && expected.closes === 'no' && !mayClose) return 'closes, and has no reason';
  if (!closes && expected.closes === 'yes') return 'does not close';
  if ((isBroken && UNREADABLE.includes(status)) || expected.isLoose === true) return undefined;
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    if (headers.get(name) !== value) return `${name}: ${headers.get(name)}, expected ${value}`;
  }
  return isBroken ? undefined : wrongBody(response, expected, request.method);
}

function wrongBody({ status, headers, body }: ReadResponse, expected: Expectation, method: string): string | undefined {
  if (status === 204 || status === 304) return undefined;
  if (method === 'HEAD') {
    if (expected.isStream === true || expected.breaks !== undefined) return undefined;
    const length = expected.body === undefined || headers.get('content-length') === String(expected.body.length);
    return length ? undefined : `Content-Length: ${headers.get('content-length')}, expected ${expected.body?.length}`;
  }
  if (expected.isPart === true) return expected.body?.startsWith(body) === true ? undefined : `body ${JSON.stringify(body)}`;
  if (expected.isStream !== undefined && expected.isStream === headers.has('content-length')) return `Content-Length: ${headers.get('content-length')}`;
  if (expected.body !== undefined) return body === expected.body ? undefined : `body ${JSON.stringify(body)}, expected ${JSON.stringify(expected.body)}`;
  if (headers.get('content-type') !== 'application/problem+json') return `no problem: ${headers.get('content-type')}`;
  const problem = JSON.parse(body) as { readonly status: number };
  return problem.status === status ? undefined : `a problem of a different status: ${body}`;
}

/** Checks the bytes after the last request, and that no response is missing. */
function wrongEnd({ requests, end, left }: ReadStream, expectations: readonly Expectation[], outcome: Outcome, responses: readonly ReadResponse[], rest: string): string | undefined {
  const isLeft = outcome.ending === 'reset' || outcome.ending === 'abandon';
  const extra = responses[requests.length];
  const isUnread = end === 'malformed' || end === 'cut' || (end === 'closed' && left > 0);
  if (extra !== undefined && (!isUnread || !UNREADABLE.includes(extra.status) || !extra.closes)) return `a response to no request: ${extra.status}`;
  if (responses.length > requests.length + 1) return `${responses.length} responses to ${requests.length} requests`;
  if (isLeft) return undefined;
  // The server waits for the rest of a body. After an upgrade, Node also waits for the rest of a broken body.
  const isAwaited = outcome.ending === 'half-close' || requests.at(-1)?.body === undefined;
  // The client ended its side, or its body is broken, while a stream was sent.
  const isCut = isAwaited && expectations[responses.length]?.isStream !== undefined;
  if (rest !== '' && !isCut && !(isAwaited && rest === CONTINUE)) return `a incomplete response: ${JSON.stringify(rest)}`;
  if (outcome.end === 'late') return 'the server did not end the connection';
  const readable = countReadable(requests);
  // Node ends a connection whose client has ended its own side, even if requests are in flight.
  if (outcome.ending === 'half-close' || responses.some(({ closes }) => closes)) return undefined;
  return responses.length < readable ? `${responses.length} responses to ${readable} requests` : undefined;
}

function wrongInvocations({ requests, end }: ReadStream, expectations: readonly Expectation[], outcome: Outcome, responses: readonly ReadResponse[]): string | undefined {
  // A client that has left may have missed responses. A request whose body did not arrive may have got one.
  const all = expectations.flatMap(({ asking, invocation, readsBody }, index) => {
    const isUnread = requests[index]?.body === undefined && readsBody;
    return (isUnread ? [] : [asking, invocation]).filter((each) => each !== undefined).map((each) => ({ invocation: each, index }));
  });
  const hanging = expectations.findIndex(({ hangs, breaks }) => hangs === true || breaks === true);
  const possible = hanging === -1 ? all : all.filter(({ index }) => index <= hanging);
  // If parsers may differ on the bytes, the server may have read more of them.
  const begun = invocationsIn(outcome.calls);
  const invocations = end === 'unclear' ? begun.slice(0, possible.length) : begun;
  const isPrefix = invocations.every((invocation, at) => invocation === possible[at]?.invocation || possible[at]?.index === requests.length - 1);
  if (!isPrefix || invocations.length > possible.length) {
    return `invoked ${JSON.stringify(invocations)}, expected ${JSON.stringify(possible.map(({ invocation }) => invocation))}`;
  }
  const must = possible.filter(({ index }) => index < responses.length && requests[index]?.body !== undefined).length;
  if (invocations.length < must) return `invoked ${invocations.length}, and gave ${must} responses`;
  const last = responses.at(-1);
  const max = last?.closes === true ? possible.filter(({ index }) => index < responses.length).length : possible.length;
  return invocations.length > max ? `invoked ${invocations.length}, although the connection closed after ${max}` : undefined;
}

/** Returns which of the user's functions was not called in the async context of its own request, or `undefined`. */
export function wrongContext(requests: readonly ReadRequest[], expectations: readonly Expectation[], calls: readonly Call[]): string | undefined {
  for (const { what, about, request: index } of calls) {
    const request = requests[index];
    const expected = expectations[index];
    // If parsers may differ on the bytes, the server may have read more of them, or another body.
    if (request?.body === undefined || expected === undefined) continue;
    const isInvocation = about === expected.invocation || about === expected.asking;
    const isIts = what === 'begin' ? isInvocation : about === undefined || mentionsOf(request).includes(about);
    if (what === 'decode' && !expected.readsBody) return `a body was decoded of request ${index}, which is rejected before`;
    if (!isIts) return `${what} of ${about} was called in the context of request ${index}, which is ${request.method} ${request.target}`;
    if (what === 'log' && expected.logs !== true && expected.logsUnread !== true) return `a failure was logged in the context of request ${index}, which has none`;
  }
  return undefined;
}
