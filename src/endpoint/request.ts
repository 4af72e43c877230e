/** The `request` argument of operations. */
import type { IncomingMessage } from 'node:http';
import type { Route } from './routes.ts';

/** The last argument of every operation. */
export interface ApiRequest<Context = undefined, Params = {}, Query = URLSearchParams> {
  /** Node's own request. The server reads its body. */
  readonly raw: IncomingMessage;
  /** The route of the operation, as `server.routes` lists it. A HEAD request has that of the GET. */
  readonly route: Route;
  /** The decoded query; without a `query` of the operation, the query of the request target. */
  readonly query: Query;
  /** The id of the last event that a client of server-sent events has got before it reconnects: `Last-Event-ID`, read as UTF-8. */
  readonly lastEventId: string | undefined;
  /** The versions that the client names in `If-Match`: an operation compares them as it changes the item. Weak tags name none. */
  readonly ifMatch: readonly string[] | '*' | undefined;
  /**
   * The versions that the client names in `If-None-Match`, compared as it changes the item. `'*'`: only if there is no item yet. Weak tags count.
   *
   * @example
   * update: (id, pet, { ifNoneMatch }) => (ifNoneMatch === '*' ? pets.insert(id, pet) : pets.replace(id, pet)),
   */
  readonly ifNoneMatch: readonly string[] | '*' | undefined;
  /** Aborts when the client leaves before the reply, and when the operation takes too long. */
  readonly signal: AbortSignal;
  /** The result of the endpoint's `context`; `undefined` without one. */
  readonly context: Context;
  /** The parameters of the endpoint's sub-path, as their codecs parse them. */
  readonly params: Params;
}

/** The argument of an endpoint's `context`. */
export interface ContextRequest<Params = {}, Id = unknown> extends Pick<ApiRequest<undefined, Params>, 'raw' | 'route' | 'signal' | 'params'> {
  /** The query of the request target. */
  readonly query: URLSearchParams;
  /** The id of the item, for operations on an item. */
  readonly itemId?: Id | undefined;
}
