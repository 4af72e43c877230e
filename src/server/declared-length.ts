/**
 * Holds a response of the host's own to the `Content-Length` that it declares. With more bytes, or fewer, the client would
 * take the answers behind it for something else.
 */
import type { ServerResponse } from 'node:http';

/**
 * Calls `onMismatch` where what is written is not as long as declared. Node can find that, and throws where the handler
 * writes: often in a stream's event, where nobody could catch it, and the process would end.
 */
export function holdToLength(response: ServerResponse, onMismatch: (error: unknown) => void): void {
  response.strictContentLength = true;
  for (const name of ['write', 'end'] as const) {
    const method = response[name] as (...args: unknown[]) => unknown;
    response[name] = function (this: ServerResponse, ...args: unknown[]) {
      try {
        return method.apply(this, args);
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException | null)?.code !== 'ERR_HTTP_CONTENT_LENGTH_MISMATCH') throw thrown;
        onMismatch(thrown);
        return name === 'end' ? this : false;
      }
    } as never;
  }
}
