/** Undocumented behaviour of Node's HTTP parsers that this server depends on. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The code of the `clientError` of a parser that has stopped. `rawPacket` from `bytesParsed` on is its unparsed input. */
export const STOPPED = 'HPE_PAUSED';

/** The parser of a connection, once `stopParser` has been called. */
export interface StoppableParser {
  /** Lets the parser parse again. The unparsed input must be passed to it. */
  readonly resume: () => void;
  /** Whether it still parses the input of the socket. After an upgrade it does not. */
  readonly isParsing: () => boolean;
}

/**
 * Makes the parser of a connection stop after the head of a request if `isFull` returns `true`. A parser stops if its callback for heads
 * returns the error code `HPE_PAUSED`. Returns `undefined` if the engine has a different parser.
 */
export function stopParser(socket: Socket, isFull: () => boolean): StoppableParser | undefined {
  const { parser } = socket as ParsedSocket;
  if (parser?.onIncoming == null || typeof parser.resume !== 'function') return undefined;
  const { onIncoming } = parser;
  parser.onIncoming = (request, keepAlive) => {
    const result = onIncoming(request, keepAlive);
    return result === 0 && isFull() ? HPE_PAUSED : result;
  };
  return { resume: () => parser.resume(), isParsing: () => (socket as ParsedSocket).parser === parser };
}

const HPE_PAUSED = 21;

interface ParsedSocket {
  readonly parser?: Parser | null;
}

interface Parser {
  onIncoming: ((request: IncomingMessage, keepAlive: boolean) => number) | null;
  resume(): void;
}
