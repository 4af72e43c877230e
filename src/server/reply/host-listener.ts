/** What mounts and middleware have in common: a listener of the host gets Node's own request and response. */
import type { ErrorAnswer } from '../../errors/problem.ts';
import { adopt, isThenable } from '../../errors/thrown.ts';
import type { Exchange } from '../connection/exchange.ts';
import { Incoming } from '../node-internals/incoming.ts';
import { hasHead } from '../node-internals/responses.ts';
import type { ProblemFormatter } from '../settings/problem-formatter.ts';
import { checkLength } from './declared-length.ts';
import { endFailedReply } from './error-reply.ts';

type OnError = (thrown: unknown) => void;

/**
 * Prepares an exchange for a listener, which may do anything with its streams. If the body has another length than its head
 * declares, `onMismatch` gets the error. It replaces that of the listener before.
 */
export function share(exchange: Exchange, onMismatch: OnError): void {
  const { isShared, request, response, connection } = exchange;
  exchange.onMismatch = onMismatch;
  if (isShared) return;
  if (request instanceof Incoming) request.share();
  // The listener may destroy either stream, and an `error` event without a listener would end the process.
  request.on('error', ignore);
  response.on('error', ignore);
  if (connection.closesAfterReply) response.setHeader('Connection', 'close');
  checkLength(exchange);
  response.once('close', () => connection.replied(exchange));
}

/** If a listener has returned a promise, `onError` gets what it rejects with. */
export function catchRejection(result: unknown, onError: OnError): void {
  if (isThenable(result)) adopt(result).catch(onError);
}

/**
 * Replies for a listener that failed. If `writeHead` has thrown, or `reply` does, `fallback` goes to the socket directly. If
 * a part of a reply was sent, the connection is destroyed.
 */
export function replyFailure(
  exchange: Exchange,
  reply: () => void,
  format: ProblemFormatter | undefined,
  fallback?: ErrorAnswer,
): void {
  // A `writeHead` that threw has already changed how the response would frame a body.
  if (!exchange.isOpen || hasHead(exchange.response)) {
    endFailedReply(exchange, format, fallback);
    return;
  }
  try {
    reply();
  } catch {
    endFailedReply(exchange, format, fallback);
  }
}

function ignore(): void {}
