/** Adds the headers of `cache` and `etag` to a success before it is sent, and to a 304. */
import type { Caching } from '../endpoint/caching.ts';
import { dropUnsent, type ReplyBody } from '../endpoint/reply.ts';
import { isBytes } from '../endpoint/stream.ts';
import { findHeader } from '../http/head.ts';
import { hasHeader, mergeHeaders } from '../http/headers.ts';
import type { Outgoing } from '../http/response.ts';
import type { Exchange } from './connection/exchange.ts';

/**
 * Returns the response with `Cache-Control`, `Vary` and `ETag`. Headers of the response itself replace these, and so does a
 * `Cache-Control` of middleware or an interceptor. Throws `TypeError` if the tag is a hash of the body, and its bytes are not known.
 */
export function addCaching(exchange: Exchange, caching: Caching, response: Outgoing<ReplyBody>): Outgoing<ReplyBody> {
  const { status, headers, body } = response;
  if (status >= 300 && status !== 304) return response;
  const tag = hasHeader(headers, 'etag') ? [] : formatTag(caching, response);
  return { status, headers: mergeHeaders(headers, [...formatControl(exchange, caching, headers), ...caching.vary, ...tag]), body };
}

function formatControl({ response, defaultHeaders }: Exchange, { control, privateControl }: Caching, headers: readonly string[]): string[] {
  if (control === undefined || privateControl === undefined || response.hasHeader('cache-control')) return [];
  const isForOne = hasHeader(headers, 'set-cookie') || hasHeader(defaultHeaders, 'set-cookie') || response.hasHeader('set-cookie');
  return ['Cache-Control', isForOne ? privateControl : control];
}

function formatTag({ formatTag: format }: Caching, { status, body }: Outgoing<ReplyBody>): string[] {
  // A 206 is only a part, and a tag must be a hash of the whole body.
  if (format === undefined || body === undefined || status === 206) return [];
  if (typeof body === 'string' || isBytes(body)) return ['ETag', format(body)];
  dropUnsent(body);
  throw new TypeError(`etag: 'body' needs a body whose bytes are known: reply with a string or bytes, or with an ETag of your own`);
}

/** Keeps a `Cache-Control` that an interceptor adds to all responses. It replaces the header of `cache`. */
export function keepCacheControl({ response, isOpen }: Exchange, added: readonly string[]): void {
  const control = findHeader(added, 'cache-control');
  if (control !== undefined && isOpen && !response.hasHeader('cache-control')) response.setHeader('Cache-Control', control);
}
