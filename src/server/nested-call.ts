/**
 * Requests within a request, such as the call of a tool:
 *
 *   POST /mcp   ->   middleware, the count of `limits.inFlight`, a mounted handler   ->   GET /v1/pet/7   ->   its operation
 *
 * Unlike `fetch`, it does not change the target, in which a URL would resolve an id `..`. It keeps the response as bytes.
 */
import type { NestedResponse, NestedCall, NestedRequest, OuterRequest } from '../endpoint/nested.ts';
import { Connection, type ExchangeDispatcher } from './connection/connection.ts';
import type { ConnectionOwner } from './connection/owner.ts';
import { createMessages } from './node/memory-messages.ts';
import { MemorySocket, type ResponseHead, type ResponseReader } from './node/memory-socket.ts';
import type { Settings } from './options.ts';

/** Makes the nested calls of a server. */
export function makeNestedCall(settings: Settings, dispatcher: ExchangeDispatcher, owner: ConnectionOwner): NestedCall {
  const options = { settings, dispatcher, isInOrder: true, owner };
  const call = (nested: NestedRequest, outer: OuterRequest, maxBytes: number) => new Promise<NestedResponse | undefined>((resolve, reject) => {
    const socket = MemorySocket.open(outer.request.socket, new NestedResponseReader(maxBytes, resolve, reject));
    const leave = (): unknown => socket.destroy();
    outer.response.once('close', leave);
    socket.once('close', () => outer.response.off('close', leave));
    const { method, target, headers: fields, body } = nested;
    const headers = body === undefined ? [...fields] : [...fields, 'content-length', String(body.length)];
    const { request, response } = createMessages(socket, { method, target, headers, body });
    new Connection(socket, options).accept(request, response, false, '');
  });
  return Object.assign(call, { headBytes: settings.limits.headerBytes });
}

/** Keeps a response, which is `undefined` if it is longer than `maxBytes`. */
class NestedResponseReader implements ResponseReader {
  readonly #maxBytes: number;
  readonly #resolve: (response: NestedResponse | undefined) => void;
  readonly #reject: (error: Error) => void;
  #head: ResponseHead = { status: 0, statusText: '', headers: [] };
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(maxBytes: number, resolve: (response: NestedResponse | undefined) => void, reject: (error: Error) => void) {
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  whole(head: ResponseHead, body: Buffer): void {
    this.begin(head);
    this.write(body, () => {});
    this.end();
  }

  begin(head: ResponseHead): void {
    this.#head = head;
    this.#length = head.headers.reduce((length, string) => length + string.length, 0);
  }

  write(chunk: Buffer, done: () => void): void {
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) this.#resolve(undefined);
    else this.#chunks.push(chunk);
    done();
  }

  end(): void {
    const { status, headers } = this.#head;
    const field = (name: string): string | undefined => {
      const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
      return at === -1 ? undefined : headers[at + 1];
    };
    const [first, ...others] = this.#chunks;
    this.#resolve({ status, getHeader: field, body: first === undefined || others.length > 0 ? Buffer.concat(this.#chunks) : first });
  }

  fail(error: Error): void {
    this.#reject(error);
  }
}
