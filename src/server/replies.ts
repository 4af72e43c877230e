/** Sends an answer that an operation spells out with `reply`. */
import type { Operation } from '../endpoint/operation.ts';
import type { ChosenBody, Content, GivenReply } from '../endpoint/reply.ts';
import { closeUnread } from '../endpoint/stream.ts';
import { answerOf, isApiError } from '../errors/api-error.ts';
import { sendUnmet } from './conditions.ts';
import type { Call } from './call.ts';
import type { Exchange } from './connection/exchange.ts';
import { respondToStream } from './error-responses.ts';
import type { ReadyAnswer } from './result-answer.ts';
import { closeSource, refuseDestroyed, type OnStreamError, StreamReply } from './stream-reply.ts';

/** Sends the response to a result. Throws if it cannot be encoded or read. */
export function sendResponse(call: Call, answer: ReadyAnswer): void {
  const { exchange, operation } = call;
  if ('reply' in answer) {
    sendReply(exchange, operation, answer.reply, answer.content, (thrown) => respondToStream(call, thrown));
  } else if (!exchange.head.isConditional || !sendUnmet(exchange, answer.status, answer.fields)) {
    exchange.send(answer.status, answer.fields, answer.body ?? (answer.status === 204 ? undefined : ''));
  }
}

/** Sends a reply with this content. Throws if it cannot be encoded or read. `onError` is called if a stream fails later. */
function sendReply(exchange: Exchange, operation: Operation, reply: GivenReply, content: Content, onError: OnStreamError): void {
  const { headers, ' status': status } = reply;
  if (exchange.head.isConditional && sendUnmet(exchange, status, headersOfAny(exchange, reply, content))) {
    if (content.kind === 'stream') closeSource(() => closeUnread(content.stream), onError);
    if (content.kind === 'chosen') closeSource(() => content.chosen[' close'](), onError);
  } else if (content.kind === 'chosen') {
    sendChosen(exchange, operation, reply, content.chosen, onError);
  } else if (content.kind === 'stream') {
    // A stream may be made of the body, which a waiting client sends only when it is asked.
    if (operation.format !== undefined && exchange.head.hasBody && exchange.isOpen) exchange.sendContinue();
    sendStream(exchange, status, headers, content, onError);
  } else {
    exchange.send(status, headers, bodyOf(content, status, operation));
  }
}

/** The headers of a reply, whatever its body chooses. */
function headersOfAny(exchange: Exchange, reply: GivenReply, content: Content): readonly string[] {
  if (content.kind !== 'chosen') return reply.headers;
  return reply.withBody(content.chosen, { replacing: content.chosen[' headers'](exchange.fieldsOf(reply.headers)) }).headers;
}

/** Sends the part that a body chooses for this request. */
function sendChosen(exchange: Exchange, operation: Operation, reply: GivenReply, given: ChosenBody, onError: OnStreamError): void {
  const { method = '', rawHeaders } = exchange.request;
  const close = (): void => closeSource(() => given[' close'](), onError);
  const chosen = given[' choose']({ method, rawHeaders, status: reply[' status'], fields: exchange.fieldsOf(reply.headers) });
  if (isApiError(chosen)) {
    close();
    exchange.sendError(answerOf(chosen, false));
    return;
  }
  const { status, headers: replacing, body, omitsType } = chosen;
  const part = reply.withBody(body, { status, replacing, omitsType });
  if (part.content.kind === 'stream') {
    sendStream(exchange, status, part.headers, part.content, onError, close);
  } else {
    close();
    sendReply(exchange, operation, part, part.content, onError);
  }
}

type StreamContent = Extract<Content, { kind: 'stream' }>;
type WholeContent = Exclude<Content, { kind: 'stream' | 'chosen' }>;

function sendStream(
  exchange: Exchange, status: number, replied: readonly string[], { stream, declaredBytes }: StreamContent, onError: OnStreamError,
  onOver = (): void => {},
): void {
  const headers = declaredBytes === undefined ? replied : [...replied, 'Content-Length', String(declaredBytes)];
  if (exchange.isOpen) refuseDestroyed(stream);
  if (exchange.isOpen && exchange.request.method !== 'HEAD') {
    exchange.send(status, headers, new StreamReply(stream, declaredBytes, onError, onOver));
  } else {
    closeSource(() => closeUnread(stream), onError);
    onOver();
    exchange.send(status, headers);
  }
}

/** `undefined` for a reply that has no body, and no length either (RFC 9110 section 8.6). */
function bodyOf(content: WholeContent, status: number, operation: Operation): string | Uint8Array | undefined {
  switch (content.kind) {
    case 'none':
      return status === 204 || status === 304 ? undefined : '';
    case 'json':
      return operation.replyToJson(content.value);
    case 'text':
      return content.text;
    case 'bytes':
      return content.bytes;
  }
}
