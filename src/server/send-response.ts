/** Sends the response of an operation: whole, as a stream, or the part that the client asks for. */
import { type ChosenBody, isChosen, type ReplyBody } from '../endpoint/reply.ts';
import { closeUnread, isBytes, type Stream } from '../endpoint/stream.ts';
import { toRejection, isApiError } from '../errors/api-error.ts';
import { findHeader } from '../http/head.ts';
import { filterHeaders, hasHeader, mergeHeaders } from '../http/headers.ts';
import type { Outgoing } from '../http/response.ts';
import { addCaching } from './caching.ts';
import type { Call } from './call.ts';
import { createUnmetResponse } from './conditions.ts';
import { closeStream, rejectDestroyed, StreamResponse } from './stream-response.ts';

/** Sends a response. Throws if its body is too long, or cannot be read. */
export function sendResponse(call: Call, response: Outgoing<ReplyBody>): void {
  const { exchange, operation: { caching } } = call;
  const { status, headers, body } = caching === undefined ? response : addCaching(exchange, caching, response);
  if (typeof body === 'object' && isChosen(body)) {
    sendChosen(call, { status, headers, body });
    return;
  }
  const unmet = exchange.head.isConditional ? createUnmetResponse(exchange, status, headers) : undefined;
  if (typeof body !== 'object' || isBytes(body)) {
    exchange.send(unmet ?? { status, headers, body });
  } else if (unmet === undefined) {
    sendStream(call, { status, headers, body });
  } else {
    closeStream(call, () => closeUnread(body));
    exchange.send(unmet);
  }
}

/** Sends the part that a body chooses for this request. */
function sendChosen(call: Call, { status, headers: replyHeaders, body: chosen }: Outgoing<ChosenBody>): void {
  const { exchange } = call;
  const { method = '', rawHeaders } = exchange.request;
  const close = (): void => closeStream(call, () => chosen[' close']());
  const withDefaults = exchange.mergeDefaults(replyHeaders);
  const headersOfWhole = mergeHeaders(chosen[' headers'](withDefaults), replyHeaders);
  const unmet = exchange.head.isConditional ? createUnmetResponse(exchange, status, headersOfWhole) : undefined;
  if (unmet !== undefined) {
    close();
    exchange.send(unmet);
    return;
  }
  const part = chosen[' choose']({ method, rawHeaders, status, headers: withDefaults });
  if (isApiError(part)) {
    close();
    exchange.sendError(toRejection(part, false));
    return;
  }
  // A client that sends `If-Range` has the headers already (RFC 9110 section 15.3.7).
  const isKnown = part.status === 206 && hasHeader(rawHeaders, 'if-range');
  const kept = isKnown ? filterHeaders(replyHeaders, (lowerCase) => lowerCase !== 'content-type') : replyHeaders;
  const { body } = part;
  const sent = { status: part.status, headers: mergeHeaders(part.headers, kept) };
  if (isBytes(body)) {
    close();
    exchange.send({ ...sent, body });
  } else {
    sendStream(call, { ...sent, body }, close);
  }
}

function sendStream(call: Call, { status, headers, body }: Outgoing<Stream>, onOver = (): void => {}): void {
  const { operation, exchange } = call;
  // The stream may read the body of the request, which the client may send only after a `100 Continue`.
  if (operation.format !== undefined && exchange.head.hasBody && exchange.isOpen) exchange.sendContinue();
  if (exchange.isOpen) rejectDestroyed(body);
  if (exchange.isOpen && exchange.request.method !== 'HEAD') {
    const length = findHeader(headers, 'content-length');
    exchange.sendStream(status, headers, new StreamResponse(call, body, length === undefined ? undefined : Number(length), onOver));
  } else {
    closeStream(call, () => closeUnread(body));
    onOver();
    exchange.sendHead(status, headers);
  }
}
