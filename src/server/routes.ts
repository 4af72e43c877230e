/** The table of the specification: which routes an endpoint has, and what `OPTIONS` says of them. */
import { parseLiteralPath, parsePattern, type Pattern } from '../router/pattern.ts';
import type { Exchange } from './connection/exchange.ts';
import { replyAllow } from './connection/reply.ts';
import { serve } from './operation/serve.ts';
import type { ServedEndpoint } from './operation/served-endpoint.ts';

/** What answers the requests of a route; `segment` is the text that stands for `:id`, as it was sent. */
export type Handler = (exchange: Exchange, segment: string) => void;

/** A route as it is shown to the host: `*` stands for every method, at a mount. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** A route ready to be inserted. */
export interface BoundRoute {
  readonly method: string;
  readonly pattern: Pattern;
  readonly handler: Handler;
}

/** Reads a server's root prefix. Throws `TypeError` when it is neither `""` nor a path without a parameter. */
export function parseRoot(root: unknown): string {
  if (root === '/') throw new TypeError('root must not end with "/": "/"');
  return root === '' ? '' : parseLiteralPath('root', root);
}

/** Joins root and sub-path: the sub-path `/` alone means the root itself. Throws `TypeError` for what is no sub-path. */
export function basePath(root: string, subpath: unknown): string {
  const sub = parseLiteralPath('sub-path', subpath);
  return sub === '/' ? root : root + sub;
}

/** Derives an endpoint's routes, ready to be inserted. */
export function routesOf(endpoint: ServedEndpoint): BoundRoute[] {
  return tableOf(endpoint).map(({ method, pattern, makeHandler }) => ({ method, pattern, handler: makeHandler() }));
}

/** An endpoint's routes as they are shown. */
export function listOf(endpoint: ServedEndpoint): Route[] {
  return tableOf(endpoint).map(({ method, pattern }) => ({ method, path: pattern.text }));
}

/** An endpoint by its path and what it declares, for messages: its discovery was written by nobody. */
export function nameOfEndpoint(endpoint: ServedEndpoint): string {
  const declared = listOf(endpoint).filter(({ method }) => method !== 'OPTIONS').map(({ method, path }) => `${method} ${path}`);
  return `endpoint ${endpoint.collectionPath} (${declared.join(', ')})`;
}

interface Row {
  readonly method: string;
  readonly pattern: Pattern;
  readonly makeHandler: () => Handler;
}

/** The discovery routes are there whatever an endpoint declares. */
function tableOf({ collectionPath, itemPath, operations }: ServedEndpoint): Row[] {
  const rows: Row[] = operations.map((operation) => {
    return { method: operation.kind.method, pattern: parsePattern(operation.path), makeHandler: () => (exchange, segment) => serve(operation, exchange, segment) };
  });
  const posts = rows.filter(({ method }) => method === 'POST');
  const ofItem = rows.filter(({ pattern }) => pattern.text === itemPath);
  for (const [path, found] of [[collectionPath, posts], [itemPath, ofItem]] as const) {
    const allow = found.map(({ method }) => method).join(', ');
    rows.push({ method: 'OPTIONS', pattern: parsePattern(path), makeHandler: () => allowHandler(allow) });
  }
  return rows;
}

// There are few values of `Allow`, and one closure for each of them serves all endpoints.
const allowHandlers = new Map<string, Handler>();

function allowHandler(allow: string): Handler {
  let handler = allowHandlers.get(allow);
  if (handler === undefined) allowHandlers.set(allow, (handler = (exchange) => replyAllow(exchange, 200, allow)));
  return handler;
}
