/** The behaviour of the HTTP parsers of Node's connections that this server depends on. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The code of the `clientError` that Node emits for a parser that has stopped. `rawPacket` and `bytesParsed` tell what it has not parsed. */
export const STOPPED = 'HPE_PAUSED';

/** The parser of a connection, once `stopParser` has been called. */
export interface StoppableParser {
  /** Lets the parser go on with bytes, or with those of the next `data` event. */
  readonly resume: () => void;
  /** Whether it still parses the bytes of the socket: not after an upgrade. */
  readonly isParsing: () => boolean;
}

/**
 * Lets the parser of a connection stop behind the head of each request for which `isFull` returns `true`. A parser stops if its callback
 * for heads returns this code of an error. Returns `undefined` where the engine has another parser.
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
