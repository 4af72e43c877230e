/**
 * The conditions that a client sets for its request (RFC 9110 section 13).
 *
 *   GET, HEAD                                  the validators of the response      ->   304, 412
 *   PUT, PATCH, DELETE and POST of an item     the current version of the item     ->   412
 *   changes of all items                       only * is met                       ->   412
 *
 * The version of a changed item is compared just before the operation runs, within its interceptors, or before an interceptor that holds a
 * connection, if `get` is called for it. A missing `If-Match` is rejected as soon as the head is read: 428.
 */
import { findContextMistake, findRejection } from '../../endpoint/context.ts';
import type { MaybePromise } from '../../declaration/decoder.ts';
import { findStatus } from '../../declaration/kinds.ts';
import type { Operation } from '../../endpoint/operation.ts';
import { dropUnsent, findReply, GivenProblem } from '../../declaration/reply.ts';
import type { ApiRequest } from '../../declaration/request.ts';
import { comparesVersions, findVersionGet, formatVersion } from '../../endpoint/versions.ts';
import { ApiError } from '../../errors/api-error.ts';
import { filterHeaders } from '../../util/headers.ts';
import { makeRejection } from '../../errors/problem.ts';
import { parseDate } from '../../http/date.ts';
import { type Current, EXISTING, findUnmetStatus, MISSING, parseTags, UNKNOWN } from '../../http/preconditions.ts';
import { findHeader } from '../../http/head.ts';
import type { Outgoing } from '../../http/response.ts';
import type { UserFunction } from '../../util/options.ts';
import { joinObjects } from '../../util/join-objects.ts';
import { after, recover } from '../../util/promises.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { type Call, OperationRequest } from './call.ts';

// The same message for all reasons, so that it reveals nothing of the item.
const UNMET_MESSAGE = 'A condition of the request is not met.';
const UNMET = makeRejection('version', UNMET_MESSAGE);
const UNCONDITIONAL = makeRejection('version-missing', 'The request must have If-Match, with the version of the item that it changes.');

/**
 * Returns the 304 or 412 that takes the place of a success of GET or HEAD, if the headers of the success do not meet a condition of
 * the request. Conditions do not apply to any other response (section 13.2.1).
 */
export function makeUnmetResponse({ exchange, operation }: Call, status: number, headers: readonly string[]): Outgoing | undefined {
  const { method, rawHeaders } = exchange;
  if (status >= 300 || !operation.kind.reads || !exchange.isOpen) return undefined;
  const current: Current = {
    exists: true,
    etag: findHeader(headers, 'etag'),
    isVersion: operation.getTag !== undefined,
    lastModified: findHeader(headers, 'last-modified'),
  };
  switch (findUnmetStatus(method, rawHeaders, current)) {
    case 304:
      return { status: 304, headers: filterHeaders(headers, (lowerCase) => !CONTENT_HEADERS.has(lowerCase)), body: undefined };
    case 412:
      return exchange.formatError(UNMET);
    case undefined:
      return undefined;
  }
}

// These headers describe a body, which a 304 does not have (RFC 9110 section 15.4.5).
const CONTENT_HEADERS = new Set(['content-encoding', 'content-language', 'content-length', 'content-range', 'content-type']);

/** Throws for a request without `If-Match`. */
export function requireIfMatch({ rawHeaders }: Exchange): void {
  if (findHeader(rawHeaders, 'if-match') === undefined) throw UNCONDITIONAL;
}

/** The request of an operation, with the id of its item. */
export interface ItemRequest extends ApiRequest<unknown, object, unknown> {
  readonly itemId: unknown;
}

/**
 * Runs the operation, with the request as its interceptors have left it, if the item meets the conditions of the request. They are compared
 * as late as possible (RFC 9110 section 13.2.1): no other request runs between a synchronous `get` and a synchronous operation.
 */
export function runIfMet(call: Call, request: ItemRequest, input: unknown): unknown {
  const { operation } = call;
  if (!isConditional(call)) return operation.run(request.itemId, input, request);
  return after(compareVersions(call, () => findCurrent(call, request)), () => operation.run(request.itemId, input, request));
}

/** Whether the request has conditions that are compared before the operation runs. */
function isConditional({ operation, exchange }: Call): boolean {
  return operation.conditions !== 'none' && exchange.head.isConditional;
}

/**
 * Finds how to compare the conditions before an interceptor holds a connection, which `get` would wait for. `undefined` if only
 * `currentVersion` is called, which reads within the interceptors.
 */
export function findEarlyComparison(call: Call, request: ItemRequest): (() => MaybePromise<void>) | undefined {
  if (!isConditional(call)) return undefined;
  const { get, currentVersion } = findSources(call);
  return get === undefined || currentVersion !== undefined ? undefined : () => compareVersions(call, () => callGet(get, call, request));
}

/**
 * Throws a 412 if a condition of a change is not met, and the errors of the user's functions for the version. Also throws after a timeout
 * and when the client has left; then nobody gets the error.
 */
function compareVersions(call: Call, find: () => MaybePromise<Current | undefined>): MaybePromise<void> {
  const { exchange } = call;
  const compare = (current: Current | undefined): void => {
    // A caller who may not see the version gets the same 412 as one who names a wrong version.
    if (current === undefined || !exchange.isOpen || findUnmetStatus(exchange.method, exchange.rawHeaders, current) !== undefined) {
      throw ApiError.because('version', UNMET_MESSAGE);
    }
  };
  return recover(() => after(find(), compare), (thrown) => {
    call.conditionError = { thrown };
    throw thrown;
  });
}

/** Where the version and the date of an item are found. `known` is what is known without a call. */
interface VersionSources {
  readonly known: Current;
  readonly currentVersion?: UserFunction | undefined;
  readonly get?: Operation | undefined;
}

/** Finds what the conditions of a change are compared with: the version of `currentVersion`, or else of `get`, and the date of `get`. */
function findSources({ operation, exchange: { rawHeaders } }: Call): VersionSources {
  // All items together have no version, but they exist.
  if (!operation.kind.isOfItem) return { known: EXISTING };
  const [ifMatch, ifNoneMatch] = [findHeader(rawHeaders, 'if-match'), findHeader(rawHeaders, 'if-none-match')];
  const lists = [ifMatch, ifNoneMatch].filter((list) => list !== undefined).map(parseTags);
  // No item matches a malformed list.
  if (lists.some((tags) => tags.length === 0)) return { known: UNKNOWN };
  // Without versions, a tag cannot name one.
  const asksVersion = lists.some((tags) => tags === '*' || comparesVersions(operation));
  const since = ifMatch === undefined ? findHeader(rawHeaders, 'if-unmodified-since') : undefined;
  const asksDate = since !== undefined && parseDate(since) !== undefined;
  const currentVersion = asksVersion ? operation.endpoint.versions?.currentVersion : undefined;
  // Only a response of `get` can have a date.
  const asksGet = asksDate || (asksVersion && currentVersion === undefined);
  return { known: UNKNOWN, currentVersion, get: asksGet ? findVersionGet(operation, operation.endpoint.operations) : undefined };
}

/** Finds the current version and date of the item of a change. `undefined` for a caller who may not see them. */
function findCurrent(call: Call, request: ItemRequest): MaybePromise<Current | undefined> {
  const { known, currentVersion, get } = findSources(call);
  if (currentVersion === undefined) return get === undefined ? known : callGet(get, call, request);
  return after(callCurrentVersion(currentVersion, call, request), (version) => {
    if (version === undefined || get === undefined) return version;
    return after(callGet(get, call, request), (got) => got && { ...version, lastModified: got.lastModified });
  });
}

/** Calls `currentVersion`, with the context of the endpoint. */
function callCurrentVersion(currentVersion: UserFunction, call: Call, request: ItemRequest): MaybePromise<Current | undefined> {
  const { operation: { endpoint, context: known }, exchange } = call;
  const { context, declared, isSingleton } = endpoint;
  const own = new VersionRequest(call, request.context);
  const asking = joinObjects(own, request);
  const ask = (): MaybePromise<Current | undefined> => unlessRejected(call, () => {
    const args = isSingleton ? [asking] : [request.itemId, asking];
    return after(currentVersion.apply(declared, args), (version) => {
      if (version === undefined || version === null) return MISSING;
      return { ...EXISTING, etag: formatVersion(version, 'currentVersion'), isVersion: true };
    });
  });
  if (context === known) return ask();
  // The operation has a different function, which has identified its caller.
  own.context = undefined;
  const admit = (caller: unknown): boolean => {
    own.context = caller;
    return findRejection(context, caller, own) === undefined && findContextMistake(caller) === undefined;
  };
  const isAdmitted = recover(() => after(context?.call(declared, asking), admit), (thrown) => {
    if (endpoint.mapError(thrown).status < 500) return false;
    throw thrown;
  });
  // The deadline may have passed meanwhile.
  return after(isAdmitted, (isKnown) => (isKnown && exchange.isOpen ? ask() : undefined));
}

/** Calls `get` for the item as it would send it. The headers of a reply are its validators. */
function callGet(get: Operation, call: Call, request: ItemRequest): MaybePromise<Current | undefined> {
  const own = new VersionRequest(call, get.context === undefined ? undefined : request.context);
  return unlessRejected(call, () => after(get.run(request.itemId, undefined, joinObjects(own, request)), (result) => {
    const isFormatted = get.resultFormat !== undefined;
    const reply = findReply(result, isFormatted);
    if (findStatus(get.kind, result) === 404) return MISSING;
    if (GivenProblem.is(reply)) throw ApiError.wrap(reply.rejection);
    if (reply !== undefined) dropUnsent(reply.body);
    else if (isFormatted) dropUnsent(result);
    const isVersion = get.getTag !== undefined;
    if (reply === undefined) return { ...EXISTING, etag: get.getTag?.(result), isVersion };
    return { ...EXISTING, isVersion, etag: findHeader(reply.headers, 'etag'), lastModified: findHeader(reply.headers, 'last-modified') };
  }));
}

/** Returns what a function of the user says of the item. A function that rejects the caller says nothing. */
function unlessRejected({ operation }: Call, ask: () => MaybePromise<Current>): MaybePromise<Current | undefined> {
  return recover(ask, (thrown) => {
    const { status } = operation.endpoint.mapError(thrown);
    if (status === 404 || status === 410) return MISSING;
    if (status === 401 || status === 403) return undefined;
    throw thrown;
  });
}

/** The request for which the user's function is called. It has no conditions, no decoded query and no decoded headers. */
class VersionRequest extends OperationRequest {
  readonly #queryString: string;

  constructor(call: Call, context: unknown) {
    super(call);
    this.context = context;
    this.params = call.request.params;
    this.itemId = call.request.itemId;
    this.#queryString = call.queryString;
  }

  override get query(): URLSearchParams {
    return new URLSearchParams(this.#queryString);
  }

  override get headers(): undefined {
    return undefined;
  }

  override get ifMatch(): undefined {
    return undefined;
  }

  override get ifNoneMatch(): undefined {
    return undefined;
  }
}
