/** CORS, by the rules: the headers of each response of the server with middleware, and the responses to preflights. */
import { joinHeader, pathOf } from './heads.ts';
import type { Expectation } from './model.ts';
import { operationAt } from './route-table.ts';
import type { ReadRequest } from './reference.ts';

/** The origins that the server lists. */
export const LISTED = ['http://evil.example', 'http://zoo.example:8080'];
const ALL_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

/** Whether a request is from a page that may call the server. */
export function isListed(request: ReadRequest): boolean {
  return request.hasCors === true && LISTED.includes(joinHeader(request, 'origin') ?? '');
}

/** Adds the headers of CORS. `before`: the `Vary` of the middleware, if it was called. */
export function withCors(request: ReadRequest, expectation: Expectation, before: string | undefined): Expectation {
  // Node's parser may reject these.
  if (request.hasCors !== true || expectation.isUnread === true) return expectation;
  const origin = isListed(request) ? joinHeader(request, 'origin') : undefined;
  return {
    ...expectation,
    headers: {
      ...expectation.headers, vary: before === undefined ? 'Origin' : `${before}, Origin`,
      'access-control-allow-origin': origin, 'access-control-allow-credentials': origin && 'true',
    },
  };
}

/** The methods of the path of a preflight. `undefined` for any other request. */
export function preflightMethods(request: ReadRequest): string | undefined {
  const path = pathOf(request.target);
  const isPreflight = request.method === 'OPTIONS' && joinHeader(request, 'access-control-request-method') !== undefined;
  if (!isPreflight || path === '*' || !isListed(request)) return undefined;
  // No path has this method.
  const served = operationAt('TRACE', path);
  return served?.isMount === true ? ALL_METHODS : served?.listing?.allow;
}
