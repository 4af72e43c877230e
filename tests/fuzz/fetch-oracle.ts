/** The rules for `server.fetch`: the request that a call makes, and the outcomes that are allowed. */
import { METHODS } from 'node:http';
import type { Call } from './call-log.ts';
import type { ReadResponse } from './read-responses.ts';
import type { FetchDraft } from './fetch-cases.ts';
import { ABORT_REASON, STREAM_ERROR, type FetchOutcome } from './fetching.ts';
import { expectationFor, type Expectation } from './model.ts';
import { invocationsIn, wrongContext, wrongFailure, wrongResponse } from './oracle.ts';
import type { ReadRequest } from './reference.ts';
import { HEADER_BYTES, TAKEN_IDS } from './subject.ts';

/** Headers of one connection, and those that `fetch` sets. */
const NOT_PASSED_ON = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade', 'host', 'content-length'];
const OF_FRAMING = ['connection', 'keep-alive', 'transfer-encoding', 'date'];
const REJECTED = { framing: 'rejected', declared: undefined, body: undefined } as const;
const LENGTH = /^(?:0|[1-9]\d{0,15})$/;
// The head has some headers that depend on the body.
const CLEARLY_SHORT = HEADER_BYTES * 0.8;

/** The request that a call makes. `undefined` if `fetch` must reject what it is given. */
export function requestOf({ which, input, method, headers, body }: FetchDraft): ReadRequest | undefined {
  let request: Request;
  try {
    const url = input.startsWith('/') ? `http://localhost${input}` : input;
    const given = body === undefined ? {} : { body: body.form === 'string' ? '' : new Uint8Array() };
    request = new Request(url, { method, headers: headers.map(([name, value]) => [name, value]), ...given });
  } catch {
    return undefined;
  }
  const { protocol, host, pathname, search } = new URL(request.url);
  if (!/^https?:$/.test(protocol)) return undefined;
  const passed = [...request.headers].filter(([name]) => !NOT_PASSED_ON.includes(name));
  // Some servers behind this one would read them as framing.
  const isDisguised = passed.some(([name]) => name === 'content_length' || name === 'transfer_encoding');
  return {
    method: request.method,
    target: pathname + search,
    hasCors: which === 'middleware',
    ids: TAKEN_IDS[which],
    version: '1.1',
    headers: [['host', request.headers.get('host') ?? host], ...passed],
    ...(isDisguised ? REJECTED : framingOf(body, request.headers.get('content-length'))),
  };
}

function framingOf(body: FetchDraft['body'], given: string | null): Pick<ReadRequest, 'framing' | 'declared' | 'body'> {
  if (body === undefined) return { framing: 'none', declared: 0, body: '' };
  const bytes = body.pieces.join('');
  if (body.form === 'string' || body.form === 'bytes') return { framing: 'length', declared: bytes.length, body: bytes };
  const isWhole = !body.fails && (given === null || Number(given) === bytes.length);
  const whole = { body: isWhole ? bytes : undefined };
  if (given === null) return { framing: 'chunked', declared: undefined, ...whole };
  // A body of no bytes is not read, whatever is behind it.
  if (Number(given) === 0 && LENGTH.test(given)) return { framing: 'length', declared: 0, body: '' };
  return LENGTH.test(given) ? { framing: 'length', declared: Number(given), ...whole } : REJECTED;
}

/** The expectation for a call. The headers of the connection are dropped in both directions, and so are informational responses. */
function expectationOf(request: ReadRequest): Expectation {
  const rejected = { readsBody: false, continues: false, closes: 'maybe', headers: { 'x-content-type-options': 'nosniff' } } as const;
  const length = lengthOf(request);
  if (length > HEADER_BYTES) return { ...rejected, statuses: [431] };
  const isInvalid = request.headers.some(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value));
  // Node's parser does not know yet that it is HEAD, and sends a body. Nor does it know the id.
  const byRule = isInvalid ? { ...rejected, statuses: [400], isUnread: request.method === 'HEAD' || request.ids === 'of all' } : expectationFor(request);
  const expected: Expectation = { ...byRule, continues: false, closes: 'maybe' };
  return length < CLEARLY_SHORT ? expected : { ...expected, statuses: [...expected.statuses, 431], isLoose: true };
}

function lengthOf({ method, target, headers }: ReadRequest): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, method.length + target.length);
}

/** Returns the flaw of an outcome, or `undefined`. */
export function complaintAboutFetch(draft: FetchDraft, request: ReadRequest | undefined, outcome: FetchOutcome): string | undefined {
  const { error, response, calls, left } = outcome;
  if (left !== undefined) return left;
  if (request === undefined || draft.abortsAfter === 0) {
    const isRight = request === undefined ? error instanceof TypeError || error === ABORT_REASON : error === ABORT_REASON;
    return isRight && calls.length === 0 ? undefined : 'must be rejected before anything is called';
  }
  const expected = expectationOf(request);
  const responses = response === undefined ? [] : [response];
  return wrongContext([request], [expected], calls) ?? wrongFailure([request], [expected], responses, calls)
    ?? wrongErrors(draft, request, expected, outcome) ?? wrongOwnResponse(draft, request, expected, outcome)
    ?? wrongInvocations(request, expected, outcome);
}

/** A call may reject, and a body may fail, only if the caller has ended it, its own body was broken, or the operation breaks. */
function wrongErrors(
  { abortsAfter, body }: FetchDraft, request: ReadRequest, expected: Expectation, { error, bodyError }: FetchOutcome,
): string | undefined {
  const isAllowed = (thrown: unknown): boolean => {
    if (thrown === undefined || (thrown === ABORT_REASON && abortsAfter > 0)) return true;
    if (!(thrown instanceof TypeError)) return false;
    if (expected.breaks === true) return true;
    if (request.body !== undefined || body === undefined) return false;
    // It is found to be longer than its length before it fails.
    const isTooLong = body.pieces.join('').length > (request.declared ?? Infinity);
    return thrown.cause === STREAM_ERROR || !body.fails || isTooLong || expected.isStream === true;
  };
  if (!isAllowed(error)) return 'the call must not reject';
  return isAllowed(bodyError) ? undefined : 'the body of the response must not fail';
}

function wrongOwnResponse(
  draft: FetchDraft, request: ReadRequest, expected: Expectation, { response, bodyError }: FetchOutcome,
): string | undefined {
  if (response === undefined) return undefined;
  const sent = draft.body?.pieces.join('').length ?? 0;
  const { declared = Infinity } = request;
  const isCutShort = request.body === undefined && sent < declared && (draft.body?.fails === true || declared !== Infinity);
  if (isCutShort && expected.readsBody && response.status !== 413) return `${response.status}, though its body never ended`;
  const isPart = draft.reads === 'cancels' || bodyError !== undefined;
  if (expected.hangs === true || expected.breaks === true) {
    const isRight = expected.isLoose === true || [200, ...expected.statuses].includes(response.status);
    if (!isRight) return `${response.status}, expected 200`;
    const isWhole = expected.breaks === true && bodyError === undefined && draft.reads !== 'cancels' && request.method !== 'HEAD';
    if (isWhole && response.status === 200) return 'the body of the response must fail';
    if (expected.breaks !== true || response.status !== 200) return undefined;
    return expected.body?.startsWith(response.body) === true ? undefined : `body ${JSON.stringify(response.body)}`;
  }
  // A problem comes in one piece.
  const isProblem = expected.body === undefined;
  if (isProblem && bodyError !== undefined) return undefined;
  return wrongResponse(response, isPart && !isProblem ? { ...expected, isPart: true } : expected, request, true);
}

function wrongInvocations(request: ReadRequest, expected: Expectation, { response, bodyError, calls }: FetchOutcome): string | undefined {
  const { asking, invocation, readsBody } = expected;
  const isUnread = request.body === undefined && readsBody;
  const possible = (isUnread ? [] : [asking, invocation]).filter((each) => each !== undefined);
  const begun = invocationsIn(calls);
  const isPrefix = begun.length <= possible.length && begun.every((each, at) => each === possible[at]);
  if (!isPrefix) return `invoked ${JSON.stringify(begun)}, expected ${JSON.stringify(possible)}`;
  const hasResponse = response !== undefined && bodyError === undefined && request.body !== undefined && response.status !== 431;
  return hasResponse && begun.length < possible.length ? `invoked ${begun.length}, and responded` : undefined;
}

/** Whether the same request over a socket must get the same response. */
export function isSameOverSocket({ abortsAfter, reads }: FetchDraft, request: ReadRequest): boolean {
  const { statuses, isUnread, isLoose, hangs, breaks } = expectationOf(request);
  const isWhole = hangs !== true && breaks !== true;
  const isClear = statuses.length === 1 && isUnread !== true && isLoose !== true && !statuses.includes(431);
  return isWhole && isClear && abortsAfter === -1 && reads !== 'cancels' && request.body !== undefined && METHODS.includes(request.method);
}

/** Writes a request as bytes. */
export function bytesOf({ method, target, headers, framing, declared, body = '' }: ReadRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  if (framing === 'length') lines.push(`Content-Length: ${declared}`);
  if (framing === 'chunked') lines.push('Transfer-Encoding: chunked');
  const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`;
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${framing === 'chunked' ? `${chunk}0\r\n\r\n` : body}`;
}

/** Returns how two responses differ, but for framing. */
export function differenceOf(one: ReadResponse, other: ReadResponse): string | undefined {
  if (one.status !== other.status) return `${one.status}, and ${other.status} over a socket`;
  if (one.body !== other.body) return `another body than over a socket: ${JSON.stringify(other.body)}`;
  const [own, others] = [one, other].map(({ headers }) => {
    return JSON.stringify([...headers].filter(([name]) => !OF_FRAMING.includes(name)).sort());
  });
  return own === others ? undefined : `headers ${own}, and ${others} over a socket`;
}

/** Returns how the functions that were called, what these saw, and what was logged differ. Middleware can fail at any time after `next`. */
export function differenceOfCalls(calls: readonly Call[], overSocket: readonly Call[]): string | undefined {
  const [own, others] = [calls, overSocket].map((each) => JSON.stringify(each.map(({ what, about }) => `${what} ${about}`).sort()));
  return own === others ? undefined : `called ${own}, and ${others} over a socket`;
}
