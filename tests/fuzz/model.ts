/** A model of the rules: which responses a request may get, and the functions that it may invoke. */
import { preflightMethods, withCors } from './cors.ts';
import type { ExpectedResponse } from './expected-response.ts';
import { allowChange, conditionsIn, dependOnItem, statusOfUnmetRead } from './conditions.ts';
import { admissionRejections, expectsContinue, hasBody, isJson, isOneOf, joinHeader, pathOf, queryOf } from './heads.ts';
import { asksForUpgrade, asksToClose, type ReadRequest } from './reference.ts';
import { readNote } from './notes.ts';
import { decodeSegment, type Operation } from './operation.ts';
import { METHODS } from './paths.ts';
import { operationAt } from './route-table.ts';
import { requestIdOf } from './request-ids.ts';
import { BODY_BYTES } from './subject.ts';
import { isWithoutPreflight } from './cross-origin.ts';
import { VARY, findRule } from './middleware.ts';
import { rejectionFor } from './callers.ts';

export interface Expectation extends Omit<ExpectedResponse, 'status' | 'reads' | 'tag' | 'isReply'> {
  /** Any of these is allowed. There are several only if a request is wrong in several ways. */
  readonly statuses: readonly number[];
  /** Rejected for its head. It depends on Node's parser whether this becomes a request at all. */
  readonly isUnread?: boolean;
  /** Whether the response may be any part of `body`, since it ends only when the connection ends. */
  readonly isPart?: boolean;
  /** Whether headers and body are not checked, since they depend on the status. */
  readonly isLoose?: boolean;
  /** Whether the decision to invoke the operation needs the body. */
  readonly readsBody: boolean;
  readonly closes: 'yes' | 'no' | 'maybe';
  /** Whether a `100 Continue` is sent before. */
  readonly continues: boolean;
}

/** A header of each response that the server itself makes. */
const SAFE = { 'x-content-type-options': 'nosniff' } as const;
const REJECTED = { readsBody: false, continues: false, headers: SAFE } as const;
const PRIVATE = { 'cache-control': 'private, no-cache' } as const;

/** The expectation for a request, by the rules. */
export function expectationFor(request: ReadRequest): Expectation {
  const expectation = withId(request, expectationByRule(request));
  if (request.version === '1.0' && expectation.isStream === true && expectation.breaks === true) {
    return { ...expectation, breaks: false, logs: false, logsUnread: true, statuses: [200, ...expectation.statuses], isPart: true, closes: 'yes' };
  }
  // Node keeps an HTTP/1.0 connection open only after a response with a length, and a stream without one ends with the connection.
  if (request.version === '1.0' && expectation.closes === 'no' && hasNoLength(expectation)) {
    return { ...expectation, closes: expectation.isStream === true && request.method !== 'HEAD' ? 'yes' : 'maybe' };
  }
  // A client that waits for a 100 and gets a final response may or may not send the body, so later bytes cannot be read.
  const isUnmet = expectsContinue(request) && !expectation.continues;
  return asksToClose(request) || isUnmet || asksForUpgrade(request) ? { ...expectation, closes: 'yes' } : expectation;
}

/** Adds the id of the request. Node's parser may reject a head before anything is known of it. */
function withId(request: ReadRequest, expectation: Expectation): Expectation {
  if (expectation.isUnread === true) return expectation;
  return { ...expectation, headers: { 'x-request-id': requestIdOf(request), ...expectation.headers } };
}

function hasNoLength({ statuses, isStream }: Expectation): boolean {
  return statuses.includes(204) || statuses.includes(304) || isStream === true;
}

/** The evidence of a request in the user's functions: its id, the parts of its path, the marker in its body or query, and its target below a mount. */
export function mentionsOf(request: ReadRequest): (string | undefined)[] {
  const { body } = request;
  const target = findRule(joinHeader(request, 'x-listener'))?.target ?? request.target;
  const path = pathOf(target);
  const marker = body === undefined ? undefined : readNote(body);
  const asked = new URLSearchParams(queryOf(target)).get('marker') ?? '';
  return [requestIdOf(request), ...path.split('/').map(decodeSegment), marker, asked, 'json-list', (path.replace(/^\/(?:files|hang)/, '') || '/') + queryOf(target)];
}

function expectationByRule(request: ReadRequest): Expectation {
  const early = rejectAtOnce(request) ?? preflight(request);
  if (early !== undefined) return withCors(request, early, undefined);
  const rule = findRule(joinHeader(request, 'x-listener'));
  if (rule === undefined) return withCors(request, expectRouted(request, false), VARY);
  const headers = { vary: VARY };
  if (rule.response !== undefined) {
    const own = { ...REJECTED, ...toExpectation(rule.response), closes: hasBody(request) ? 'maybe' : 'no', headers: { ...headers, ...rule.response.headers } } as const;
    return withCors(request, own, VARY);
  }
  const rewritten = rule.target === undefined ? request : { ...request, target: rule.target };
  const expectation = rejectAtOnce(rewritten) ?? preflight(rewritten) ?? expectRouted(rewritten, rule.takesBody === true);
  return withCors(request, {
    ...expectation, isUnread: false, headers: { ...headers, ...expectation.headers },
    ...(rule.logs === true ? { logs: true } : {}),
  }, VARY);
}

/** The response to a preflight for a path that is served. */
function preflight(request: ReadRequest): Expectation | undefined {
  const methods = preflightMethods(request);
  const closes = hasBody(request) ? 'maybe' : 'no';
  return methods === undefined ? undefined : {
    ...REJECTED, statuses: [204], body: '', closes,
    headers: { ...SAFE, 'access-control-allow-methods': methods, 'access-control-max-age': '600', 'access-control-expose-headers': undefined },
  };
}

/** The expectation for a request that is rejected for its head. */
function rejectAtOnce(request: ReadRequest): Expectation | undefined {
  const rejections = admissionRejections(request);
  if (rejections.length === 0) return undefined;
  const isUnread = rejections.includes(400) || request.method === 'CONNECT';
  return { ...REJECTED, statuses: rejections, isUnread, closes: rejections.every((status) => status !== 417) ? 'yes' : 'maybe' };
}

function expectRouted(request: ReadRequest, isTaken: boolean): Expectation {
  const operation = operationAt(request.method, pathOf(request.target));
  const closes = hasBody(request) ? 'maybe' : 'no';
  if (operation?.isMount !== true && !METHODS.includes(request.method)) return { ...REJECTED, statuses: [501], closes };
  if (operation === undefined) return { ...REJECTED, statuses: [404], closes };
  const { listing } = operation;
  if (listing !== undefined) return { ...REJECTED, statuses: [listing.status], body: '', headers: { ...SAFE, allow: listing.allow }, closes };
  if (operation.rejectsId) return { ...REJECTED, statuses: [400], closes };
  if (operation.readsCaller !== true && operation.rejectsCaller === undefined) {
    const expectation = expectAdmitted(request, operation, isTaken);
    return operation.isMount ? expectation : { ...expectation, headers: { ...SAFE, ...expectation.headers } };
  }
  const rejection = operation.rejectsCaller === undefined ? rejectionFor(joinHeader(request, 'x-caller')) : operation.rejectsCaller(request);
  const expectation = rejection === undefined ? expectAdmitted(request, operation, isTaken) : { ...REJECTED, ...toExpectation(rejection), closes } as const;
  return { ...expectation, headers: { ...SAFE, ...PRIVATE, ...expectation.headers } };
}

/** The expectation for a caller who is admitted. `isTaken`: somebody has read the body before. */
function expectAdmitted(request: ReadRequest, operation: Operation, isTaken: boolean): Expectation {
  const closes = hasBody(request) ? 'maybe' : 'no';
  if (operation.isMount) return expectResponse(request, operation, undefined);
  // An operation without an input ignores the body, of whatever type.
  if (!operation.reads) {
    if (isWithoutPreflight(request, 'ignored')) return { ...REJECTED, statuses: [415], closes };
    return expectConditional(request, operation, () => expectResponse(request, operation, undefined));
  }
  const early = earlyRejections(request, operation);
  if (early.length > 0) {
    return { ...REJECTED, statuses: early, closes: early.every((status) => status === 413) ? 'yes' : closes };
  }
  if (isTaken && hasBody(request)) return { ...REJECTED, statuses: [500], logs: true, closes };
  // Bytes are read by the operation itself, which runs only if the conditions are met.
  return operation.types === undefined ? expectJson(request, operation) : expectConditional(request, operation, () => expectBytes(request, operation));
}

/** The expectation for a change of an item, whose conditions are compared just before its operation runs. `met`: if they are met. */
function expectConditional(request: ReadRequest, { asks }: Operation, met: () => Expectation): Expectation {
  const conditions = asks === undefined ? undefined : conditionsIn(request);
  if (conditions === undefined) return met();
  const closes = hasBody(request) ? 'maybe' : 'no';
  const unmet: Expectation = { ...REJECTED, statuses: [412], closes };
  if (asks === undefined || asks === 'nobody' || !dependOnItem(conditions)) {
    return allowChange(conditions, { exists: undefined, tag: undefined }) ? met() : unmet;
  }
  const { invocation, ...response } = asks;
  const asking = invocation === undefined ? {} : { asking: invocation };
  const isMissing = response.status === 404;
  if (response.hangs === true || (response.status >= 400 && !isMissing)) return { ...REJECTED, ...toExpectation(response), ...asking, closes };
  const isAllowed = allowChange(conditions, { exists: !isMissing, tag: response.headers?.['etag'] });
  return { ...(isAllowed ? met() : unmet), ...asking };
}

/** The expectation for an operation that reads its body as JSON. */
function expectJson(request: ReadRequest, operation: Operation): Expectation {
  const { isOptional, maxBytes = BODY_BYTES } = operation;
  const continues = expectsContinue(request) && hasBody(request);
  const body = request.body ?? '';
  if (body.length > maxBytes) return { statuses: [413], readsBody: true, closes: 'yes', continues };
  const note = isOptional === true && body === '' ? '' : readNote(body);
  if (note === undefined) return { statuses: [400], readsBody: true, closes: 'no', continues };
  return { ...expectConditional(request, operation, () => expectResponse(request, operation, note)), readsBody: true, closes: 'no', continues };
}

/** The expectation for an operation that reads its body as bytes, as far as it likes. */
function expectBytes(request: ReadRequest, operation: Operation): Expectation {
  const expectation = expectResponse(request, operation, undefined);
  const { reads } = getResponse(request, operation, undefined);
  const continues = expectsContinue(request) && hasBody(request) && reads !== 'nothing';
  const isTooLong = (request.body?.length ?? 0) > (operation.maxBytes ?? BODY_BYTES);
  const isReadFirst = reads === 'all' && expectation.isStream !== true;
  if (!isTooLong || reads === 'nothing') return { ...expectation, continues, closes: isReadFirst ? 'no' : expectation.closes };
  // The head of a stream is sent with its first piece, and how much of the body is read before that depends on the pieces of both.
  if (expectation.isStream === true) return { ...expectation, continues, breaks: true, logs: false, statuses: [413], closes: 'maybe', isLoose: true };
  const tooLong = { statuses: [413], logsUnread: expectation.logsUnread ?? false, readsBody: false, closes: 'yes', continues } as const;
  if (reads === 'all') return withInvocation(tooLong, expectation);
  // Whether it meets the limit depends on the pieces in which the body comes.
  return { ...expectation, continues, statuses: [...expectation.statuses, 413], closes: 'maybe', isLoose: true };
}

function withInvocation(expectation: Expectation, { invocation }: Expectation): Expectation {
  return invocation === undefined ? expectation : { ...expectation, invocation };
}

function expectResponse(request: ReadRequest, operation: Operation, note: string | undefined): Expectation {
  const continues = operation.isMount && expectsContinue(request);
  const response = getResponse(request, operation, note);
  return { ...toExpectation(response), readsBody: false, closes: hasBody(request) ? 'maybe' : 'no', continues };
}

function getResponse(request: ReadRequest, operation: Operation, note: string | undefined): ExpectedResponse {
  const caller = joinHeader(request, 'x-caller') ?? '';
  const isEmpty = request.body === '';
  const response = operation.respond({ id: operation.id ?? '', note: note ?? '', isEmpty, caller, request, query: queryOf(request.target) });
  const unmet = expectUnmetRead(request, operation, response);
  if (unmet !== undefined) return unmet;
  // A stream is closed unread on HEAD, so it does not fail.
  return request.method === 'HEAD' && response.breaks === true ? { ...response, breaks: false, logs: false } : response;
}

/** The response to a read instead of a success that does not meet its conditions. */
function expectUnmetRead(request: ReadRequest, { isMount }: Operation, response: ExpectedResponse): ExpectedResponse | undefined {
  const conditions = isMount || !/^(?:GET|HEAD)$/.test(request.method) ? undefined : conditionsIn(request);
  // An operation that hangs has no response yet. A stream that does has one.
  if (conditions === undefined || (response.hangs === true && response.isStream !== true)) return undefined;
  if (response.status >= 300 && response.isReply !== true) return undefined;
  const status = statusOfUnmetRead(conditions, response.tag);
  if (status === undefined) return undefined;
  const withCall = response.invocation === undefined ? {} : { invocation: response.invocation };
  if (status === 412) return { status, ...withCall };
  // The headers that do not describe a body stay.
  const { headers: { 'x-request-id': id } = {}, tag } = response;
  return { status, headers: { ...(id && { 'x-request-id': id }), ...(tag && { etag: tag }) }, body: '', ...withCall };
}

/** A response as an expectation. One that breaks or hangs is never complete, unless it ends with the connection. */
function toExpectation({ status, reads: _reads, tag: _tag, isReply: _isReply, ...response }: ExpectedResponse): Omit<Expectation, 'readsBody' | 'closes' | 'continues'> {
  return { ...response, statuses: response.hangs === true || response.breaks === true ? [] : [status] };
}

function earlyRejections(request: ReadRequest, { types, maxBytes = BODY_BYTES }: Operation): number[] {
  const rejections: number[] = [];
  const coding = joinHeader(request, 'content-encoding');
  const type = joinHeader(request, 'content-type');
  if (coding !== undefined && coding.toLowerCase() !== 'identity') rejections.push(415);
  if (types === undefined ? !isJson(type) : !isOneOf(types, type)) rejections.push(415);
  // It may be the type of a patch document.
  if (request.method === 'PATCH' && type !== undefined && /^[^;]*\+json/i.test(type)) rejections.push(415);
  if (isWithoutPreflight(request, types === undefined ? 'json' : 'bytes')) rejections.push(415);
  if ((request.declared ?? 0) > maxBytes) rejections.push(413);
  return rejections;
}
