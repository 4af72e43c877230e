/** The table of the specification: which routes an endpoint has, and what `OPTIONS` says of them. */
import { parseLiteralPath, parsePattern, type Pattern } from '../router/pattern.ts';
import {
  allowHandler,
  createHandler,
  customHandler,
  deleteHandler,
  getHandler,
  updateHandler,
  type Handler,
} from './handlers.ts';
import { CustomOperation } from './operations.ts';
import type { ServedEndpoint } from './served-endpoint.ts';

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
function tableOf(endpoint: ServedEndpoint): Row[] {
  const { create, get, update, delete: remove, custom, decode } = endpoint.declaration;
  const collection = parsePattern(endpoint.collectionPath);
  const item = parsePattern(endpoint.itemPath);
  const rows: Row[] = [];
  const add = (method: string, pattern: Pattern, makeHandler: Row['makeHandler']): void => {
    rows.push({ method, pattern, makeHandler });
  };
  if (create && decode) add('POST', collection, () => createHandler(endpoint, decode));
  if (get) add('GET', item, () => getHandler(endpoint));
  if (update && decode) add('PUT', item, () => updateHandler(endpoint, decode));
  if (remove) add('DELETE', item, () => deleteHandler(endpoint));
  for (const declaration of custom) {
    add('POST', parsePattern(endpoint.pathOf(declaration)), () => customHandler(endpoint, new CustomOperation(declaration)));
  }
  const itemMethods = rows.filter(({ pattern }) => pattern === item).map(({ method }) => method);
  const posts = rows.filter(({ method }) => method === 'POST').map(({ method }) => method);
  add('OPTIONS', collection, () => allowHandler(posts.join(', ')));
  add('OPTIONS', item, () => allowHandler(itemMethods.join(', ')));
  return rows;
}
