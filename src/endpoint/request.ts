/** The `request` argument of operations. */
import type { IncomingMessage } from 'node:http';
import type { Route } from './routes.ts';

// The compiler leaves getters of a class out of a copy such as `{ ...request }`, so using one of the copy does not compile.
declare abstract class Getters {
  /** Node's own request. The server reads its body. */
  abstract get raw(): IncomingMessage;
  /** The route of the operation, as `server.routes` lists it. A HEAD request has the route of the GET. */
  abstract get route(): Route;
  /** Aborts when the client leaves before the response, and when the operation takes too long. */
  abstract get signal(): AbortSignal;
}

declare abstract class ContextGetters extends Getters {
  /** The decoded query; without a `query` of the operation, the query of the request target. */
  abstract get query(): URLSearchParams;
}

declare abstract class OperationGetters<Query> extends Getters {
  /** The decoded query; without a `query` of the operation, the query of the request target. */
  abstract get query(): Query;
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
