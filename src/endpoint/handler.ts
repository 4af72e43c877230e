/**
 * The handlers of this package that are mounted: documents, Swagger UI, metadata, MCP. The server calls their `respond`, for which no
 * messages of Node are made. An app calls them as listeners.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isFromListedOrigin } from '../http/cors.ts';
import { NOSNIFF, toHeadersObject } from '../util/headers.ts';
import type { Outgoing } from '../http/response.ts';
import { findInternals } from '../util/internals.ts';
import { formatError, isThenable } from '../util/promises.ts';
import type { MaybePromise } from '../declaration/decoder.ts';
import type { AnyContextFunction } from './context.ts';

/** A request as these handlers see it. */
export interface HandledRequest extends OuterRequest {
  readonly method: string;
  /** The target without the route of the mount. */
  readonly url: string;
  /** The whole target. */
  readonly originalUrl: string;
  /** The beginning of the path that `url` lacks. */
  readonly baseUrl: string;
  /** The route of the mount, without the path at which an app has mounted the server. */
  readonly route: string;
  readonly rawHeaders: readonly string[];
  readonly isSecure: boolean;
  /** Whether the page that has sent it has an origin that `cors` lists. */
  readonly isListed: boolean;
  /** Node's request, which may be made when it is asked for. */
  readonly raw: IncomingMessage;
  /** Passes on the body, and `null` after its end. */
  collect(take: (chunk: Buffer | string | null) => void): void;
  /** Reads the body, and drops it. */
  discard(): void;
  /** Logs a failure that changes no response. */
  log(thrown: unknown): void;
}

/** Returns the response to a request; `undefined` for a path at which nothing is. Throws an `ApiError` to reject it. */
export type Respond = (request: HandledRequest) => MaybePromise<Outgoing | undefined>;

type ExpressRequest = IncomingMessage & { readonly originalUrl?: string; readonly baseUrl?: string; readonly ' internal'?: string };
type AppListener = (request: ExpressRequest, response: ServerResponse, next?: (error?: unknown) => void) => unknown;

/** The parts of a handler of this package, which a server that it is mounted in reads. */
export interface HandlerParts {
  readonly respond: Respond;
  /** Makes what can be made before the first request. */
  readonly prepare?: () => unknown;
  /** The function of the user that authenticates its callers, if it has one. */
  readonly context?: AnyContextFunction | undefined;
  /** The request headers that it reads. */
  readonly requestHeaders?: readonly string[];
}

/** Returns the parts of a handler; `undefined` unless the handler is one of this package. */
export function findHandlerParts(handler: unknown): HandlerParts | undefined {
  const parts = findInternals<HandlerParts>(handler);
  return parts?.respond === undefined ? undefined : parts as HandlerParts;
}

/**
 * Makes a handler, which an app can call as a listener. `isRejection` tells the errors that reject a request, which the app gets: without
 * it, documents would bring the class of these errors with them.
 */
export function makeHandler(
  respond: Respond, parts: Omit<HandlerParts, 'respond'> = {}, isRejection?: (thrown: unknown) => boolean,
): AppListener {
  const listener: AppListener = (request, response, next) => {
    const finish = (outgoing: Outgoing | undefined): void => {
      if (outgoing === undefined) next?.();
      else sendHandled(response, outgoing);
    };
    const responded = respond(toHandled(request, response));
    if (!isThenable(responded)) return finish(responded);
    return responded.then(finish, (thrown: unknown) => {
      if (isRejection?.(thrown) !== true) throw thrown;
      next?.(thrown);
    });
  };
  return Object.assign(listener, { ' internal': { ...parts, respond } });
}

function toHandled(raw: ExpressRequest, response: ServerResponse): HandledRequest {
  const { method = '', url = '', originalUrl = url, baseUrl = '', ' internal': route = baseUrl, rawHeaders, socket } = raw;
  return {
    method, url, originalUrl, baseUrl, route, rawHeaders, raw, request: raw, response,
    isSecure: (socket as { readonly encrypted?: unknown } | null)?.encrypted === true,
    isListed: isFromListedOrigin(raw),
    collect: (take) => void raw.on('data', take).once('end', () => take(null)),
    discard: () => void raw.resume(),
    log: (thrown) => process.emitWarning(formatError(thrown)),
  };
}

function sendHandled(response: ServerResponse, { status, headers, body = '' }: Outgoing): void {
  if (response.destroyed) return;
  const length = status === 304 ? [] : ['Content-Length', String(Buffer.byteLength(body))];
  // Node sends no body in the response to a HEAD.
  response.writeHead(status, toHeadersObject([...NOSNIFF, ...headers, ...length])).end(body);
}

export interface NestedRequest {
  readonly method: string;
  /** The path with the query. */
  readonly target: string;
  /** The headers, without `Content-Length`. Names and values alternate. */
  readonly headers: readonly string[];
  readonly body: Uint8Array | undefined;
}

export interface NestedResponse {
  readonly status: number;
  /** Returns the first value of a header, by its name in lower case. */
  readonly getHeader: (name: string) => string | undefined;
  readonly body: Buffer;
}

/** The request within which the nested request is made, and its response: as much as Node's have in common with others. */
export interface OuterRequest {
  readonly request: { readonly socket: Socket | null; readonly rawHeaders: readonly string[]; readonly id?: string | undefined };
  readonly response: { once(event: 'close', call: () => void): unknown };
}

/**
 * Makes a nested request. It has the remote address of the outer request, and ends with it. Resolves with the response, or with `undefined`
 * if the response, with its head, is longer than `maxBytes`. Rejects if the response is incomplete.
 */
export interface NestedCall {
  (nested: NestedRequest, outer: OuterRequest, maxBytes: number): Promise<NestedResponse | undefined>;
  /** The maximum length of a head: `limits.headerBytes`. No parser checks the head of a nested request. */
  readonly headBytes: number;
}
