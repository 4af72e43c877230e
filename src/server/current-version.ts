/**
 * Asks the user's code for the version of an item that a request would change: `currentVersion` of its endpoint, or else `get`. Both are
 * called as for a separate request: `get` with its context and its scopes, `currentVersion` with the context of the endpoint.
 */
import { type ContextFunction, findRejection } from '../endpoint/context.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { findStatus } from '../endpoint/kinds.ts';
import type { Operation } from '../endpoint/operation.ts';
import { dropUnsent, findReply, GivenProblem } from '../endpoint/reply.ts';
import type { ApiRequest } from '../endpoint/request.ts';
import type { Route } from '../endpoint/routes.ts';
import { canReadVersions, formatVersion } from '../endpoint/versions.ts';
import { ApiError } from '../errors/api-error.ts';
import { adopt, isThenable } from '../util/promises.ts';
import { findHeader } from '../http/head.ts';
import { type Current, EXISTING, MISSING } from '../http/preconditions.ts';
import { type Call, OperationRequest } from './call.ts';

const MISSING_STATUSES: readonly number[] = [404, 410];
const REJECTED_STATUSES: readonly number[] = [401, 403];

/** The request of an operation, with the id of its item. */
export interface ItemRequest extends ApiRequest<unknown, object, unknown> {
  readonly itemId: unknown;
}

/** A function of the user that knows the version of an item. `askContext` and `ask` may return promises. */
export interface VersionSource {
  /** Identifies callers for it. */
  readonly context: ContextFunction | undefined;
  readonly askContext: (request: ItemRequest) => unknown;
  readonly ask: (request: ItemRequest) => unknown;
  /** The route of its request. `undefined` for the route of the operation. */
  readonly route: Route | undefined;
  /** Whether the caller lacks a scope. */
  readonly rejects: (request: ItemRequest) => boolean;
  /** Reads the result of `ask`. */
  readonly read: (given: unknown) => Current;
}

/** The endpoint's `currentVersion`. */
export function versionSource({ versions, declared, context, isSingleton }: Endpoint): VersionSource | undefined {
  const currentVersion = versions?.currentVersion;
  return currentVersion === undefined ? undefined : {
    context,
    askContext: (request) => context?.call(declared, request),
    ask: (request) => (isSingleton ? currentVersion.call(declared, request) : currentVersion.call(declared, request.itemId, request)),
    route: undefined,
    rejects: () => false,
    read: (version) => (version === undefined || version === null ? MISSING : { ...EXISTING, etag: formatVersion(version, 'currentVersion') }),
  };
}

/** The endpoint's `get`; `undefined` if it cannot be called for a different operation. */
export function getSource({ operations }: Endpoint): VersionSource | undefined {
  const get = operations.find((operation) => operation.kind.name === 'get' && canReadVersions(operation));
  return get === undefined ? undefined : {
    context: get.context,
    askContext: (request) => get.callContext(request),
    ask: (request) => get.run(request.itemId, undefined, request),
    route: get.route,
    rejects: (request) => get.checkScopes(request.context, request) !== undefined,
    read: (result) => readResult(get, result),
  };
}

/** The item as `get` would send it. The headers of a reply are its validators. */
function readResult(get: Operation, result: unknown): Current {
  const isFormatted = get.resultFormat !== undefined;
  const reply = findReply(result, isFormatted);
  if (findStatus(get.kind, result) === 404) return MISSING;
  if (GivenProblem.is(reply)) throw ApiError.wrap(reply.rejection);
  if (reply !== undefined) dropUnsent(reply[' reply']);
  else if (isFormatted) dropUnsent(result);
  if (reply === undefined) return { ...EXISTING, etag: get.getTag?.(result) };
  return { ...EXISTING, etag: findHeader(reply.headers, 'etag'), lastModified: findHeader(reply.headers, 'last-modified') };
}

/** Returns the version of the operation's item; `undefined` for a caller who may not see it. */
export async function askVersion(source: VersionSource, call: Call, request: ItemRequest): Promise<Current | undefined> {
  const { operation, exchange } = call;
  const { endpoint } = operation;
  const own = new VersionRequest(call, source.route ?? operation.route);
  const asking = withAdded(own, request);
  try {
    // The same function has already identified this caller.
    own.context = source.context === operation.context ? request.context : await settled(source.askContext(asking));
    const rejection = findRejection(source.context, own.context, own);
    if (rejection !== undefined) throw rejection;
    if (findReply(own.context, true) !== undefined || source.rejects(asking)) return undefined;
  } catch (thrown) {
    if (endpoint.mapError(thrown).status < 500) return undefined;
    throw thrown;
  }
  // The deadline may have passed meanwhile.
  if (!exchange.isOpen) return undefined;
  try {
    return source.read(await settled(source.ask(asking)));
  } catch (thrown) {
    const { status } = endpoint.mapError(thrown);
    if (MISSING_STATUSES.includes(status)) return MISSING;
    if (REJECTED_STATUSES.includes(status)) return undefined;
    throw thrown;
  }
}

function settled(value: unknown): unknown {
  return isThenable(value) ? adopt(value) : value;
}

/** A request with the properties that interceptors have added to the operation's request, such as a transaction. */
function withAdded(own: VersionRequest, request: ItemRequest): ItemRequest {
  return new Proxy(own, {
    // With the request as its receiver, a getter finds the private properties.
    get: (target, name) => Reflect.get(name in target ? target : request, name),
    has: (target, name) => name in target || name in request,
    ownKeys: (target) => [...new Set([...Reflect.ownKeys(target), ...Reflect.ownKeys(request)])],
    getOwnPropertyDescriptor: (target, name) => Reflect.getOwnPropertyDescriptor(name in target ? target : request, name),
  });
}

/** The request for which the user's function is called. It has no conditions, no decoded query and no decoded headers. */
class VersionRequest extends OperationRequest {
  readonly #route: Route;
  readonly #queryString: string;

  constructor(call: Call, route: Route) {
    super(call);
    this.params = call.request.params;
    this.itemId = call.request.itemId;
    this.#route = route;
    this.#queryString = call.queryString;
  }

  override get route(): Route {
    return this.#route;
  }

  override get query(): URLSearchParams {
    return new URLSearchParams(this.#queryString);
  }

  override get headers(): undefined {
    return undefined;
  }

  override get ifMatch(): undefined {
    return undefined;
  }

  override get ifNoneMatch(): undefined {
    return undefined;
  }
}
