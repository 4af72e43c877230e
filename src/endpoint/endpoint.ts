/**
 * An endpoint at its path, checked and resolved once, at registration. Routes, discovery, `serve`, logs and documents all read this one
 * object and its operations.
 */
import type { HeaderNames } from '../util/headers.ts';
import { ApiError, type ErrorMapper, isApiError } from '../errors/api-error.ts';
import type { ErrorFormat } from '../errors/problem.ts';
import {
  anything, boolean, checkObject, functionOr, option, type Properties, shape, type Shape, strings, type UserFunction,
} from '../util/options.ts';
import type { TrustProxy } from '../http/client-address.ts';
import type { BaseOptions } from '../http/protected-resource.ts';
import { describeType, disown, formatError } from '../util/promises.ts';
import { Codec } from './codec.ts';
import type { SchemaConverter } from '../declaration/decoder.ts';
import type { AnyContextFunction } from './context.ts';
import { unwrapJson } from '../declaration/format.ts';
import { isWildcard } from '../declaration/id-codec.ts';
import { type CheckedInterceptor, checkInterceptors } from './checked-interceptor.ts';
import type { NestedCall } from './handler.ts';
import { KIND_NAMES } from '../declaration/kinds.ts';
import { makeEndpointOperations, type Operation } from './operation.ts';
import { joinBasePath } from './routes.ts';
import type { Route } from '../declaration/request.ts';
import { type CheckedVersionOptions, checkVersions, VERSION_OPTIONS, Versions } from './versions.ts';

/** The options of a server that apply to an endpoint, unless it has its own. */
export interface EndpointDefaults {
  readonly limits: { readonly bodyBytes: number; readonly operationMs: number };
  readonly uniqueKeys: boolean;
  readonly jsonTypes: readonly string[] | undefined;
  readonly requireContext: boolean;
  /** The scopes for endpoints that have none. */
  readonly scopes?: readonly string[];
  /** The interceptors of `registerEndpoints`. The endpoint's own run inside them. */
  readonly interceptors?: readonly CheckedInterceptor[];
  readonly validationStatus: 400 | 422;
  readonly mapError: ErrorMapper | undefined;
}

/** The options of an endpoint after their check, without its operations. */
interface CheckedEndpointOptions extends CheckedVersionOptions {
  readonly id: unknown;
  readonly params: unknown;
  readonly context: AnyContextFunction | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly use: unknown;
  readonly name: string | undefined;
  readonly hidden: boolean;
  readonly schema: unknown;
  readonly mapError: UserFunction | undefined;
}

/** `defineEndpoint(options)`: {@link ApiEndpoint}. */
export const ENDPOINT_OPTIONS: Shape<CheckedEndpointOptions> = shape({
  id: anything('a codec'),
  params: anything('codecs by name'),
  context: functionOr<AnyContextFunction>(),
  scopes: strings(),
  use: anything('interceptors'),
  name: option<string | undefined>('a string', checkName, undefined),
  hidden: boolean(),
  schema: anything('a decoder'),
  ...VERSION_OPTIONS.table,
  mapError: functionOr(),
  ...Object.fromEntries(KIND_NAMES.map((name) => [name, anything('an operation')])),
});

const PARAMETER_NAME = /^[A-Za-z_]\w*$/;
// Shared: an empty map takes 200 bytes.
const NO_PARAMS: ReadonlyMap<string, Codec> = new Map();

export class Endpoint {
  /** The root of the server. */
  readonly root: string;
  /** Root and sub-path, joined. Empty for the root `""` and the sub-path `/`. */
  readonly base: string;
  /** The sub-path as it was registered. */
  readonly subpath: string;
  /** The user's object. Documents read options from it that requests do not need. */
  readonly declared: Properties;
  /** `undefined` for a singleton. */
  readonly id: Codec | undefined;
  /** The path of an item, after the path of the endpoint. */
  readonly itemSuffix: '/:id' | '/*id';
  /** The codecs of the parameters in the sub-path, by name. */
  readonly params: ReadonlyMap<string, Codec>;
  /** In the order of the table of kinds. */
  readonly operations: readonly Operation[];
  readonly defaults: EndpointDefaults;
  /** Its option `schema`, without the media types that `json` gives it. */
  readonly schema: unknown;
  /** The media types of its JSON. `undefined` if neither its `schema` nor the server has any. */
  readonly jsonTypes: readonly string[] | undefined;
  readonly context: AnyContextFunction | undefined;
  /** The scopes that a caller needs, unless an operation has its own. */
  readonly scopes: readonly string[];
  /** The interceptors of its operations, the first outermost. */
  readonly interceptors: readonly CheckedInterceptor[];
  /** `undefined` if the endpoint declares nothing about versions. */
  readonly versions: Versions | undefined;
  readonly #mapError: UserFunction | undefined;

  /** Throws `TypeError`, which names the wrong option of the user's object, or the mistake in the sub-path. */
  constructor(root: string, subpath: string, declared: unknown, defaults: EndpointDefaults) {
    const options = ENDPOINT_OPTIONS.check(declared, 'endpoint');
    this.declared = declared as Properties;
    this.defaults = defaults;
    ({ decoder: this.schema, types: this.jsonTypes = defaults.jsonTypes } = unwrapJson(options.schema));
    this.id = options.id === undefined ? undefined : new Codec(options.id, 'endpoint.id');
    this.itemSuffix = isWildcard(options.id) ? '/*id' : '/:id';
    this.params = checkParams(this.declared, this.id !== undefined);
    this.context = options.context;
    this.scopes = options.scopes ?? defaults.scopes ?? [];
    this.interceptors = [...(defaults.interceptors ?? []), ...checkInterceptors(options.use, 'endpoint.use', defaults.validationStatus)];
    const hasVersions = Object.keys(VERSION_OPTIONS.table).some((name) => this.declared[name] !== undefined);
    this.versions = hasVersions ? new Versions(options, this.declared) : undefined;
    this.#mapError = options.mapError;
    this.root = root;
    this.subpath = subpath;
    this.base = joinBasePath(root, subpath, this.params.keys());
    this.#rejectMisplacedWildcards();
    // A copy without the spare capacity that `flatMap` leaves.
    this.operations = [...makeEndpointOperations(this)];
    checkVersions(this);
    if (this.operations.length === 0) throw new TypeError(`endpoint declares no operation: it needs one of ${KIND_NAMES.join(', ')}`);
  }

  #rejectMisplacedWildcards(): void {
    const declared = Object(this.declared['params']) as Properties;
    const wrong = [...this.params.keys()].find((name) => isWildcard(declared[name]) && !`${this.base}/`.includes(`/*${name}/`));
    if (wrong !== undefined) throw new TypeError(`endpoint.params.${wrong} reads several segments: the sub-path must have "/*${wrong}"`);
  }

  get isSingleton(): boolean {
    return this.id === undefined;
  }

  /** Returns the path of the item, below the path of its `create`; `undefined` if no request can have the id in its path. */
  formatLocation(path: string, formattedId: string): string | undefined {
    if (formattedId.length > MAX_ID || !formattedId.isWellFormed()) return undefined;
    const rest = this.itemSuffix === '/*id' ? encodeSegments(formattedId, this.id?.emptySegments === true) : encodeSegment(formattedId);
    if (rest === undefined) return undefined;
    const location = path.endsWith('/') ? path + rest : `${path}/${rest}`;
    // A reference that begins with two slashes names a host.
    return location.startsWith('//') ? undefined : location;
  }

  /** Converts an error that an operation threw to an `ApiError`: by the endpoint's `mapError`, or else the server's. */
  mapError(thrown: unknown): ApiError {
    disown(thrown);
    if (isApiError(thrown)) return thrown;
    const issues: string[] = [];
    const error = this.#callMapError(thrown, issues) ?? ApiError.from(thrown);
    if (issues.length === 0 || error.kind !== 'Internal') return error;
    return ApiError.internal(`${formatError(thrown)} (${issues.join('; ')})`, { cause: thrown });
  }

  /** Adds the errors of a failed `mapError` to `issues`. */
  #callMapError(thrown: unknown, issues: string[]): ApiError | undefined {
    const { mapError } = this.defaults;
    try {
      return checkMappedError(this.#mapError?.call(this.declared, thrown), issues) ?? checkMappedError(mapError?.(thrown), issues);
    } catch (failure) {
      disown(failure);
      // A `mapError` may rethrow the errors that it does not know.
      if (failure !== thrown) issues.push(`mapError failed: ${formatError(failure)}`);
      return undefined;
    }
  }
}

function checkName(name: unknown, path: string): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new TypeError(`${path} must be a string that is not empty: ${JSON.stringify(name)}`);
}

function checkParams({ params }: Properties, hasId: boolean): ReadonlyMap<string, Codec> {
  if (params === undefined) return NO_PARAMS;
  const codecs = Object.entries(checkObject(params, 'endpoint.params'));
  if (hasId && codecs.some(([name]) => name === 'id')) {
    throw new TypeError('endpoint.params must not have "id": endpoint.id declares it, and operations get it as their first argument');
  }
  const wrong = codecs.find(([name]) => !PARAMETER_NAME.test(name));
  if (wrong !== undefined) {
    throw new TypeError(`endpoint.params has a name that is not of A-Z a-z 0-9 _, or begins with a digit: ${JSON.stringify(wrong[0])}`);
  }
  return new Map(codecs.map(([name, codec]) => [name, new Codec(codec, `endpoint.params.${name}`, name)]));
}

function checkMappedError(value: unknown, issues: string[]): ApiError | undefined {
  if (isApiError(value)) return value;
  disown(value);
  if (value !== undefined && value !== null) {
    issues.push(`mapError must return an ApiError or undefined: it returned ${describeType(value)}`);
  }
  return undefined;
}

/** A server that can be described: an `ApiServer`. */
export interface DescribedServer {
  readonly ' internal': ServerInternals;
}

/** What only the entries of this package that describe a server read of it, such as `restpoint/openapi`. */
export interface ServerInternals {
  readonly root: string;
  /** The options that say where clients and the server are. */
  readonly settings: BaseOptions & { readonly proxy: { readonly trusted: TrustProxy | undefined } };
  /** The format of errors by `formatProblem`; `undefined` if they are problems. */
  readonly errorForm: ErrorFormat | undefined;
  /** `limits.operationMs` of the server. */
  readonly operationMs: number;
  /** Endpoints and mounts, in order of registration. The list grows with each. */
  readonly all: readonly (Endpoint | Route)[];
  readonly jsonSchema: SchemaConverter | undefined;
  /** Logs a warning about a declaration, once. */
  readonly warn: (message: string) => void;
  /** Makes a request within a request. */
  readonly nested: NestedCall;
}

export const LOCATION_HEADERS: HeaderNames = { adds: ['Location'] };

// Clients remove the segments `.` and `..`, and the server rejects a path with NUL, CR or LF.
const UNREACHABLE_IDS: readonly string[] = ['', '.', '..'];
// Longer than any path that servers accept.
const MAX_ID = 2 ** 16;
const UNREACHABLE_ESCAPES = /%0[0AD]/;

/** Returns `undefined` if no request can have the id as the rest of its path. */
function encodeSegments(id: string, canBeEmpty: boolean): string | undefined {
  const segments = id.split('/').map((segment) => (segment === '' && id !== '' && canBeEmpty ? '' : encodeSegment(segment)));
  return segments.includes(undefined) || id.includes('\\') ? undefined : segments.join('/');
}

/** Returns `undefined` if no request can have the id as a segment of its path. */
function encodeSegment(id: string): string | undefined {
  const segment = encodeURIComponent(id);
  return (segment === id ? UNREACHABLE_IDS.includes(id) : UNREACHABLE_ESCAPES.test(segment)) ? undefined : segment;
}
