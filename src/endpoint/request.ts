/** The `request` argument of operations. */
import type { IncomingMessage } from 'node:http';
import type { Route } from './routes.ts';

// The compiler leaves the getters of a class out of a copy of an object, so that a use of one there does not compile.
declare abstract class Getters {
  /** Node's own request. The server reads its body. */
  abstract get raw(): IncomingMessage;
  /** The route of the operation, as `server.routes` lists it. A HEAD request has that of the GET. */
  abstract get route(): Route;
  /** Aborts when the client leaves before the reply, and when the operation takes too long. */
  abstract get signal(): AbortSignal;
}

declare abstract class ContextGetters extends Getters {
  /** The decoded query; without a `query` of the operation, the query of the request target. */
  abstract get query(): URLSearchParams;
}

declare abstract class OperationGetters<Query> extends Getters {
  /** The decoded query; without a `query` of the operation, the query of the request target. */
  abstract get query(): Query;
  /** The id of the last event that a client of server-sent events has got before it reconnects: `Last-Event-ID`, read as UTF-8. */
  abstract get lastEventId(): string | undefined;
  /** The versions that the client names in `If-Match`: an operation compares them as it changes the item. Weak tags name none. */
  abstract get ifMatch(): readonly string[] | '*' | undefined;
  /**
   * The versions that the client names in `If-None-Match`, compared as it changes the item. `'*'`: only if there is no item yet. Weak tags
   * count.
   *
   * @example
   * update: (id, pet, { ifNoneMatch }) => (ifNoneMatch === '*' ? pets.insert(id, pet) : pets.replace(id, pet)),
   */
  abstract get ifNoneMatch(): readonly string[] | '*' | undefined;
}

/**
 * The last argument of every operation. Name the members that you use, or pass it on as a whole: a copy, such as `{ ...request }`, has
 * `context`, `params` and what interceptors add, and none of the others.
 *
 * @example
 * ```ts
 * get: (id, { context, signal }) => pets.find(id, context.owner, { signal }),
 * ```
 */
export interface ApiRequest<Context = undefined, Params = {}, Query = URLSearchParams> extends OperationGetters<Query> {
  /** The result of the endpoint's `context`; `undefined` without one. */
  readonly context: Context;
  /** The parameters of the endpoint's sub-path, as their codecs parse them. */
  readonly params: Params;
}

/** The argument of an endpoint's `context`. */
export interface ContextRequest<Params = {}, Id = unknown> extends ContextGetters {
  /** The parameters of the endpoint's sub-path, as their codecs parse them. */
  readonly params: Params;
  /** The id of the item, for operations on an item. */
  readonly itemId?: Id | undefined;
}
