/** Whole answers, before they are sent. */
import { hasField, NOSNIFF } from './headers.ts';
import { type ErrorAnswer, phraseOf, PROBLEM_TYPE } from '../errors/problem.ts';

/** A status, header fields and a body. In the headers, names and values alternate; the length of the body is not among them. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

// Node makes one string of head and body, and V8's longest string has 2^29 - 24 characters. This leaves room for a head.
export const MAX_BODY: number = 2 ** 29 - 2 ** 16;

/** The error for a longer body. Node would throw later, when no other reply can be sent. */
export function tooLong(): RangeError {
  return new RangeError('the answer is too long to be sent');
}

/** The answer of an error as RFC 9457 has it. Throws if a member of the host's cannot be JSON, or the text is too long for a string. */
export function problemAnswer({ problem: { status }, text, headers }: ErrorAnswer): WireAnswer {
  return { status, headers: ['Content-Type', PROBLEM_TYPE, ...headers], body: text };
}

/** A whole response as text, with `Connection: close`. For a connection that has no `ServerResponse` to write to. */
export function responseText({ status, headers, body }: WireAnswer): string {
  const lines = [`HTTP/1.1 ${status} ${phraseOf(status)}`, `Date: ${new Date().toUTCString()}`];
  const all = hasField(headers, 'x-content-type-options') ? headers : [...headers, ...NOSNIFF];
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  return `${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
