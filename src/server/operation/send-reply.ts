/** Sends an answer that an operation spells out with `reply`. */
import type { IncomingMessage } from 'node:http';
import type { Content, GivenReply } from '../../endpoint/reply.ts';
import { ApiError } from '../../errors/api-error.ts';
import { namesTag } from '../../http/etag.ts';
import { fieldValue } from '../../http/field.ts';
import { refuseTooLong } from '../../http/text-length.ts';
import type { Exchange } from '../connection/exchange.ts';
import { hasHead } from '../node-internals/responses.ts';
import { beginReply, replyHeaders, replyWhole } from '../reply/reply.ts';
import type { Stringify } from '../settings/stringify.ts';
import type { Failures } from './failures.ts';
import type { Operation } from './served-endpoint.ts';
import { StreamReply } from './stream-reply.ts';
import { closeSource, closeUnread, type OnStreamError, refuseDestroyed, sourceOf } from './stream-source.ts';

/** Sends a reply with this content. Replies 500 if that cannot be encoded or read. Logs what fails, also later in a stream. */
export function sendReply(operation: Operation, exchange: Exchange, failures: Failures, given: GivenReply, content: Content): void {
  const { stringify } = operation.endpoint.settings;
  try {
    // A stream may be made of the body, which a waiting client sends only when it is asked.
    if (operation.bytes !== undefined && content.kind === 'stream' && exchange.head.hasBody && exchange.isOpen) exchange.sendContinue();
    send(exchange, given, content, stringify, (thrown) => failures.log(ApiError.from(thrown, () => false).message, thrown));
  } catch (thrown) {
    // Before its head is written, another reply can be sent.
    if (hasHead(exchange.response)) failures.endFailedReply(thrown);
    else failures.replyInternalError(thrown);
  }
}

function send(exchange: Exchange, given: GivenReply, content: Content, stringify: Stringify, onError: OnStreamError): void {
  const { headers, '~status': status } = given;
  if (isNotModified(exchange.request, given)) {
    if (content.kind === 'stream') closeUnread(content.stream, onError);
    replyHeaders(exchange, 304, withoutContentFields(headers));
  } else if (content.kind === 'stream') {
    sendStream(exchange, status, headers, content, onError);
  } else if (content.kind === 'none' && (status === 204 || status === 304)) {
    replyHeaders(exchange, status, headers);
  } else {
    const body = bodyOf(content, stringify);
    refuseTooLong(body.length);
    replyWhole(exchange, status, headers, body);
  }
}

/** Whether the client of a Get or a List has the answer already. Conditions are for success alone (RFC 9110 section 13.2.1). */
function isNotModified({ method, rawHeaders }: IncomingMessage, { headers, '~status': status }: GivenReply): boolean {
  if ((method !== 'GET' && method !== 'HEAD') || status >= 300) return false;
  const tag = fieldValue(headers, 'etag');
  const condition = fieldValue(rawHeaders, 'if-none-match');
  return tag !== undefined && condition !== undefined && namesTag(condition, tag);
}

// They describe a body, which a 304 has not (RFC 9110 section 15.4.5).
const CONTENT_FIELDS = new Set(['content-encoding', 'content-language', 'content-range', 'content-type']);

function withoutContentFields(headers: readonly string[]): string[] {
  return headers.filter((_, at) => !CONTENT_FIELDS.has((headers[at - (at % 2)] ?? '').toLowerCase()));
}

type StreamContent = Extract<Content, { kind: 'stream' }>;

function sendStream(
  exchange: Exchange, status: number, given: readonly string[], { stream, declaredBytes }: StreamContent, onError: OnStreamError,
): void {
  if (exchange.isOpen) refuseDestroyed(stream);
  const headers = declaredBytes === undefined ? given : [...given, 'Content-Length', String(declaredBytes)];
  if (!exchange.isOpen || exchange.request.method === 'HEAD') {
    closeUnread(stream, onError);
    replyHeaders(exchange, status, headers);
    return;
  }
  const source = sourceOf(stream);
  try {
    beginReply(exchange, status, headers);
  } catch (thrown) {
    closeSource(() => source.close(), onError);
    throw thrown;
  }
  new StreamReply(exchange, source, declaredBytes, onError).start();
}

function bodyOf(content: Exclude<Content, StreamContent>, stringify: Stringify): string | Uint8Array {
  switch (content.kind) {
    case 'none':
      return '';
    case 'json':
      return stringify(content.value);
    case 'text':
      return content.text;
    case 'bytes':
      return content.bytes;
  }
}
