/** Responses before they are sent. */
import { type Rejection, findPhrase, PROBLEM_TYPE } from '../errors/problem.ts';
import { mergeHeaders, NOSNIFF } from './headers.ts';

/**
 * A response before it is sent: from a result, `reply`, an error or an interceptor, or as `idempotent` stores it. In `headers`, names and
 * values alternate. `Content-Length` is set only for a stream.
 */
export interface Outgoing<Body = string | Uint8Array | undefined> {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Body;
}

/** Whether a response with this status has no body (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5). */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** Whether a response without a body has a `Content-Length: 0` (RFC 9110 section 8.6). */
export function hasLength(status: number): boolean {
  return status !== 204 && status !== 304;
}

// Node makes one string of head and body, and V8's longest string has 2^29 - 24 characters. This leaves room for a head.
export const MAX_BODY: number = 2 ** 29 - 2 ** 16;

/** Creates the error for a longer body. Node would throw later, when no other response can be sent. */
export function createTooLongError(): RangeError {
  return new RangeError('the response is too long to be sent');
}

/** Formats an error by RFC 9457. Throws if a property from the user cannot be written as JSON, or if the JSON is too long for a string. */
export function formatProblem({ problem: { status }, json, headers }: Rejection): Outgoing<string> {
  return { status, headers: ['Content-Type', PROBLEM_TYPE, ...headers], body: json };
}

/** Formats a whole response with `Connection: close`, for a connection that has no `ServerResponse` to write to. */
export function formatResponse({ status, headers, body }: Outgoing<string>): string {
  const lines = [`HTTP/1.1 ${status} ${findPhrase(status)}`, `Date: ${new Date().toUTCString()}`];
  const all = mergeHeaders(headers, NOSNIFF);
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  return `${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
