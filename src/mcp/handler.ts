/**
 * Serves operations as tools, to clients of the Model Context Protocol: Streamable HTTP with responses in JSON, and without sessions.
 * Requests of revision 2026-07-28 describe themselves; older clients begin with `initialize`.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ContextFunction, findRejection, listResources } from '../endpoint/context.ts';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import type { NestedCall, OuterRequest } from '../endpoint/nested.ts';
import { findReply } from '../endpoint/reply.ts';
import type { ContextRequest } from '../endpoint/request.ts';
import { isApiError } from '../errors/api-error.ts';
import { Rejection } from '../errors/problem.ts';
import { isFromListedOrigin } from '../http/cors.ts';
import { NOSNIFF, toHeadersObject } from '../http/headers.ts';
import { parseJson } from '../http/json.ts';
import { findOrigin, findResourceUrl, locateMetadata, type ResourceLocation } from '../http/protected-resource.ts';
import { findQuery } from '../http/target.ts';
import type { MountedRequest } from '../openapi/served-file.ts';
import { ByteBuffer } from '../util/byte-buffer.ts';
import {
  isModern, makeErrorResponse, makeResultResponse, makeScopeResponse, type Message, parseMessage, RpcError, type RpcResponse, ScopeError,
} from './messages.ts';
import { Methods } from './methods.ts';
import { type CheckedOptions, MCP_OPTIONS, type McpOptions } from './options.ts';

/** A server whose operations can be tools: an `ApiServer`. */
export interface ServerWithTools extends DescribedServer {
  readonly ' nested': NestedCall;
}

const TOO_LONG = reject(413, 'The message is too long.');

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
export function mcpHandler(
  server: ServerWithTools, options: McpOptions,
): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => Promise<void> {
  const checked = MCP_OPTIONS.check(options, 'options');
  const methods = new Methods(server, checked);
  const { ' registered': { allowedHosts } } = server;
  const handler = async (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): Promise<void> => {
    const rejection = rejectByHead(request, checked);
    if (rejection !== undefined) {
      request.resume();
      send(response, rejection);
      return;
    }
    const locate = (): ResourceLocation => locateResource(request, allowedHosts);
    try {
      if (checked.context !== undefined) await admit(checked.context, makeContextRequest(request, response, locate));
    } catch (thrown) {
      if (!isApiError(thrown)) throw thrown;
      // The server replies with the problem, and logs a failure.
      next(thrown);
      return;
    }
    const body = await readBody(request, checked.bodyBytes);
    // The client has left.
    if (body === undefined) return;
    const findOwn = (): string | undefined => findMetadata(checked.context, locate());
    send(response, body === 'too long' ? TOO_LONG : await respondTo(methods, body, { request, response }, findOwn));
  };
  return Object.assign(handler, {
    ' requestHeaders': ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'], ' security': checked.context?.security,
  });
}

/** Rejects a message by its head. By DNS rebinding, a page of a different origin can send any `Host`, but its `Origin` gives it away. */
function rejectByHead(
  request: IncomingMessage, { allowedOrigins, bodyBytes }: CheckedOptions,
): RpcResponse | undefined {
  const { url = '', method, headers } = request;
  const { origin, 'content-type': type = '', 'content-length': length = 0 } = headers;
  const isAllowed = origin === undefined || allowedOrigins.includes(origin) || isFromListedOrigin(request);
  if (!isAllowed) return reject(403, 'Pages of this origin may not send requests.');
  if (url.split('?')[0] !== '/') return reject(404, 'Nothing is served at this path.');
  if (method !== 'POST') return { ...reject(405, 'Messages are sent by POST.'), headers: { Allow: 'POST' } };
  if (!/^application\/json *(?:;|$)/i.test(type)) return reject(415, 'The body must be application/json.');
  return Number(length) > bodyBytes ? TOO_LONG : undefined;
}

/** Rejects with an `ApiError` if `context` rejects the caller. */
async function admit(context: ContextFunction, request: ContextRequest): Promise<void> {
  const result = await context(request);
  if (findReply(result, true) !== undefined) throw new TypeError('a context must not be a reply: to reject the caller, throw an ApiError');
  const rejection = findRejection(context, result, request);
  if (rejection !== undefined) throw rejection;
}

function locateResource(request: MountedRequest, allowedHosts: ReadonlySet<string> | undefined): ResourceLocation {
  return { origin: findOrigin(request, allowedHosts), path: request[' route'] ?? request.baseUrl ?? '' };
}

/** `locate` finds the resource for `restpoint/auth`, as in the request of an operation. */
function makeContextRequest(raw: MountedRequest, response: ServerResponse, locate: () => ResourceLocation): ContextRequest {
  const { url = '', baseUrl = '' } = raw;
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  const query = new URLSearchParams(findQuery(url));
  const request: ContextRequest = { raw, route: { method: 'POST', path: baseUrl }, params: {}, query, signal: leaving.signal };
  return Object.defineProperty(request, ' resource', { get: locate });
}

/**
 * The URL of the metadata of this mount, if `context` has a resource. The challenge of an operation names the root of the server instead.
 */
function findMetadata(context: ContextFunction | undefined, location: ResourceLocation): string | undefined {
  const [resource] = listResources(context?.security);
  const url = resource && findResourceUrl(resource, location);
  return url === undefined ? undefined : locateMetadata(url);
}

async function respondTo(
  methods: Methods, body: Buffer, outer: OuterRequest, findMetadata: () => string | undefined,
): Promise<RpcResponse> {
  let id: Message['id'];
  try {
    const json = parseJson(body);
    if (json instanceof Rejection) throw new RpcError('parse', String(json.problem.detail));
    const message = parseMessage(json);
    id = message.id;
    const modern = isModern(message, outer.request.headers);
    return id === undefined ? { status: 202 } : makeResultResponse(id, await methods.call(message, modern, outer));
  } catch (thrown) {
    if (thrown instanceof RpcError) return makeErrorResponse(id, thrown);
    if (thrown instanceof ScopeError) return makeScopeResponse(id, thrown, findMetadata());
    throw thrown;
  }
}

/** Reads the body. `undefined` if the client leaves before its end. */
function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too long' | undefined> {
  return new Promise((resolve) => {
    const bytes = new ByteBuffer();
    request.on('data', (chunk: Buffer) => {
      if (bytes.length + chunk.length > maxBytes) resolve('too long');
      else bytes.add(chunk);
    });
    request.once('end', () => resolve(bytes.take())).once('close', () => resolve(undefined));
  });
}

function reject(status: number, message: string): RpcResponse {
  return { status, body: { jsonrpc: '2.0', error: { code: -32600, message } } };
}

function send(response: ServerResponse, { status, headers, body }: RpcResponse): void {
  const json = body === undefined ? '' : JSON.stringify(body);
  const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const always = { 'Content-Length': Buffer.byteLength(json), 'Cache-Control': 'no-store', ...toHeadersObject(NOSNIFF) };
  response.writeHead(status, { ...headers, ...type, ...always }).end(json);
}
