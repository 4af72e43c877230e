/** Responds to input that Node does not emit as a request: parse errors, requests that time out, and CONNECT. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createRejection, type Rejection } from '../../errors/problem.ts';
import { STOPPED } from '../node/parsers.ts';
import { discardInput } from '../node/sockets.ts';
import type { Connections } from './connections.ts';

/** For bytes, or a head, that are not HTTP/1.1. */
export const MALFORMED: Rejection = createRejection(400, 'The request is not valid HTTP/1.1.');
/** For a method that this server does not serve, or that Node's parser does not know. */
export const UNKNOWN_METHOD: Rejection = createRejection(501, 'This server has no such method.');
/** For a head that is longer than `limits.headerBytes`. */
export const HEAD_TOO_LONG: Rejection = createRejection(431, 'The header section is too long.');
/** For a request that does not arrive in time. */
export const REQUEST_TIMEOUT: Rejection = createRejection(408, 'The request took too long to arrive.');

export class ClientErrors {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** Takes a `clientError`. If a parser has stopped, holds what it left. Responds to parse errors, and to requests that take too long. */
  take(error: ParseError, socket: Socket): void {
    if (error.code === STOPPED) this.#connections.get(socket).hold(takeUnparsed(error));
    else this.#reply(error, socket);
  }

  #reply(error: ParseError, socket: Socket): void {
    const code = String(error.code);
    const isTimeout = code === 'ERR_HTTP_REQUEST_TIMEOUT';
    const isRequest = code.startsWith('HPE_') || isTimeout;
    const hasLeft = code === 'HPE_INVALID_EOF_STATE';
    // Node reports the timeout of a request once. An operation's own limit has a timer.
    if (isTimeout && this.#connections.get(socket).ignoresTimeout()) return;
    if (isRequest && this.#connections.get(socket).isDiscarding) {
      // These bytes are discarded anyway. To destroy the socket could lose the last response.
      if (hasLeft) socket.end();
    } else if (isRequest && socket.writable) {
      this.#connections.get(socket).fail(toRejection(code, error), hasLeft);
    } else {
      socket.destroy();
    }
  }

  /** Rejects CONNECT, whatever its target: this server is not a proxy. */
  rejectConnect(request: IncomingMessage, socket: Socket): void {
    const connection = this.#connections.get(socket);
    connection.listenInPlaceOfNode(socket);
    socket.on('end', () => socket.end());
    connection.fail(UNKNOWN_METHOD, false, request);
    discardInput(socket);
  }
}

/** Node's error, for bytes that its parser rejects. */
interface ParseError {
  readonly code?: unknown;
  readonly rawPacket?: Buffer;
  /** How many of them it has parsed. */
  readonly bytesParsed?: number;
}

/** What a parser has not parsed. */
function takeUnparsed({ rawPacket = NO_BYTES, bytesParsed }: ParseError): Buffer {
  return rawPacket.subarray(bytesParsed);
}

const NO_BYTES = Buffer.alloc(0);

// A method that Node does not know is a token as others (RFC 9110 section 9.1).
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?$/;

function toRejection(code: string, { rawPacket = NO_BYTES, bytesParsed = 0 }: ParseError): Rejection {
  if (code === 'HPE_HEADER_OVERFLOW') return HEAD_TOO_LONG;
  if (code === 'HPE_INVALID_METHOD') {
    const begin = rawPacket.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1;
    const end = rawPacket.indexOf('\n', begin);
    return METHOD.test(rawPacket.toString('latin1', begin, end === -1 ? rawPacket.length : end)) ? UNKNOWN_METHOD : MALFORMED;
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REQUEST_TIMEOUT : MALFORMED;
}
