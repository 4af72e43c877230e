/**
 * The routes that follow from a declaration: one for each operation, and those of discovery.
 *
 *   create, get and custom.feed at /v1/pet   ->   POST    /v1/pet
 *                                                 GET     /v1/pet/:id
 *                                                 POST    /v1/pet/feed
 *                                                 OPTIONS /v1/pet          Allow: POST, POST
 *                                                 OPTIONS /v1/pet/:id      Allow: GET
 */
import { parseLiteralPath, parsePattern, parseTemplate, shapeOf, type Pattern } from '../router/pattern.ts';
import type { DeclaredOperation } from './declared/declared-operation.ts';

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
  /** Whether it is a singleton. */
  readonly isSingleton: boolean;
  readonly operations: readonly Operation[];
}

/** A route that leads to an operation. */
export interface OperationRoute<Operation> {
  readonly method: string;
  readonly pattern: Pattern;
  readonly operation: Operation;
}

/** The methods that an endpoint has at a path, for the `Allow` of its discovery. */
export interface Discovery {
  readonly pattern: Pattern;
  readonly methods: readonly string[];
  /** Whether the path answers `OPTIONS` for this endpoint. If not, it does so only where another endpoint is at the same path. */
  readonly answers: boolean;
}

/** Parses a server's root prefix. Throws `TypeError` if it is neither `""` nor a path without a parameter. */
export function parseRoot(root: unknown): string {
  if (root === '/') throw new TypeError('root must not end with "/": "/"');
  return root === '' ? '' : parseLiteralPath('root', root);
}

/**
 * Joins root and sub-path. Throws `TypeError` when the sub-path is malformed, and when its parameters are not those of the endpoint.
 */
export function basePath(root: string, subpath: unknown, params: Iterable<string>): string {
  const { text, parameters } = parseTemplate('sub-path', subpath);
  const declared = [...params];
  const missing = declared.find((name) => !parameters.includes(name)) ?? parameters.find((name) => !declared.includes(name));
  if (missing !== undefined) throw new TypeError(`sub-path ${JSON.stringify(text)} and endpoint.params must name the same parameters: ${missing}`);
  return text === '/' ? root : root + text;
}

/** The path of an operation, as a template. */
export function pathOf({ base, isSingleton }: RoutedEndpoint, { kind, name }: RoutedOperation): string {
  const suffix = isSingleton ? kind.suffix.replace('/:id', '') : kind.suffix;
  return base + suffix.replace('<name>', name) || '/';
}

/** The member of an endpoint that declares an operation: `get`, `custom.feed`. */
export function memberOf({ kind: { member }, name }: RoutedOperation): string {
  return name === '' ? member : `${member}.${name}`;
}

/** The routes of an endpoint's operations, in the order of the table of kinds. */
export function routesOf<Operation extends RoutedOperation>(endpoint: RoutedEndpoint<Operation>): OperationRoute<Operation>[] {
  return endpoint.operations.map((operation) => {
    return { method: operation.kind.method, pattern: parsePattern(pathOf(endpoint, operation)), operation };
  });
}

/**
 * The paths that answer `OPTIONS`: that of the collection, where the Custom operations count as well, that of an item, and that of
 * each operation with a name. The path of a Custom operation beside items does not: there, `OPTIONS` asks about an item.
 */
export function discoveriesOf(endpoint: RoutedEndpoint): Discovery[] {
  const { base, isSingleton, operations } = endpoint;
  const itemPath = isSingleton ? base || '/' : `${base}/:id`;
  const methodsByPath = new Map<string, string[]>([[base || '/', []], [itemPath, []]]);
  const unanswered = new Set<string>();
  for (const operation of operations) {
    const path = pathOf(endpoint, operation);
    const { member, method } = operation.kind;
    if (member === 'custom') methodsByPath.get(base || '/')?.push(method);
    if (member === 'custom' && !isSingleton) unanswered.add(path);
    const methods = methodsByPath.get(path);
    if (methods === undefined) methodsByPath.set(path, [method]);
    else methods.push(method);
  }
  return [...methodsByPath].map(([path, methods]) => ({ pattern: parsePattern(path), methods, answers: !unanswered.has(path) }));
}

// A POST stands once for each operation; it comes last, but for a list, which is before it.
const ALLOW_ORDER = ['GET', 'PUT', 'PATCH', 'DELETE', 'POST'];

/** The value of `Allow` that tells these methods. */
export function allowOfDiscovery(methods: readonly string[]): string {
  return methods.toSorted((one, other) => ALLOW_ORDER.indexOf(one) - ALLOW_ORDER.indexOf(other)).join(', ');
}

/** All routes of an endpoint as hosts see them. `discovered` are the shapes of paths whose discovery is listed before. */
export function listOf(endpoint: RoutedEndpoint, discovered: Set<string>): Route[] {
  const discoveries = discoveriesOf(endpoint).filter(({ pattern, answers }) => answers && !discovered.has(shapeOf(pattern)));
  for (const { pattern } of discoveries) discovered.add(shapeOf(pattern));
  const routes = routesOf(endpoint).map(({ method, pattern }) => ({ method, path: pattern.text }));
  return [...routes, ...discoveries.map(({ pattern }) => ({ method: 'OPTIONS', path: pattern.text }))];
}
