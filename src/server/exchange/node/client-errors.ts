/** Responds to input that Node does not emit as a request: parse errors, requests that time out, and CONNECT. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Rejection } from '../../../errors/problem.ts';
import { HEAD_TOO_LONG, MALFORMED, REQUEST_TIMEOUT, UNKNOWN_METHOD } from '../exchange.ts';
import { discardInput, STOPPED } from './internals/sockets.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';

/** Handles a `clientError`. If the parser was stopped, holds its unparsed input. Otherwise responds with the error. */
export function takeClientError(connections: Connections, error: ParseError, socket: Socket): void {
  const code = String(error.code);
  if (code === STOPPED) return connections.get(socket).hold((error.rawPacket ?? NO_BYTES).subarray(error.bytesParsed));
  const isTimeout = code === 'ERR_HTTP_REQUEST_TIMEOUT';
  // Any other is an error of the socket.
  const isOfRequest = isTimeout || code.startsWith('HPE_');
  const hasLeft = code === 'HPE_INVALID_EOF_STATE';
  const connection = connections.get(socket);
  // Node reports a timeout only once, so a limit that the operation sets has its own timer.
  if (isTimeout && connection.ignoresTimeout()) return;
  if (isOfRequest && connection.isDiscarding) {
    // The input is discarded anyway, and destroying the socket could lose the last response.
    if (hasLeft) socket.end();
  } else if (isOfRequest && socket.writable) {
    connection.fail(rejectParseError(code, error), hasLeft);
  } else {
    socket.destroy();
  }
}

/** Rejects CONNECT, whatever its target: this server is not a proxy. */
export function rejectConnect(connection: Connection, request: IncomingMessage, socket: Socket): void {
  connection.listenInPlaceOfNode(socket);
  socket.on('end', () => socket.end());
  connection.fail(UNKNOWN_METHOD, false, request);
  discardInput(socket);
}

/** Node's error for input that its parser rejects. */
interface ParseError {
  readonly code?: unknown;
  readonly rawPacket?: Buffer;
  /** The number of bytes of `rawPacket` that were parsed. */
  readonly bytesParsed?: number;
}

const NO_BYTES = Buffer.alloc(0);

// Any token can be a method (RFC 9110 section 9.1).
const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?$/;

function rejectParseError(code: string, { rawPacket = NO_BYTES, bytesParsed = 0 }: ParseError): Rejection {
  if (code === 'HPE_HEADER_OVERFLOW') return HEAD_TOO_LONG;
  if (code === 'HPE_INVALID_METHOD') {
    const begin = rawPacket.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1;
    const end = rawPacket.indexOf('\n', begin);
    return METHOD.test(rawPacket.toString('latin1', begin, end === -1 ? rawPacket.length : end)) ? UNKNOWN_METHOD : MALFORMED;
  }
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? REQUEST_TIMEOUT : MALFORMED;
}
