/**
 * Holds a response of the host's own to the `Content-Length` that it declares. With more bytes, or fewer, the client would
 * take the answers behind it for something else.
 */
import type { ServerResponse } from 'node:http';

/**
 * Calls `onMismatch` where what is written is not as long as declared, and writes nothing more. Node can find that, and
 * throws where the handler writes: often in a stream's event, where nobody could catch it, and the process would end.
 */
export function holdToLength(response: ServerResponse, onMismatch: (error: unknown) => void): void {
  let isBroken = false;
  const guarded = <Given>(method: (...args: never[]) => Given, instead: Given) => (...args: never[]): Given => {
    if (isBroken) return instead;
    try {
      return method.apply(response, args);
    } catch (thrown) {
      if (!isMismatch(thrown)) throw thrown;
      isBroken = true;
      // A client that leaves makes an answer shorter, too.
      if (!response.destroyed) onMismatch(thrown);
      return instead;
    }
  };
  const { write, end } = response;
  response.strictContentLength = true;
  // Assigned past the types: those have an overload for each number of arguments.
  Object.assign(response, { write: guarded<boolean>(write, false), end: guarded(end, response) });
}

function isMismatch(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_HTTP_CONTENT_LENGTH_MISMATCH';
}
