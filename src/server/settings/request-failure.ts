/**
 * The failure of a request, for the log. It names the route, and the request if that has an id:
 *
 *   GET /v1/animal/:id (request 7f3c): Internal error: disk is full
 */
import type { IncomingMessage } from 'node:http';
import { fieldValue } from '../../http/head.ts';

export function requestFailure(request: IncomingMessage, source: string, text: string, cause: unknown): Error {
  const id = requestIdOf(request);
  return new Error(`${source}${id === undefined ? '' : ` (request ${id})`}: ${text}`, { cause });
}

// Clients choose it. These characters mean nothing to a terminal, to a log's own format, or to a page that shows it.
const REQUEST_ID = /^[\w.:+/=@|~-]{1,200}$/;

/**
 * The `X-Request-Id` of a request: the client's, or else that of middleware, which sets it in `headers`. An id that is too long, or has
 * other characters, is not shown at all.
 */
function requestIdOf({ rawHeaders, headers }: Partial<IncomingMessage>): string | undefined {
  // The host may have changed them.
  const sent = Array.isArray(rawHeaders) ? fieldValue(rawHeaders.map(String), 'x-request-id') : undefined;
  const id = sent ?? headers?.['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : undefined;
}
