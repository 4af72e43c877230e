/**
 * Requests within a request, such as the call of a tool:
 *
 *   POST /mcp   ->   middleware, the count of `limits.inFlight`, a mounted handler   ->   GET /v1/pet/7   ->   its operation
 *
 * Unlike `fetch`, it does not change the target, in which a URL would resolve an id `..`. It keeps the response as bytes.
 */
import type { NestedCall, NestedRequest, NestedResponse, OuterRequest } from '../../../endpoint/handler.ts';
import { MemoryExchange, type MemoryServer } from './memory-exchange.ts';
import type { MessageMaker, ResponseHead, ResponseReader } from './memory-parts.ts';
import type { ConnectionOwner, Dispatch } from '../exchange.ts';
import type { Settings } from '../../settings/server-options.ts';
import { ByteBuffer, toBuffer } from '../../../util/bytes.ts';

/** Makes the nested calls of a server. */
export function makeNestedCall(settings: Settings, dispatch: Dispatch, owner: ConnectionOwner, messages: MessageMaker): NestedCall {
  const server: MemoryServer = { settings, messages, owner };
  type Result = NestedResponse | undefined;
  const call = (nested: NestedRequest, outer: OuterRequest, maxBytes: number) => new Promise<Result>((resolve, reject) => {
    const { method, target: url, headers, body } = nested;
    const rawHeaders = body === undefined ? headers : [...headers, 'content-length', String(body.length)];
    const parts = { method, url, rawHeaders, body, client: outer.request.socket, id: outer.request.id };
    const exchange = new MemoryExchange(server, parts, new NestedResponseReader(maxBytes, resolve, reject));
    dispatch(exchange);
    if (exchange.isOver) return;
    exchange.receive();
    outer.response.once('close', () => exchange.leave());
  });
  return Object.assign(call, { headBytes: settings.limits.headerBytes });
}

/** Keeps a response, which is `undefined` if it is longer than `maxBytes`. */
class NestedResponseReader implements ResponseReader {
  // For the body.
  #maxBytes: number;
  readonly #resolve: (response: NestedResponse | undefined) => void;
  readonly #reject: (error: Error) => void;
  #head: ResponseHead = { status: 0, statusText: '', headers: [] };
  readonly #body = new ByteBuffer();

  constructor(maxBytes: number, resolve: (response: NestedResponse | undefined) => void, reject: (error: Error) => void) {
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  whole(head: ResponseHead, body: string | Uint8Array): void {
    this.begin(head);
    if (body.length > 0) this.write(toBuffer(body), () => {});
    this.end();
  }

  begin(head: ResponseHead): void {
    this.#head = head;
    this.#maxBytes -= head.headers.reduce((length, string) => length + string.length, 0);
  }

  write(chunk: Buffer, done: () => void): void {
    if (!this.#body.addWithin(chunk, this.#maxBytes)) this.#resolve(undefined);
    done();
  }

  end(): void {
    const { status, headers } = this.#head;
    const field = (name: string): string | undefined => {
      const at = headers.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === name);
      return at === -1 ? undefined : headers[at + 1];
    };
    this.#resolve({ status, getHeader: field, body: this.#body.take() });
  }

  fail(error: Error): void {
    this.#reject(error);
  }
}
