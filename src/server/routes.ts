/** The table of the specification: which routes an endpoint has, and what `OPTIONS` says of them. */
import { parseLiteralPath, parsePattern, type Pattern } from '../router/pattern.ts';
import type { Declaration } from './declaration.ts';
import {
  allowHandler,
  createHandler,
  customHandler,
  deleteHandler,
  getHandler,
  updateHandler,
  type Handler,
  type OperationContext,
} from './handlers.ts';
import type { Settings } from './options.ts';

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

/** Derives an endpoint's routes. The discovery routes are there whatever it declares. */
export function routesOf(base: string, declaration: Declaration, settings: Settings): BoundRoute[] {
  const { create, get, stringify, update, delete: remove, custom, id } = declaration;
  const collection = parsePattern(base === '' ? '/' : base);
  const item = parsePattern(`${base}/:id`);
  const isNotFound = declaration.isNotFound ?? settings.isNotFound;
  const context = (route: string, logsEveryFailure = false): OperationContext => {
    return { route, logsEveryFailure, isNotFound, settings };
  };
  const routes: BoundRoute[] = [];
  const add = (method: string, pattern: Pattern, makeHandler: (route: string) => Handler): void => {
    routes.push({ method, pattern, handler: makeHandler(`${method} ${pattern.text}`) });
  };
  if (create) add('POST', collection, (route) => createHandler(context(route), create.decode, create.run, id, `${base}/`));
  if (get) add('GET', item, (route) => getHandler(context(route), id, get, stringify));
  if (update) add('PUT', item, (route) => updateHandler(context(route), id, update.decode, update.run));
  if (remove) add('DELETE', item, (route) => deleteHandler(context(route), id, remove));
  for (const operation of custom) {
    add('POST', parsePattern(`${base}/${operation.name}`), (route) => customHandler(context(route, true), operation));
  }
  const itemMethods = routes.filter(({ pattern }) => pattern === item).map(({ method }) => method);
  const posts = routes.filter(({ method }) => method === 'POST').map(({ method }) => method);
  add('OPTIONS', collection, () => allowHandler(posts.join(', ')));
  add('OPTIONS', item, () => allowHandler(itemMethods.join(', ')));
  return routes;
}
