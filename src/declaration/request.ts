/** The `request` argument of operations, and its route. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHead } from '../http/cross-origin.ts';
import type { ResourceLocation } from '../http/protected-resource.ts';

/** A route as `server.routes` lists it. A mount has the method `*`. */
export interface Route {
  /** The method, such as `GET`. */
  readonly method: string;
  /** The path with its parameters, such as `/v1/pet/:id`. */
  readonly path: string;
}

// The compiler leaves getters of a class out of a copy such as `{ ...request }`, so using one of the copy does not compile.
declare abstract class Getters {
  /** Node's own request. The server reads its body. */
  abstract get raw(): IncomingMessage;
  /** The id of the request. `undefined` without the option `requestId` of the server. */
  abstract get id(): string | undefined;
  /** The route of the operation, as `server.routes` lists it. A HEAD request has the route of the GET. */
  abstract get route(): Route;
  /** Aborts when the client leaves before the response, and when the operation takes too long. */
  abstract get signal(): AbortSignal;
  /**
   * The address of the client, as the option `proxy` of the server says; without it, of the other end of the connection. `undefined` for a
   * Unix socket without a proxy, and for `fetch`.
   */
  abstract get client(): string | undefined;
}

/**
 * The query of an operation without the option `query`: a `URLSearchParams`. The compiler's message about a property that it does not have
 * ends with its name: declare `query`.
 *
 * @example
 * ```ts
 * const readTag = (query: UndeclaredQuery): string | null => query.get('tag');
 * defineEndpoint({ id: integerId, list: ({ query }) => [readTag(query)] });
 * ```
 */
export interface UndeclaredQuery extends URLSearchParams {}

declare abstract class ContextGetters extends Getters {
  /** The decoded query; without a `query` of the operation, the query of the request target. */
  abstract get query(): URLSearchParams;
}

declare abstract class OperationGetters<Query, Id> extends Getters {
  /** The decoded query; without a `query` of the operation, the query of the request target. */
  abstract get query(): Query;
  /**
   * The URL at which clients reach `/` of this server, without a slash at its end: `url` of the option `proxy`, or else the origin that the
   * request names, if that is one of `allowedHosts` or of this machine. Throws for any other, since a client can send any `Host`.
   */
  abstract get baseUrl(): string;
  /**
   * The URL of an item of the endpoint, below `baseUrl`, for links in bodies and mails.
   *
   * @example
   * ```ts
   * defineEndpoint({ id: integerId, get: (id, { urlOf }) => ({ url: urlOf(id), ...db.find(id) }) });
   * ```
   * @throws `TypeError` if no path can have the id, and as `baseUrl` does.
   */
  abstract get urlOf(): (id: Id) => string;
  /** The id of the last server-sent event that the client got before it reconnected: `Last-Event-ID`, read as UTF-8. */
  abstract get lastEventId(): string | undefined;
  /** The versions in `If-Match`, to compare while the operation changes the item. Weak tags are left out. */
  abstract get ifMatch(): readonly string[] | '*' | undefined;
  /**
   * The versions in `If-None-Match`, to compare while the operation changes the item. `'*'`: only if there is no item yet. Weak tags count.
   *
   * @example
   * ```ts
   * defineEndpoint({
   *   id: integerId,
   *   schema: Pet,
   *   update: (id, pet, { ifNoneMatch }) => (ifNoneMatch === '*' ? db.create(id, pet) : db.replace(id, pet)),
   * });
   * ```
   */
  abstract get ifNoneMatch(): readonly string[] | '*' | undefined;
}

/**
 * The last argument of every operation. Destructure it, or pass it on as a whole: a copy, such as `{ ...request }`, only has `context`,
 * `params` and the properties that interceptors add.
 *
 * @example
 * ```ts
 * defineEndpoint({
 *   id: integerId,
 *   context: signedIn,
 *   get: (id, { signal }) => db.find(id, { signal }),
 *   delete: (id, { context: user }) => db.delete(id, user.id),
 * });
 * ```
 */
export interface ApiRequest<Context = undefined, Params = {}, Query = URLSearchParams, Id = any> extends OperationGetters<Query, Id> {
  /** The result of the endpoint's `context`; `undefined` without one. */
  readonly context: Context;
  /** The parameters of the endpoint's sub-path, as their codecs parse them. */
  readonly params: Params;
}

/** What only this package reads of the request of an operation, and of a `context`. */
export interface RequestInternals {
  /** The head, for which Node's request is not made. */
  readonly requestHead: RequestHead;
  /** Which protected resource the request is for. */
  readonly resource: ResourceLocation;
  /** Logs the failure of a promise that `what` returned, and nothing waits for. */
  logUnawaited?(what: string, thrown: unknown): void;
}

/** The argument of an endpoint's `context`. */
export interface ContextRequest<Params = {}, Id = unknown> extends ContextGetters {
  /** The parameters of the endpoint's sub-path, as their codecs parse them. */
  readonly params: Params;
  /** The id of the item, for operations on an item. */
  readonly itemId?: Id | undefined;
}

/**
 * The message of `restpoint.request`. It is the same object in all events of a request.
 *
 * @example
 * ```ts
 * import { subscribe } from 'node:diagnostics_channel';
 *
 * subscribe('tracing:restpoint.request:asyncEnd', (message) => {
 *   const { route, response } = message as RequestMessage;
 *   console.log(route.method, route.path, response.statusCode);
 * });
 * ```
 */
export interface RequestMessage {
  /** Node's own request. The server reads its body. */
  readonly request: IncomingMessage;
  /** Node's own response. The server writes it. */
  readonly response: ServerResponse;
  /** The address of the client, as the option `proxy` of the server says. */
  readonly client: string | undefined;
  /**
   * The route as `server.routes` lists it. A mounted server publishes no message of its own: its route, with the path of the mount before
   * it, replaces the route of the mount.
   */
  readonly route: Route;
  /** The operation of the endpoint, such as `get` or `custom.feed`. `undefined` for the `OPTIONS` of a path, and for a mount. */
  readonly operation: string | undefined;
  /** The reason of an error response: the `Error` that was thrown, or else an `ApiError`. */
  readonly error?: Error;
  /** The id of the request. `undefined` without the option `requestId` of the server. */
  readonly id: string | undefined;
}
