/**
 * The routes that follow from a declaration: one for each operation, and two for discovery.
 *
 *   create, get and custom.feed at /v1/pet   ->   POST    /v1/pet
 *                                                 GET     /v1/pet/:id
 *                                                 POST    /v1/pet/feed
 *                                                 OPTIONS /v1/pet          Allow: POST, POST
 *                                                 OPTIONS /v1/pet/:id      Allow: GET
 */
import { parseLiteralPath, parsePattern, type Pattern } from '../router/pattern.ts';
import type { DeclaredOperation } from './declaration.ts';

/** A route as hosts see it. A mount has the method `*`. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

/** The part of an operation that decides its route. */
type RoutedOperation = Pick<DeclaredOperation, 'kind' | 'name'>;

/** An endpoint at its path. */
export interface RoutedEndpoint<Operation extends RoutedOperation = RoutedOperation> {
  /** Root and sub-path, joined. Empty for the root `""` and the sub-path `/`. */
  readonly base: string;
  readonly operations: readonly Operation[];
}

/** A route of an endpoint: that of an operation, or that of a discovery with its value of `Allow`. */
export type EndpointRoute<Operation> = { readonly method: string; readonly pattern: Pattern } & (
  | { readonly operation: Operation }
  | { readonly operation?: undefined; readonly allow: string }
);

/** Parses a server's root prefix. Throws `TypeError` if it is neither `""` nor a path without a parameter. */
export function parseRoot(root: unknown): string {
  if (root === '/') throw new TypeError('root must not end with "/": "/"');
  return root === '' ? '' : parseLiteralPath('root', root);
}

/** Joins root and sub-path. The sub-path `/` means the root itself. Throws `TypeError` when the sub-path is malformed. */
export function basePath(root: string, subpath: unknown): string {
  const sub = parseLiteralPath('sub-path', subpath);
  return sub === '/' ? root : root + sub;
}

/** The path template of an operation. */
export function pathOf(base: string, { kind, name }: RoutedOperation): string {
  return base + kind.suffix.replace('<name>', name) || '/';
}

/** All routes of an endpoint, in the order of the table of kinds. Every endpoint has both discovery routes. */
export function routesOf<Operation extends RoutedOperation>(
  { base, operations }: RoutedEndpoint<Operation>,
): EndpointRoute<Operation>[] {
  const routes = operations.map((operation) => {
    return { method: operation.kind.method, pattern: parsePattern(pathOf(base, operation)), operation };
  });
  const onItem = operations.filter(({ kind }) => kind.suffix === '/:id');
  const others = operations.filter(({ kind }) => kind.suffix !== '/:id');
  return [...routes, discoveryAt(base || '/', others), discoveryAt(`${base}/:id`, onItem)];
}

function discoveryAt(path: string, operations: readonly RoutedOperation[]): EndpointRoute<never> {
  return { method: 'OPTIONS', pattern: parsePattern(path), allow: operations.map(({ kind }) => kind.method).join(', ') };
}

/** Names an endpoint in a message, by its path and its operations. */
export function nameOfEndpoint({ base, operations }: RoutedEndpoint): string {
  const declared = operations.map((operation) => `${operation.kind.method} ${pathOf(base, operation)}`);
  return `endpoint ${base || '/'} (${declared.join(', ')})`;
}
