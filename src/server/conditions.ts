/**
 * The conditions that a client sets for its request (RFC 9110 section 13). No other request gets here.
 *
 *   GET, HEAD, QUERY                                 the validators of the response      ->   304, 412
 *   update, patch, delete, operations of an item     the current version of the item     ->   412
 *
 * A change is compared just before its operation runs, within its interceptors. That it has no `If-Match` where it must is known from its head: 428.
 */
import type { Operation } from '../endpoint/operation.ts';
import { comparesVersions } from '../endpoint/versions.ts';
import { ApiError } from '../errors/api-error.ts';
import { filterFields } from '../errors/headers.ts';
import { errorAnswer, type ErrorAnswer } from '../errors/problem.ts';
import { tagsIn, versionsIn } from '../http/etag.ts';
import { fieldValue } from '../http/head.ts';
import { isRead, statusUnmet, UNKNOWN } from '../http/preconditions.ts';
import type { Exchange } from './connection/exchange.ts';
import { currentOf, type ItemRequest, versionSourceOf } from './current-version.ts';

// One text for all reasons. It tells nothing of the item.
const UNMET_TEXT = 'A condition of the request is not met.';
const UNMET = errorAnswer(412, UNMET_TEXT);
const UNCONDITIONAL = errorAnswer(428, 'The request must have If-Match, with the version of the item that it changes.');

/**
 * Responds in place of a success to GET, HEAD or QUERY, if the request has a condition that the headers of the success do not meet. Returns whether
 * it has responded. Any other response is sent whatever the conditions (section 13.2.1).
 */
export function sendUnmet(exchange: Exchange, status: number, fields: readonly string[]): boolean {
  const { method = '', rawHeaders } = exchange.request;
  if (status >= 300 || !isRead(method)) return false;
  const unmet = statusUnmet(method, rawHeaders, { exists: true, etag: fieldValue(fields, 'etag'), lastModified: fieldValue(fields, 'last-modified') });
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

/** The response to a change without `If-Match`, where its endpoint requires that. */
export function refusalOfUnconditional({ conditions }: Operation, { request }: Exchange): ErrorAnswer | undefined {
  return conditions === 'required' && fieldValue(request.rawHeaders, 'if-match') === undefined ? UNCONDITIONAL : undefined;
}

/**
 * Rejects with a 412 if the conditions of a request that would change an item are not met, and with what the user's functions throw that are
 * asked for the version. After a timeout, and when the client has left, it rejects too: nobody gets that error.
 */
export async function checkConditions(operation: Operation, exchange: Exchange, request: ItemRequest): Promise<void> {
  const { method = '', rawHeaders } = exchange.request;
  const conditions = ['if-match', 'if-none-match'].map((name) => fieldValue(rawHeaders, name)).filter((condition) => condition !== undefined);
  const source = dependsOnItem(operation, conditions.map(tagsIn)) ? versionSourceOf(operation.endpoint) : undefined;
  const current = source === undefined ? UNKNOWN : await currentOf(source, operation, exchange, request);
  // A caller who may not see the version gets the same 412 as one who names a wrong version.
  if (!exchange.isOpen || current === undefined || statusUnmet(method, rawHeaders, current) !== undefined) throw ApiError.status(412, UNMET_TEXT);
}

/** Whether the item must be asked for. Without versions, no tag names one. A malformed condition is not met, whatever the item. */
function dependsOnItem(operation: Operation, conditions: readonly (readonly string[] | '*')[]): boolean {
  return conditions.every((tags) => tags.length > 0) && conditions.some((tags) => tags === '*' || comparesVersions(operation));
}
