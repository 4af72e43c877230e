/**
 * Serves operations as tools, to clients of the Model Context Protocol: Streamable HTTP with responses in JSON, and without sessions.
 * Requests of revision 2026-07-28 describe themselves; older clients begin with `initialize`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AnyContextFunction, findContextMistake, findRejection, listResources } from '../endpoint/context.ts';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import { type HandledRequest, makeHandler, type OuterRequest } from '../endpoint/handler.ts';
import type { ContextRequest, RequestInternals } from '../declaration/request.ts';
import { ApiError, isApiError } from '../errors/api-error.ts';
import { Rejection } from '../errors/problem.ts';
import { findClient, type TrustProxy } from '../http/client-address.ts';
import { findHeader, joinHeaders } from '../http/head.ts';
import { isJsonObject, parseJsonBody } from '../http/json.ts';
import { findBase, findResourceUrl, locateMetadata, type BaseOptions, type ResourceLocation } from '../http/protected-resource.ts';
import type { Outgoing } from '../http/response.ts';
import { sliceQuery } from '../http/target.ts';
import { listOperations } from '../openapi/describe.ts';
import { splitTemplate } from '../router/pattern.ts';
import { ByteBuffer } from '../util/bytes.ts';
import { checkDecision, isAbortError, isInstance } from '../util/promises.ts';
import { clearTimeout, setTimeout } from '../util/timers.ts';
import {
  isModern, LEGACY, makeErrorResponse, makeResultResponse, makeScopeResponse, type Message, META, parseMessage, REVISIONS,
  RpcError, type RpcResponse, ScopeError,
} from './json-rpc.ts';
import { type CheckedMcpOptions, MCP_OPTIONS, type McpOptions } from './mcp-options.ts';
import { callTool, type PathLiterals } from './tool-call.ts';
import { listTools, type Tool } from './tools.ts';

const TOO_LONG = rejectCall(413, 'The message is too long.');

/**
 * Makes a listener that serves the operations with `tool` as tools of the Model Context Protocol.
 *
 * A call is a request of its own, with the credentials of the caller and under the rules of the operation. Two tools with one name, and
 * what `openApi` rejects, are a logged 500.
 *
 * @example
 * ```ts
 * server.registerEndpoint('/pet', {
 *   id: integerId,
 *   get: { tool: { description: 'Reads the name of a pet.' }, run: (id) => db.find(id) },
 * });
 * server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1.0.0' } }));
 * ```
 * @throws `TypeError` for an invalid option.
 */
export function mcpHandler<Context = unknown>(
  server: DescribedServer, options: McpOptions<Context>,
): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => Promise<void> {
  const checked = MCP_OPTIONS.check(options, 'options');
  const callMethod = makeMethods(server, checked);
  const { ' internal': { settings, operationMs } } = server;
  const respond = async (request: HandledRequest): Promise<Outgoing | undefined> => {
    const rejection = rejectByHead(request, checked);
    if (rejection !== undefined) {
      request.discard();
      return toOutgoing(rejection);
    }
    const locate = (): ResourceLocation => locateResource(request, settings);
    const caller = await admit(checked.context, request, { locate, operationMs, isTrusted: settings.proxy.trusted });
    const body = caller && await collectMessage(request, checked.bodyBytes);
    // The client has left.
    if (caller === undefined || body === undefined) return undefined;
    if (body === 'too long') return toOutgoing(TOO_LONG);
    const findOwn = (): string | undefined => findMetadata(checked.context, locate());
    const call = (message: Message, isModern: boolean): Promise<object> => callMethod(message, isModern, request, caller.context);
    return toOutgoing(await respondTo(body, joinHeaders(request.rawHeaders), call, findOwn));
  };
  return makeHandler(respond, {
    requestHeaders: ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'], context: checked.context,
  }, isApiError) as (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => Promise<void>;
}

/** Rejects a message by its head. By DNS rebinding, a page of a different origin can send any `Host`, but its `Origin` gives it away. */
function rejectByHead(
  { url, method, rawHeaders, isListed }: HandledRequest, { allowedOrigins, bodyBytes }: CheckedMcpOptions,
): RpcResponse | undefined {
  const origin = findHeader(rawHeaders, 'origin');
  const isAllowed = origin === undefined || allowedOrigins.includes(origin) || isListed;
  if (!isAllowed) return rejectCall(403, 'Pages of this origin may not send requests.');
  if (url.split('?')[0] !== '/') return rejectCall(404, 'Nothing is served at this path.');
  if (method !== 'POST') return { ...rejectCall(405, 'Messages are sent by POST.'), headers: ['Allow', 'POST'] };
  const isJson = /^application\/json *(?:;|$)/i.test(findHeader(rawHeaders, 'content-type') ?? '');
  if (!isJson) return rejectCall(415, 'The body must be application/json.');
  return Number(findHeader(rawHeaders, 'content-length') ?? 0) > bodyBytes ? TOO_LONG : undefined;
}

interface AdmitOptions {
  /** Finds the resource for `restpoint/auth`, as in the request of an operation. */
  readonly locate: () => ResourceLocation;
  readonly isTrusted: TrustProxy | undefined;
  /** The time that `context` has; 0 for no limit. */
  readonly operationMs: number;
}

/**
 * Resolves to the context of the caller; to `undefined` if the caller is no longer there. Rejects with what `context` throws, unless that
 * says only that its signal has aborted.
 */
function admit(
  context: AnyContextFunction | undefined, request: HandledRequest, options: AdmitOptions,
): Promise<{ readonly context: unknown } | undefined> {
  if (context === undefined) return Promise.resolve({ context });
  const { operationMs } = options;
  const controller = new AbortController();
  const { signal } = controller;
  let isOver = false;
  return new Promise((resolve, reject) => {
    request.response.once('close', () => {
      if (isOver) return;
      controller.abort(new DOMException('the client left', 'AbortError'));
      resolve(undefined);
    });
    const timeout = operationMs === 0 ? undefined : setTimeout(() => {
      const reason = new DOMException(`context took longer than ${operationMs} ms`, 'TimeoutError');
      reject(ApiError.because('operation-time', 'The operation took too long.', { cause: reason }));
      controller.abort(reason);
    }, operationMs).unref();
    callContext(context, makeContextRequest(request, signal, options)).then((result) => resolve({ context: result }), (thrown: unknown) => {
      // A late failure, which changes no response.
      if (signal.aborted && !isApiError(thrown) && !isAbortError(thrown, signal)) request.log(thrown);
      reject(thrown);
    }).finally(() => {
      isOver = true;
      clearTimeout(timeout);
    });
  });
}

/** Rejects with an `ApiError` if `context` rejects the caller. */
async function callContext(context: AnyContextFunction, request: ContextRequest): Promise<unknown> {
  const result = await context(request);
  const mistake = findContextMistake(result);
  if (mistake !== undefined) throw new TypeError(mistake);
  const rejection = findRejection(context, result, request);
  if (rejection !== undefined) throw rejection;
  return result;
}

function locateResource(
  { originalUrl: url, rawHeaders, isSecure, route }: HandledRequest, settings: BaseOptions,
): ResourceLocation {
  return { base: findBase({ url, rawHeaders, isSecure }, settings), path: route };
}

function makeContextRequest(handled: HandledRequest, signal: AbortSignal, { locate, isTrusted }: AdmitOptions): ContextRequest {
  const query = new URLSearchParams(sliceQuery(handled.url));
  const request = { route: { method: 'POST', path: handled.baseUrl }, params: {}, query, signal, id: handled.request.id };
  const internals: RequestInternals = { requestHead: handled, get resource() { return locate(); } };
  return Object.defineProperties(request, {
    raw: { get: () => handled.raw, enumerable: true }, ' internal': { value: internals },
    client: { get: () => findClient(handled.request.socket?.remoteAddress, handled.rawHeaders, isTrusted), enumerable: true },
  }) as typeof request & Pick<ContextRequest, 'raw' | 'client'>;
}

/**
 * The URL of the metadata of this mount, if `context` has a resource. The challenge of an operation names the root of the server instead.
 */
function findMetadata(context: AnyContextFunction | undefined, location: ResourceLocation): string | undefined {
  const [resource] = listResources(context?.security);
  const url = resource && findResourceUrl(resource, location);
  return url === undefined ? undefined : locateMetadata(url);
}

async function respondTo(
  body: Buffer, headers: Readonly<Record<string, string>>, call: (message: Message, isModern: boolean) => Promise<object>,
  findMetadata: () => string | undefined,
): Promise<RpcResponse> {
  let id: Message['id'];
  try {
    const json = parseJsonBody(body);
    if (json instanceof Rejection) throw new RpcError('parse', String(json.problem.detail));
    const message = parseMessage(json);
    id = message.id;
    const modern = isModern(message, headers);
    return id === undefined ? { status: 202 } : makeResultResponse(id, await call(message, modern));
  } catch (thrown) {
    if (isInstance(thrown, RpcError)) return makeErrorResponse(id, thrown);
    if (isInstance(thrown, ScopeError)) return makeScopeResponse(id, thrown, findMetadata());
    throw thrown;
  }
}

/** Reads the body. `undefined` if the client leaves before its end. */
function collectMessage(request: HandledRequest, maxBytes: number): Promise<Buffer | 'too long' | undefined> {
  return new Promise((resolve) => {
    const bytes = new ByteBuffer();
    request.response.once('close', () => resolve(undefined));
    request.collect((chunk) => {
      if (chunk === null) resolve(bytes.take());
      else if (!bytes.addWithin(typeof chunk === 'string' ? Buffer.from(chunk) : chunk, maxBytes)) resolve('too long');
    });
  });
}

function rejectCall(status: number, message: string): RpcResponse {
  return { status, body: { jsonrpc: '2.0', error: { code: -32600, message } } };
}

function toOutgoing({ status, headers = [], body }: RpcResponse): Outgoing {
  const type = body === undefined ? [] : ['Content-Type', 'application/json'];
  return { status, headers: [...headers, ...type, 'Cache-Control', 'no-store'], body: body && JSON.stringify(body) };
}

// Some clients ask only for the first page.
const PAGE = 200;
// How long a client may keep the list of tools, in milliseconds. Only a registration changes the list.
const TTL = { ttlMs: 60_000, cacheScope: 'private' };
const CAPABILITIES = { tools: {} };

/** The tools of a server, until the next registration. */
interface Listed {
  readonly registered: number;
  readonly tools: readonly Tool[];
  readonly byName: ReadonlyMap<string, Tool>;
  readonly literals: PathLiterals;
}

/** Calls a method. `context` is the caller's, by the option `context`. Throws `RpcError`. */
type CallMethod = (message: Message, isModern: boolean, outer: OuterRequest, context: unknown) => Promise<object>;

/** Makes the methods that clients call. */
function makeMethods(server: DescribedServer, { info, tools: isFor }: CheckedMcpOptions): CallMethod {
  const { ' internal': { all, nested } } = server;
  let listed: Listed | undefined;
  const list = (): Listed => {
    if (listed?.registered === all.length) return listed;
    const tools = listTools(server);
    const paths = listOperations(server).map(({ pattern }) => pattern.template);
    const literals = new Set(paths.flatMap((path) => splitTemplate(path).flatMap(({ raw, name }) => (name === undefined ? [raw] : []))));
    listed = { registered: all.length, tools, byName: new Map(tools.map((tool) => [tool.name, tool])), literals };
    return listed;
  };
  /** Whether a tool is for the caller with this context, by the option `tools`. */
  const has = (context: unknown, { described }: Tool): boolean => {
    return isFor === undefined || checkDecision(isFor(described, context), 'options.tools');
  };
  const handle = ({ method, params }: Message, isModern: boolean, outer: OuterRequest, context: unknown): object | Promise<object> => {
    if (method === 'tools/list') {
      return { ...formatPage(list().tools.filter((tool) => has(context, tool)), params), ...(isModern && TTL) };
    }
    if (method === 'tools/call') {
      const { byName, literals } = list();
      const { name, arguments: given = {} } = params;
      if (typeof name !== 'string') throw new RpcError('params', 'The name of the tool must be a string.');
      const tool = byName.get(name);
      // A caller cannot find out which tools others have.
      if (tool === undefined || !has(context, tool)) throw new RpcError('params', 'There is no such tool.');
      if (!isJsonObject(given)) throw new RpcError('params', 'The arguments must be an object.');
      return callTool(nested, tool, given, literals, outer);
    }
    if (isModern && method === 'server/discover') return { supportedVersions: REVISIONS, capabilities: CAPABILITIES, ...TTL };
    if (!isModern && method === 'ping') return {};
    if (!isModern && method === 'initialize') return { ...initialize(params), serverInfo: info };
    throw new RpcError('unknownMethod', 'There is no such method.');
  };
  return async (message, isModern, outer, context) => {
    const result = await handle(message, isModern, outer, context);
    return isModern ? { resultType: 'complete', ...result, _meta: { [`${META}serverInfo`]: info } } : result;
  };
}

/** A client that asks for any other revision gets the newest, and may disconnect. */
function initialize({ protocolVersion }: Message['params']): object {
  if (typeof protocolVersion !== 'string') throw new RpcError('params', 'The protocolVersion must be a string.');
  const revision = LEGACY.find((each) => each === protocolVersion) ?? LEGACY[0];
  return { protocolVersion: revision, capabilities: CAPABILITIES };
}

/** The tools of the page after a cursor. */
function formatPage(tools: readonly Tool[], { cursor }: Message['params']): object {
  const last = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : undefined;
  const start = cursor === undefined ? 0 : tools.findIndex(({ name }) => name === last) + 1;
  if (cursor !== undefined && start === 0) throw new RpcError('params', 'The cursor is not from this list.');
  const page = tools.slice(start, start + PAGE);
  const end = page.at(-1);
  const hasMore = end !== undefined && start + PAGE < tools.length;
  return { tools: page.map(({ listed }) => listed), ...(hasMore && { nextCursor: Buffer.from(end.name).toString('base64url') }) };
}
