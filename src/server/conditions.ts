/**
 * The conditions that a client sets for its request (RFC 9110 section 13). No other request gets here.
 *
 *   GET, HEAD                                        the validators of the reply         ->   304, 412
 *   update, patch, delete, operations of an item     the current version of the item     ->   428, 412
 */
import type { MaybePromise } from '../endpoint/decoder.ts';
import type { Operation } from '../endpoint/operation.ts';
import { comparesVersions } from '../endpoint/versions.ts';
import { filterFields } from '../errors/headers.ts';
import { errorAnswer, type ErrorAnswer } from '../errors/problem.ts';
import { tagsIn, versionsIn } from '../http/etag.ts';
import { fieldValue } from '../http/head.ts';
import { type Current, statusUnmet, UNKNOWN } from '../http/preconditions.ts';
import type { Exchange } from './connection/exchange.ts';
import { currentOf, type ItemRequest, versionSourceOf } from './current-version.ts';

// One text for all reasons. It tells nothing of the item.
const UNMET = errorAnswer(412, 'A condition of the request is not met.');
const UNCONDITIONAL = errorAnswer(428, 'The request must have If-Match, with the version of the item that it changes.');

/**
 * Replies in place of a success to GET or HEAD, if the request has a condition that its header fields do not meet. Returns whether it has
 * replied. Other answers, and those without a validator, are sent whatever the conditions (section 13.2.1).
 */
export function sendUnmet(exchange: Exchange, status: number, fields: readonly string[]): boolean {
  const { method = '', rawHeaders } = exchange.request;
  if (status >= 300 || (method !== 'GET' && method !== 'HEAD')) return false;
  const etag = fieldValue(fields, 'etag');
  const lastModified = fieldValue(fields, 'last-modified');
  if (etag === undefined && lastModified === undefined) return false;
  const unmet = statusUnmet(method, rawHeaders, { exists: true, etag, lastModified });
  if (unmet === 304) exchange.send(304, filterFields(fields, (lowerCase) => !CONTENT_FIELDS.has(lowerCase)));
  else if (unmet === 412) exchange.sendError(UNMET);
  return unmet !== undefined;
}

// They describe a body, which a 304 has not (RFC 9110 section 15.4.5).
const CONTENT_FIELDS = new Set(['content-encoding', 'content-language', 'content-range', 'content-type']);

/** The versions that `If-Match` names. */
export function versionsNamed(rawHeaders: readonly string[]): readonly string[] | '*' | undefined {
  const ifMatch = fieldValue(rawHeaders, 'if-match');
  return ifMatch === undefined ? undefined : versionsIn(ifMatch);
}

/**
 * The answer to a request that would change an item, if its conditions are not met; `undefined` if they are. If the host is asked for the
 * version, returns a promise, which rejects with what the host throws.
 */
export function refusalOfChange(operation: Operation, exchange: Exchange, request: ItemRequest): MaybePromise<ErrorAnswer | undefined> {
  const { method = '', rawHeaders } = exchange.request;
  const ifMatch = fieldValue(rawHeaders, 'if-match');
  const ifNoneMatch = fieldValue(rawHeaders, 'if-none-match');
  if (ifMatch === undefined && operation.conditions === 'required') return UNCONDITIONAL;
  // Who may not know the version gets the same answer as who names another one.
  const refusalAt = (current: Current | undefined): ErrorAnswer | undefined =>
    (current === undefined || statusUnmet(method, rawHeaders, current) !== undefined ? UNMET : undefined);
  const conditions = [ifMatch, ifNoneMatch].filter((condition) => condition !== undefined).map(tagsIn);
  const source = dependsOnItem(operation, conditions) ? versionSourceOf(operation.endpoint) : undefined;
  return source === undefined ? refusalAt(UNKNOWN) : currentOf(source, operation, exchange, request).then(refusalAt);
}

/** Whether the item must be asked for. Without versions, no tag names one. A malformed condition is not met, whatever the item. */
function dependsOnItem(operation: Operation, conditions: readonly (readonly string[] | '*')[]): boolean {
  return conditions.every((tags) => tags.length > 0) && conditions.some((tags) => tags === '*' || comparesVersions(operation));
}
