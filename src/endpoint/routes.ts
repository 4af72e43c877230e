/**
 * The routes that follow from an endpoint: one for each operation, and the routes of discovery.
 *
 *   create, get and custom.feed at /v1/pet   ->   POST    /v1/pet
 *                                                 GET     /v1/pet/:id
 *                                                 POST    /v1/pet/feed
 *                                                 OPTIONS /v1/pet          Allow: POST, POST
 *                                                 OPTIONS /v1/pet/:id      Allow: GET
 *                                                 OPTIONS /v1/pet/feed     Allow: GET, POST
 */
import { parseLiteralPath, parsePattern, parseTemplate, type Pattern } from '../router/pattern.ts';
import type { Codec } from './codec.ts';
import { METHOD_NAMES, type OperationKind } from '../declaration/kinds.ts';
import type { Route } from '../declaration/request.ts';

/** The path of an operation. */
export interface OperationPath {
  readonly pattern: Pattern;
  /** Where the parameters are, in order. */
  readonly parameters: readonly PathParameter[];
  /** Set if it is not the method and the template: of the guard of a mount. */
  readonly route?: Route;
}

/** A parameter of a path, `gap` characters after the one before it. The id of an item has no name. */
export interface PathParameter {
  readonly gap: number;
  /** How many slashes are after it, if it is a wildcard; else `undefined`. */
  readonly slashesAfter: number | undefined;
  readonly name: string | undefined;
  readonly codec: Codec;
}

/** An operation, as far as the response to `OPTIONS` shows it: its method, and the media types of its body. */
export interface AllowedMethod {
  readonly kind: OperationKind;
  readonly bodyTypes: readonly string[];
}

/**
 * The methods that an endpoint has at a path, for the response to `OPTIONS`. The router knows less: `Allow` of a collection has a `POST`
 * for each of its operations, even those at other paths, every endpoint has these routes, and `Accept-Patch` has the types of its bodies.
 */
export interface Discovery {
  readonly pattern: Pattern;
  readonly methods: readonly AllowedMethod[];
  /** For a Custom operation beside items: the path of an item, which its own path matches too. The item is earlier in the list. */
  readonly item: Pattern | undefined;
}

/** An endpoint, as far as its paths follow from it. */
interface Located {
  readonly base: string;
  readonly isSingleton: boolean;
  readonly itemSuffix: string;
  readonly id: Codec | undefined;
  readonly params: ReadonlyMap<string, Codec>;
}

/** An endpoint, as far as its routes follow from it. */
interface Routed extends Located {
  readonly operations: readonly (AllowedMethod & { readonly pattern: Pattern; readonly route: Route })[];
}

const NO_PARAMETERS: readonly PathParameter[] = [];

/** Parses a server's root prefix. Throws `TypeError` if it is neither `""` nor a path without a parameter. */
export function parseRoot(root: unknown): string {
  if (root === '/') throw new TypeError('root must be "" for no prefix, or a path such as "/v1": "/"');
  return root === '' ? '' : parseLiteralPath('root', root);
}

/** Joins root and sub-path. Throws `TypeError` when the sub-path is malformed, and when the endpoint has other parameters. */
export function joinBasePath(root: string, subpath: unknown, params: Iterable<string>): string {
  const { template, parameters } = parseTemplate('sub-path', subpath);
  const declared = [...params];
  const quoted = JSON.stringify(template);
  const unknown = parameters.find((name) => !declared.includes(name));
  if (unknown === 'id') {
    const withoutId = JSON.stringify(template.replace(/\/:id(?=\/|$)/, ''));
    throw new TypeError(`sub-path ${quoted} must not have ":id", which endpoint.id adds: register ${withoutId}`);
  }
  if (unknown !== undefined) {
    throw new TypeError(`sub-path ${quoted} has the parameter ":${unknown}": declare endpoint.params: { ${unknown}: stringId }`);
  }
  const missing = declared.find((name) => !parameters.includes(name));
  if (missing !== undefined) {
    throw new TypeError(`endpoint.params.${missing} is not a parameter of the sub-path ${quoted}: it must have ":${missing}"`);
  }
  return template === '/' ? root : root + template;
}

/** Joins the path of an endpoint and what is below it. The slash at the end of a path is only of the endpoint itself. */
export function joinPath(base: string, below: string): string {
  if (below === '') return base;
  if (/\/\*[^/]*$/.test(base)) {
    throw new TypeError(`nothing can be below ${JSON.stringify(base)}, which takes all segments: ${JSON.stringify(below)}`);
  }
  return base.replace(/\/$/, '') + below;
}

/** The paths of an endpoint's operations, each parsed once: operations at one path get the same object. */
export class OperationPaths {
  readonly #endpoint: Located;
  readonly #parsed = new Map<string, OperationPath>();

  constructor(endpoint: Located) {
    this.#endpoint = endpoint;
  }

  of({ suffix }: OperationKind, name: string): OperationPath {
    const { base, isSingleton, itemSuffix } = this.#endpoint;
    const path = joinPath(base, suffix.replace('/:id', isSingleton ? '' : itemSuffix).replace('<name>', name)) || '/';
    let parsed = this.#parsed.get(path);
    if (parsed === undefined) this.#parsed.set(path, (parsed = this.#parse(path)));
    return parsed;
  }

  #parse(path: string): OperationPath {
    const { id, params } = this.#endpoint;
    const pattern = parsePattern(path);
    if (pattern.parameters.length === 0) return { pattern, parameters: NO_PARAMETERS };
    const parameters = pattern.parameters.map((name, at) => {
      const own = params.get(name);
      const slashesAfter = pattern.wildcard?.at === at ? pattern.wildcard.slashesAfter : undefined;
      // A parameter that is not in `params` is the id.
      return { gap: pattern.gaps[at] ?? 0, slashesAfter, name: own === undefined ? undefined : name, codec: own ?? (id as Codec) };
    });
    return { pattern, parameters };
  }
}

/** Lists the paths that handle `OPTIONS`: the collection, with the Custom operations, an item, and each named operation. */
export function listDiscoveries({ base, isSingleton, itemSuffix, operations }: Routed): Discovery[] {
  const makeDiscovery = (pattern: Pattern, item?: Pattern) => ({ pattern, methods: [] as AllowedMethod[], item });
  const getPattern = (template: string): Pattern => {
    return operations.find(({ pattern }) => pattern.template === template)?.pattern ?? parsePattern(template);
  };
  const collection = makeDiscovery(getPattern(base || '/'));
  const item = isSingleton ? collection : makeDiscovery(getPattern(joinPath(base, itemSuffix)));
  const byPath = new Map([collection, item].map((discovery) => [discovery.pattern.template, discovery]));
  for (const operation of operations) {
    const { kind, pattern } = operation;
    const isCustom = kind.isNamed && !kind.isOfItem;
    const discovery = byPath.get(pattern.template) ?? makeDiscovery(pattern, isCustom && !isSingleton ? item.pattern : undefined);
    byPath.set(pattern.template, discovery);
    discovery.methods.push(operation);
    // A named GET does not make a GET of the collection.
    if (isCustom && !kind.reads) collection.methods.push(operation);
  }
  return [...byPath.values()];
}

/**
 * Returns the headers of the response to `OPTIONS`; names and values alternate. `itemMethods` are added if the path does not have them
 * itself.
 */
export function discoveryHeaders(own: readonly AllowedMethod[], itemMethods: readonly AllowedMethod[] = []): readonly string[] {
  const methods = [...own, ...itemMethods.filter(({ kind: { method } }) => own.every((each) => each.kind.method !== method))];
  const allow = methods.map(({ kind: { method } }) => method).sort((one, other) => METHOD_NAMES.indexOf(one) - METHOD_NAMES.indexOf(other));
  // A path has one PATCH. Several operations can be a POST to it, which do not share their media types.
  const patch = methods.find(({ kind: { method } }) => method === 'PATCH');
  return ['Allow', allow.join(', '), ...(patch === undefined ? [] : ['Accept-Patch', patch.bodyTypes.join(', ')])];
}

/** Lists all routes of an endpoint. `discovered` has the shapes of paths whose discovery is listed already, and gets the new ones. */
export function listRoutes(endpoint: Routed, discovered: Set<string>): Route[] {
  const discoveries = listDiscoveries(endpoint).filter(({ pattern }) => !discovered.has(pattern.shape));
  for (const { pattern } of discoveries) discovered.add(pattern.shape);
  const options = discoveries.map(({ pattern }) => ({ method: 'OPTIONS', path: pattern.template }));
  return [...endpoint.operations.map(({ route }) => route), ...options];
}
