/** Replies with problems (RFC 9457), or in the form that a host's `formatProblem` gives them. */
import type { IncomingMessage } from 'node:http';
import { FRAMING_FIELDS, hasField } from '../../errors/headers.ts';
import { type ErrorAnswer, errorAnswer, PROBLEM_TYPE } from '../../errors/problem.ts';
import { contentHeaders, rawResponse } from '../../http/raw-response.ts';
import type { Exchange, HeaderField } from '../connection/exchange.ts';
import { shared } from '../node-internals/incoming.ts';
import type { FormattedAnswer, ProblemFormatter } from '../settings/problem-formatter.ts';
import { ADDED_TO, PRIVATE, replyProblem, replyText } from './reply.ts';

/** Replies with an error. Does nothing if a reply has begun already. */
export function replyError(exchange: Exchange, answer: ErrorAnswer, format: ProblemFormatter | undefined): void {
  if (exchange.isOpen) exchange.observer?.refuse(answer);
  if (format !== undefined && exchange.isOpen) {
    const formatted = format(answer, shared(exchange.request), exchange.response);
    if (formatted !== undefined) return replyText(exchange, formatted.status, formatted.headers, formatted.json);
  }
  replyProblem(exchange, answer);
}

/** The whole response as text, with `Connection: close`. For where there is no `ServerResponse` to write to. */
export function rawError(error: ErrorAnswer, request: IncomingMessage | undefined, format: ProblemFormatter | undefined): string {
  const formatted = request === undefined ? undefined : format?.(error, shared(request));
  const { status, headers, json } = formatted ?? plainAnswer(error);
  return rawResponse(status, headers, json);
}

/** The same for a request whose body is broken or too slow. It may have passed middleware, whose header fields are kept. */
export function rawErrorOf(error: ErrorAnswer, exchange: Exchange, format: ProblemFormatter | undefined): string {
  const { request, response, middlewareFields, isPrivate } = exchange;
  const { status, headers, json } = format?.(error, shared(request), response) ?? plainAnswer(error);
  exchange.observer?.refuse(error);
  exchange.observer?.replace(status);
  const all = [...linesOf(middlewareFields, headers), ...headers];
  return rawResponse(status, isPrivate && !hasField(all, 'cache-control') ? [...all, ...PRIVATE] : all, json);
}

/** The lines of header fields that an answer with these own ones keeps. It has a `Date` already. */
function linesOf(fields: readonly HeaderField[], own: readonly string[]): string[] {
  return fields.flatMap(([name, value]) => {
    const lowerCase = name.toLowerCase();
    if (FRAMING_FIELDS.has(lowerCase) || lowerCase === 'date' || (hasField(own, lowerCase) && !ADDED_TO.has(lowerCase))) return [];
    // The response is written in UTF-8, in which other bytes of Latin-1 cannot be written.
    return [value].flat().map(String).filter((line) => ASCII.test(line)).flatMap((line) => [name, line]);
  });
}

/** The answer as it is sent where the host has no format of its own. */
export function plainAnswer({ problem, text, headers }: ErrorAnswer): FormattedAnswer {
  return { status: problem.status, headers: [...contentHeaders(PROBLEM_TYPE, Buffer.byteLength(text)), ...headers], json: text };
}

/** For a request that does not arrive in time. */
export const REQUEST_TIMEOUT: ErrorAnswer = errorAnswer(408, 'The request took too long to arrive.');

const ASCII = /^[\t\x20-\x7e]*$/;

const UNWRITTEN: ErrorAnswer = errorAnswer(500);

/**
 * Ends an exchange whose reply could not be written. If nothing was sent, sends `error` to the socket. If only a part was sent,
 * destroys the connection.
 */
export function endFailedReply(exchange: Exchange, format: ProblemFormatter | undefined, error: ErrorAnswer = UNWRITTEN): void {
  const { connection, request, response } = exchange;
  if (exchange.isOpen) {
    const raw = rawError(error, request, format);
    exchange.observer?.refuse(error);
    exchange.observer?.replace(statusOf(raw));
    connection.sendLast(raw, exchange);
  } else if (!response.writableEnded) {
    connection.destroy();
  }
}

/** The status of a whole response: the three digits after `HTTP/1.1 `. */
function statusOf(raw: string): number {
  return Number(raw.slice(9, 12));
}
