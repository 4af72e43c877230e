/** Answers what Node does not pass on as a request: what its parser refuses, what takes too long to arrive, and CONNECT. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { errorAnswer, type ErrorAnswer } from '../../errors/problem.ts';
import { discardInput } from '../node/sockets.ts';
import type { Connections } from './connections.ts';

const MALFORMED = errorAnswer(400, 'The request is not valid HTTP/1.1.');
const HEAD_TOO_LONG = errorAnswer(431, 'The header section is too long.');
/** For a request that does not arrive in time. */
export const REQUEST_TIMEOUT: ErrorAnswer = errorAnswer(408, 'The request took too long to arrive.');

export class ClientErrors {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Replies to a `clientError`: a parse error, a timeout of the request, or an error of the socket. */
  reply(code: string, socket: Socket): void {
    const isTimeout = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const isRequest = code.startsWith('HPE_') || isTimeout;
    const hasLeft = code === 'HPE_INVALID_EOF_STATE';
    // Node reports the timeout of a request once. An operation's own limit has a timer.
    if (isTimeout && this.#connections.of(socket).current?.isTimedByOperation === true) return;
    if (isRequest && this.#connections.of(socket).isDiscarding) {
      // These bytes are discarded anyway. To destroy the socket could lose the last reply.
      if (hasLeft) socket.end();
    } else if (isRequest && socket.writable) {
      this.#connections.of(socket).fail(answerTo(code), hasLeft);
    } else {
      socket.destroy();
    }
  }

  /** Refuses CONNECT, since this server is no proxy. */
  refuseConnect(request: IncomingMessage, socket: Socket): void {
    const connection = this.#connections.of(socket);
    // Node has removed its own listeners from the socket. A reply before this may be unfinished.
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.end());
    socket.on('drain', () => connection.current?.response.emit('drain'));
    socket.on('close', () => connection.current?.request.destroy());
    connection.fail(MALFORMED, false, request);
    discardInput(socket);
  }
}

function answerTo(code: string): ErrorAnswer {
  if (code === 'HPE_HEADER_OVERFLOW') return HEAD_TOO_LONG;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REQUEST_TIMEOUT : MALFORMED;
}
