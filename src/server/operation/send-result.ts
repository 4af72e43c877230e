/** Sends the plain result of an operation, as the table of kinds has it. */
import { refuseForeignReply } from '../../endpoint/reply.ts';
import type { Exchange } from '../connection/exchange.ts';
import { replyCreated, replyEmpty, replyJson, replyNoContent } from '../reply/reply.ts';
import { Failures } from './failures.ts';
import type { Operation } from './served-endpoint.ts';
import { refuseStream } from './stream-source.ts';

const MAX_SHOWN = 100;

/** Encodes and sends a result. Replies 500 if it cannot be encoded. `path` is the path of the request. */
export function sendResult(operation: Operation, exchange: Exchange, path: string, result: unknown): void {
  const { kind: { answer }, endpoint } = operation;
  const { mountPrefix } = exchange;
  const isCreated = answer === 'id' && !endpoint.isSingleton;
  let text: string;
  let location: string | undefined;
  try {
    refuseForeignReply(result);
    if (answer === 'json') refuseStream(result);
    text = operation.encode(result);
    if (isCreated && mountPrefix !== undefined) location = endpoint.locationOf(mountPrefix + path, text);
  } catch (thrown) {
    new Failures(operation, exchange).replyInternalError(thrown);
    return;
  }
  if (isCreated && location === undefined) {
    const what = mountPrefix === undefined ? 'begin as that of the mount' : `carry the id ${JSON.stringify(text.slice(0, MAX_SHOWN))}`;
    new Failures(operation, exchange).log(`no Location, since no path can ${what}`, result);
  }
  try {
    send(operation, exchange, text, location);
  } catch (thrown) {
    new Failures(operation, exchange).endFailedReply(thrown);
  }
}

function send({ kind: { answer, status }, endpoint }: Operation, exchange: Exchange, text: string, location: string | undefined): void {
  if (answer === 'json') replyJson(exchange, status, text);
  else if (answer === 'nothing') replyNoContent(exchange);
  else if (endpoint.isSingleton) replyEmpty(exchange, status);
  else replyCreated(exchange, text, location);
}
