/**
 * The conditions that a client sets for its request (RFC 9110 section 13). No other request gets here.
 *
 *   GET, HEAD, QUERY                                 the validators of the response      ->   304, 412
 *   update, patch, delete, operations of an item     the current version of the item     ->   412
 *
 * The version of a changed item is compared just before the operation runs, within its interceptors. A missing `If-Match` is rejected as
 * soon as the head is read: 428.
 */
import type { Operation } from '../endpoint/operation.ts';
import { comparesVersions } from '../endpoint/versions.ts';
import { ApiError } from '../errors/api-error.ts';
import { filterHeaders } from '../http/headers.ts';
import { createRejection } from '../errors/problem.ts';
import { parseDate } from '../http/date.ts';
import { parseTags } from '../http/etag.ts';
import { findHeader } from '../http/head.ts';
import { type Current, isRead, findUnmetStatus, UNKNOWN } from '../http/preconditions.ts';
import type { Call } from './call.ts';
import type { Outgoing } from '../http/response.ts';
import type { Exchange } from './connection/exchange.ts';
import { askVersion, getSource, type ItemRequest, type VersionSource, versionSource } from './current-version.ts';

// The same message for all reasons, so that it reveals nothing of the item.
const UNMET_MESSAGE = 'A condition of the request is not met.';
const UNMET = createRejection(412, UNMET_MESSAGE);
const UNCONDITIONAL = createRejection(428, 'The request must have If-Match, with the version of the item that it changes.');

/**
 * Returns the 304 or 412 that takes the place of a success of GET, HEAD or QUERY, if the headers of the success do not meet a condition of
 * the request. Conditions do not apply to any other response (section 13.2.1).
 */
export function createUnmetResponse(exchange: Exchange, status: number, headers: readonly string[]): Outgoing | undefined {
  const { method = '', rawHeaders } = exchange.request;
  if (status >= 300 || !isRead(method) || !exchange.isOpen) return undefined;
  const current = { exists: true, etag: findHeader(headers, 'etag'), lastModified: findHeader(headers, 'last-modified') };
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
export function requireIfMatch({ request }: Exchange): void {
  if (findHeader(request.rawHeaders, 'if-match') === undefined) throw UNCONDITIONAL;
}

/**
 * Runs the operation, with the request as its interceptors have left it, if the item meets the conditions of the request. They are compared
 * as late as possible (RFC 9110 section 13.2.1).
 */
export function runIfMet(call: Call, request: ItemRequest, input: unknown): unknown {
  const { operation, exchange } = call;
  const isConditional = operation.conditions !== 'none' && exchange.head.isConditional;
  return isConditional ? compareAndRun(call, request, input) : operation.run(request.itemId, input, request);
}

async function compareAndRun(call: Call, request: ItemRequest, input: unknown): Promise<unknown> {
  try {
    await compareVersions(call, request);
  } catch (thrown) {
    call.conditionError = { thrown };
    throw thrown;
  }
  return call.operation.run(request.itemId, input, request);
}

/**
 * Rejects with a 412 if a condition of a change is not met, and with the errors of the user's functions for the version. Also rejects
 * after a timeout and when the client has left; then nobody gets the error.
 */
async function compareVersions(call: Call, request: ItemRequest): Promise<void> {
  const { operation, exchange } = call;
  const { method = '', rawHeaders } = exchange.request;
  let current: Current | undefined = UNKNOWN;
  for (const source of sourcesFor(operation, rawHeaders)) {
    const found = await askVersion(source, call, request);
    // A caller who may not see the version gets the same 412 as one who names a wrong version.
    if (found === undefined || !exchange.isOpen) throw ApiError.status(412, UNMET_MESSAGE);
    current = { ...found, ...(current.exists !== undefined && { exists: current.exists, etag: current.etag }) };
  }
  if (findUnmetStatus(method, rawHeaders, current) !== undefined) throw ApiError.status(412, UNMET_MESSAGE);
}

/** Returns the functions to ask for the version and the date that the conditions of a change name. */
function sourcesFor(operation: Operation, rawHeaders: readonly string[]): readonly VersionSource[] {
  const [ifMatch, ifNoneMatch] = [findHeader(rawHeaders, 'if-match'), findHeader(rawHeaders, 'if-none-match')];
  const lists = [ifMatch, ifNoneMatch].filter((list) => list !== undefined).map(parseTags);
  // No item matches a malformed list.
  if (lists.some((tags) => tags.length === 0)) return [];
  // Without versions, a tag cannot name one.
  const asksVersion = lists.some((tags) => tags === '*' || comparesVersions(operation));
  const since = ifMatch === undefined ? findHeader(rawHeaders, 'if-unmodified-since') : undefined;
  const asksDate = since !== undefined && parseDate(since) !== undefined;
  const own = asksVersion ? versionSource(operation.endpoint) : undefined;
  // Only a response of `get` can have a date.
  const get = asksDate || (asksVersion && own === undefined) ? getSource(operation.endpoint) : undefined;
  return [own, get].filter((source) => source !== undefined);
}
