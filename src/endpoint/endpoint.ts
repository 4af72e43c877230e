/**
 * An endpoint at its path, checked and resolved once, at registration. Routes, discovery, `serve`, logs and documents all read this one
 * object and its operations.
 */
import { ApiError, type ErrorMapper, isApiError, type NotFoundPredicate } from '../errors/api-error.ts';
import { functionFrom, type HostFunction, knownMembersOf, type Members, membersOf, textsFrom } from '../util/options.ts';
import type { ErrorForm } from '../errors/problem.ts';
import { disown, nameOf, textOf } from '../util/promises.ts';
import { Codec } from './codec.ts';
import type { ContextFunction } from './context.ts';
import { isWildcard } from './id-codec.ts';
import { type CheckedInterceptor, interceptorsFrom } from './interceptor.ts';
import { KINDS } from './kinds.ts';
import { basePath, type Route } from './routes.ts';
import { type Operation, operationsOf } from './operation.ts';
import { checkVersions, Versions } from './versions.ts';

/** The options of a server that hold for an endpoint, unless it has its own. */
export interface EndpointDefaults {
  readonly limits: { readonly bodyBytes: number; readonly operationMs: number };
  readonly contentType: 'json' | 'any';
  readonly uniqueKeys: boolean;
  readonly requireContext: boolean;
  /** The scopes for endpoints that have none. */
  readonly scopes?: readonly string[];
  /** Those outside of the endpoint's own. */
  readonly interceptors?: readonly CheckedInterceptor[];
  readonly validationStatus: 400 | 422;
  readonly isNotFound: NotFoundPredicate;
  readonly errorFrom: ErrorMapper | undefined;
  readonly stringify: ((value: unknown) => string) | undefined;
}

const NO_SCOPES: readonly string[] = [];
const KIND_NAMES = KINDS.map(({ name }) => name);
const VERSION_MEMBERS: readonly string[] = ['version', 'currentVersion', 'requireIfMatch'];
const MEMBERS: readonly string[] = [
  'id', 'params', 'context', 'scopes', 'use', 'name', 'schema', ...VERSION_MEMBERS, 'stringify', 'isNotFound', 'errorFrom', ...KIND_NAMES,
];
const PARAMETER_NAME = /^[A-Za-z_]\w*$/;

export class Endpoint {
  /** Root and sub-path, joined. Empty for the root `""` and the sub-path `/`. */
  readonly base: string;
  /** The sub-path as it was registered. */
  readonly subpath: string;
  /** The host's object. Documents read members from it that requests do not need. */
  readonly members: Members;
  /** `undefined` for a singleton. */
  readonly id: Codec | undefined;
  /** The path of an item behind that of the endpoint. */
  readonly itemSuffix: '/:id' | '/*id';
  /** The codecs of the parameters in the sub-path, by name. */
  readonly params: ReadonlyMap<string, Codec>;
  /** In the order of the table of kinds. */
  readonly operations: readonly Operation[];
  readonly defaults: EndpointDefaults;
  readonly context: ContextFunction | undefined;
  /** The scopes that a caller needs, unless an operation has its own. */
  readonly scopes: readonly string[];
  readonly stringify: HostFunction | undefined;
  /** The interceptors of its operations, the first outermost. */
  readonly interceptors: readonly CheckedInterceptor[];
  /** `undefined` if the endpoint declares nothing about versions. */
  readonly versions: Versions | undefined;
  readonly #isNotFound: HostFunction | undefined;
  readonly #errorFrom: HostFunction | undefined;

  /** Throws `TypeError` that names the wrong member of the host's object, or the fault of the sub-path. */
  constructor(root: string, subpath: string, declared: unknown, defaults: EndpointDefaults) {
    const members = knownMembersOf(declared, 'endpoint', MEMBERS);
    this.members = members;
    this.defaults = defaults;
    checkName(members['name']);
    this.id = members['id'] === undefined ? undefined : new Codec(members['id'], 'endpoint.id');
    this.itemSuffix = isWildcard(members['id']) ? '/*id' : '/:id';
    this.params = paramsOf(members, this.id !== undefined);
    this.context = functionFrom(members['context'], 'endpoint.context');
    this.scopes = members['scopes'] === undefined ? (defaults.scopes ?? NO_SCOPES) : textsFrom(members['scopes'], 'endpoint.scopes');
    this.interceptors = [...(defaults.interceptors ?? []), ...interceptorsFrom(members['use'], 'endpoint.use', defaults.validationStatus)];
    this.stringify = functionFrom(members['stringify'], 'endpoint.stringify');
    this.versions = VERSION_MEMBERS.some((name) => members[name] !== undefined) ? new Versions(members) : undefined;
    this.#isNotFound = functionFrom(members['isNotFound'], 'endpoint.isNotFound');
    this.#errorFrom = functionFrom(members['errorFrom'], 'endpoint.errorFrom');
    this.subpath = subpath;
    this.base = basePath(root, subpath, this.params.keys());
    this.#refuseMisplacedWildcards();
    // `flatMap` leaves room for more.
    this.operations = [...operationsOf(this)];
    checkVersions(this);
    if (this.operations.length === 0) throw new TypeError(`endpoint declares no operation: it needs one of ${KIND_NAMES.join(', ')}`);
  }

  #refuseMisplacedWildcards(): void {
    const declared = Object(this.members['params']) as Members;
    const wrong = [...this.params.keys()].find((name) => isWildcard(declared[name]) && !this.base.endsWith(`/*${name}`));
    if (wrong !== undefined) throw new TypeError(`endpoint.params.${wrong} reads all segments: the sub-path must end with "/*${wrong}"`);
  }

  get isSingleton(): boolean {
    return this.id === undefined;
  }

  /** Makes an `ApiError` of an error that an operation threw. Asks the endpoint's `errorFrom`, the server's, then `isNotFound`. */
  errorFrom(thrown: unknown): ApiError {
    disown(thrown);
    if (isApiError(thrown)) return thrown;
    const faults: string[] = [];
    const error = this.#mapped(thrown, faults) ?? ApiError.from(thrown, (failure) => this.#reportsNotFound(failure));
    return faults.length > 0 && error.kind === 'Internal' ? ApiError.internal(`${textOf(thrown)} (${faults.join('; ')})`, { cause: thrown }) : error;
  }

  /** Adds what is wrong with the functions that were asked to `faults`. */
  #mapped(thrown: unknown, faults: string[]): ApiError | undefined {
    const { errorFrom } = this.defaults;
    try {
      return errorOrNothing(this.#errorFrom?.call(this.members, thrown), faults) ?? errorOrNothing(errorFrom?.(thrown), faults);
    } catch (failure) {
      disown(failure);
      // Some throw again what they do not know.
      if (failure !== thrown) faults.push(`errorFrom failed: ${textOf(failure)}`);
      return undefined;
    }
  }

  #reportsNotFound(failure: unknown): boolean {
    if (this.#isNotFound !== undefined) return this.#isNotFound.call(this.members, failure) as boolean;
    const { isNotFound } = this.defaults;
    return isNotFound(failure);
  }
}

/** The name is for documents alone. */
function checkName(name: unknown): void {
  if (name === undefined || (typeof name === 'string' && name !== '')) return;
  throw new TypeError(`endpoint.name must be a text: ${JSON.stringify(name)}`);
}

const NO_PARAMS: ReadonlyMap<string, Codec> = new Map();

function paramsOf({ params }: Members, hasId: boolean): ReadonlyMap<string, Codec> {
  if (params === undefined) return NO_PARAMS;
  const codecs = Object.entries(membersOf(params, 'endpoint.params'));
  if (hasId && codecs.some(([name]) => name === 'id')) throw new TypeError('endpoint.params cannot have "id": endpoint.id reads ":id", and operations get it as their first argument');
  const wrong = codecs.find(([name]) => !PARAMETER_NAME.test(name));
  if (wrong !== undefined) throw new TypeError(`endpoint.params has a name that no parameter can have: ${JSON.stringify(wrong[0])}`);
  return new Map(codecs.map(([name, codec]) => [name, new Codec(codec, `endpoint.params.${name}`, name)]));
}

function errorOrNothing(value: unknown, faults: string[]): ApiError | undefined {
  if (isApiError(value)) return value;
  disown(value);
  if (value !== undefined && value !== null) faults.push(`errorFrom must return an ApiError or undefined: it returned ${nameOf(value)}`);
  return undefined;
}

/** A server that can be described: an `ApiServer`. */
export interface DescribedServer {
  readonly ' registered': Registered;
}

/**
 * All registrations of a server, for the entries that describe it, such as `restpoint/openapi`. It is not for hosts, and can change in any
 * release. As with the `~standard` of schemas, the `~` puts it at the end of every list of members.
 */
export interface Registered {
  readonly root: string;
  /** What `formatProblem` makes of errors. `undefined` if they are problems. */
  readonly errorForm: ErrorForm | undefined;
  /** Endpoints and mounts, in order of registration. The list grows with each. */
  readonly all: readonly (Endpoint | Route)[];
}
