/** How V8 lays out the requests and responses of Node. */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { http } from '../../node.ts';

/**
 * Makes some requests and responses before the first real ones. V8 decides at the seventh object of a class how many properties each
 * has room for, by the objects that are alive. After a garbage collection just before it, there is hardly any room. Node sets many
 * properties by symbols, and V8 then makes each such object a dictionary: requests take twice as long until the process ends.
 */
export function settleShapes(Request: typeof IncomingMessage): void {
  try {
    Array.from({ length: 10 }, () => {
      const request = new Request(undefined as unknown as Socket);
      request.httpVersionMajor = 1;
      request.httpVersionMinor = 1;
      return new http.ServerResponse(request);
    });
  } catch {
    // Other engines have other constructors.
  }
}
