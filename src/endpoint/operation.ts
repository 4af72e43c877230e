/**
 * An operation of an endpoint, checked and resolved once, at registration: in the declaration it is a function, or an object with the
 * function as `run`.
 */
import { DefaultHeaders, NOSNIFF_ONLY } from '../http/response.ts';
import { JSON_HEADERS, LISTS, NOSNIFF } from '../util/headers.ts';
import { OPERATION_LIMITS, STREAM_LIMITS } from '../http/limits.ts';
import { checkObject, isPlainObject, type Properties, type UserFunction } from '../util/options.ts';
import { adopt, isThenable } from '../util/promises.ts';
import { Rejection, type ValidationStatus } from '../errors/problem.ts';
import { parseJsonBody } from '../http/json.ts';
import type { Pattern } from '../router/pattern.ts';
import { Caching } from './caching.ts';
import { type AnyContextFunction, findRejection, isAnyone } from './context.ts';
import { callDecoder, makeBodyDecoder, type Decode } from './decoder.ts';
import { OPERATION_OPTIONS } from './operation-options.ts';
import type { ToolDescription } from '../declaration/operation-forms.ts';
import { findFormat, type Format, unwrapJson } from '../declaration/format.ts';
import { HeadDecoders } from './head-decoders.ts';
import { listDecodedNames } from './header-names.ts';
import { checkJsonInput } from './json-input.ts';
import {
  type CheckedInterceptor, checkInterceptors, checkProperties, type EarlyInterceptor, type RunningInterceptor,
} from './checked-interceptor.ts';
import { KINDS, NAMED_METHODS, type OperationKind } from '../declaration/kinds.ts';
import { checkErrors, choosePlainResult, type ErrorsByStatus, DeclaredHeaders, DeclaredOutputs, type Output } from './outputs.ts';
import type { ApiRequest, ContextRequest, Route } from '../declaration/request.ts';
import { type OperationPath, OperationPaths, type PathParameter } from './routes.ts';
import { chooseConditions, type Conditions, sendsItem } from './versions.ts';
import type { Endpoint } from './endpoint.ts';

/** The options object of an operation, as far as documents read it. It is checked. */
export interface OptionsObject extends Properties {
  readonly query?: unknown;
  readonly optional?: boolean;
  readonly output?: unknown;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: true;
  readonly operationId?: string;
  readonly hidden?: boolean;
  readonly tool?: true | ToolDescription;
}

const NO_OPTIONS: OptionsObject = Object.freeze({});
const JSON_TYPES: readonly string[] = ['application/json'];
// The formats of JSON values, which an item of theirs decodes.
const JSON_FORMATS: ReadonlySet<string> = new Set(['ndjson', 'patch']);
const ANY_TYPES: readonly string[] = ['*/*'];
// Caches see neither keys nor cookies (RFC 9111 sections 3 and 4.2.2).
export const PRIVATE: readonly string[] = ['Cache-Control', 'private, no-cache'];
const PRIVATE_ONLY = new DefaultHeaders([...PRIVATE, ...NOSNIFF]);
// Unreserved characters (RFC 3986 section 2.3) need no escape anywhere, so a name has one spelling.
const OPERATION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/;

export class Operation {
  readonly endpoint: Endpoint;
  readonly kind: OperationKind;
  /** The name of a Custom operation; empty for the others. */
  readonly name: string;
  /** Its options object; empty for a function. Documents read options from it that requests do not need. */
  readonly options: OptionsObject;
  readonly pattern: Pattern;
  /** Where the parameters are in its path, in order, with their codecs. */
  readonly parameters: readonly PathParameter[];
  /** Decodes its body: `input`, or else the endpoint's `schema` if that is its body. `undefined` if it takes no body. */
  readonly input: unknown;
  /** How its body is read, if not as one JSON value. */
  readonly format: Format | undefined;
  /** The media types of its JSON body. `undefined` for `application/json` and all that end in `+json`. */
  readonly jsonTypes: readonly string[] | undefined;
  readonly bodyBytes: number;
  /** How long the body may take to arrive. `undefined` if the server's limit holds. */
  readonly requestMs: number | undefined;
  readonly operationMs: number;
  /** Whether `Content-Range` is rejected: on a PUT whose `headers` do not have it (RFC 9110 section 14.5). */
  readonly rejectsParts: boolean;
  /** Decodes its query and its headers; `undefined` if there is nothing to decode. */
  readonly headDecoders: HeadDecoders | undefined;
  /** All of its interceptors, the first outermost. Documents read from them. */
  readonly allInterceptors: readonly CheckedInterceptor[];
  /** Those that run around it; `undefined` if there are none. */
  readonly interceptors: readonly RunningInterceptor[] | undefined;
  /** Those that are called before the caller is known; `undefined` if there are none. */
  readonly earlyInterceptors: readonly EarlyInterceptor[] | undefined;
  /** Whether the whole body is read before it is decoded: JSON, and a format if an interceptor has `readsBody`. */
  readonly readsWholeBody: boolean;
  /** Whether a request may have no body. */
  readonly isOptional: boolean;
  /** Headers of every response that does not have them itself. */
  readonly defaultHeaders: DefaultHeaders;
  /** The same headers, for responses that depend on the caller. */
  readonly privateDefaultHeaders: DefaultHeaders;
  /** How a plain result is sent: by its kind, unless the operation declares `output`. */
  readonly resultKind: OperationKind['result'];
  /** The status of a plain result. */
  readonly status: number;
  /** The headers of a plain result that is JSON. */
  readonly jsonHeaders: readonly string[];
  /** Decodes results before they are sent, or encodes them. `undefined` without `output`. */
  readonly outputs: DeclaredOutputs | undefined;
  /** The format of a plain result, which then can be a stream. */
  readonly resultFormat: Format | undefined;
  /**
   * The user's function that identifies callers: the operation's, else the endpoint's. `undefined` for `anyone`. Documents read its
   * `security`.
   */
  readonly context: AnyContextFunction | undefined;
  /** The scopes that a caller needs. */
  readonly scopes: readonly string[];
  /** The errors that it declares, by status. */
  readonly errors: ErrorsByStatus;
  /** The headers that it declares for its successes. `undefined` if it declares none. */
  readonly responseHeaders: DeclaredHeaders | undefined;
  readonly conditions: Conditions;
  /** Its declarations for caches: `cache` and `etag`. `undefined` without them. */
  readonly caching: Caching | undefined;
  /** Makes the entity tag of a plain result; `undefined` if it has none. */
  readonly getTag: ((item: unknown) => string) | undefined;
  readonly #isOnItem: boolean;
  readonly #contextReceiver: Properties;
  readonly #run: UserFunction;
  /** The user's object that `run` is a method of. */
  readonly #receiver: Properties;
  readonly #decode: Decode | undefined;
  #route: Route | undefined;

  /**
   * `declared` is the function or the options object, `owner` the object that has it as a property. Throws `TypeError`, which names the
   * wrong option.
   */
  constructor(
    endpoint: Endpoint, kind: OperationKind, name: string, declared: unknown, owner: Properties, { pattern, parameters, route }: OperationPath,
  ) {
    const path = name === '' ? `endpoint.${kind.name}` : `endpoint.${kind.name}.${name}`;
    const isFunction = typeof declared === 'function';
    const options = isFunction ? NO_OPTIONS : checkOptionsObject(declared, kind, path);
    const checked = OPERATION_OPTIONS.check(isFunction ? { run: declared } : declared, path);
    const { input, query, headers, use, lists, output, limits = {}, context } = checked;
    const { limits: defaultLimits, validationStatus } = endpoint.defaults;
    this.endpoint = endpoint;
    this.kind = kind;
    this.name = name;
    this.options = options;
    this.pattern = pattern;
    this.parameters = parameters;
    this.#route = route;
    this.#isOnItem = !endpoint.isSingleton && kind.isOfItem;
    this.#receiver = isFunction ? owner : options;

    const allInterceptors = [...endpoint.interceptors, ...checkInterceptors(use, `${path}.use`, validationStatus)];
    const interceptors = allInterceptors.filter((each) => each.around !== undefined) as RunningInterceptor[];
    const earlyInterceptors = allInterceptors.filter((each) => each.onRequest !== undefined) as EarlyInterceptor[];
    checkProperties(allInterceptors);
    this.allInterceptors = allInterceptors;
    this.interceptors = interceptors.length === 0 ? undefined : interceptors;
    this.earlyInterceptors = earlyInterceptors.length === 0 ? undefined : earlyInterceptors;
    const headDecoders = new HeadDecoders(path, { query, headers, lists }, interceptors, validationStatus);
    this.headDecoders = headDecoders.isEmpty ? undefined : headDecoders;
    this.rejectsParts = kind.body === 'whole' && !listDecodedNames(headers).includes('content-range');

    this.input = input === undefined && kind.decoder === 'schema' ? endpoint.schema : input;
    if (isFunction) rejectFunction(kind, this.input);
    const { decoder, types = endpoint.jsonTypes } = unwrapJson(this.input);
    // A `+json` type can name a patch document, which describes a change of an item, and not its new content.
    this.jsonTypes = types ?? (kind.body === 'change' ? JSON_TYPES : undefined);
    const format = findFormat(decoder);
    this.format = format?.[' internal'].withJsonTypes?.(endpoint.jsonTypes) ?? format;
    this.#run = makeRun(checked.run, this.format, this.#isOnItem ? 1 : 0);
    this.#decode = makeInputDecoder(decoder, input === undefined ? 'endpoint.schema' : `${path}.input`, validationStatus);
    this.isOptional = checked.optional;
    this.readsWholeBody = this.format === undefined || interceptors.some(({ internals }) => internals.readsBody === true);
    const limitOptions = this.format === undefined ? OPERATION_LIMITS : STREAM_LIMITS;
    const { bodyBytes, requestMs, operationMs } = limitOptions.check(limits, `${path}.limits`);
    this.bodyBytes = bodyBytes ?? defaultLimits.bodyBytes;
    this.requestMs = requestMs;
    this.operationMs = operationMs ?? defaultLimits.operationMs;

    const ownContext = context ?? endpoint.context;
    this.context = ownContext !== undefined && isAnyone(ownContext) ? undefined : ownContext;
    this.#contextReceiver = context === undefined ? endpoint.declared : options;
    const ownScopes = checked.scopes ?? endpoint.scopes;
    this.scopes = [...new Set([...ownScopes, ...allInterceptors.flatMap(({ scopes }) => scopes)])];
    this.#checkContext(path, ownContext !== undefined);

    const ownLists = allInterceptors.flatMap(({ internals: { lists = [] } }) => lists.map((each) => each.toLowerCase()));
    const headerLists = ownLists.length === 0 ? LISTS : new Set([...LISTS, ...ownLists]);
    this.defaultHeaders = headerLists === LISTS ? NOSNIFF_ONLY : new DefaultHeaders(NOSNIFF, headerLists);
    this.privateDefaultHeaders = headerLists === LISTS ? PRIVATE_ONLY : new DefaultHeaders(PRIVATE_ONLY.list, headerLists);
    this.outputs = output === undefined ? undefined : new DeclaredOutputs(output, `${path}.output`);
    const hasContext = this.context !== undefined;
    const intercepted = { path, kind: kind.name, method: kind.method, name, hasContext, sendsStream: this.outputs?.isSequence === true };
    for (const { internals } of allInterceptors) internals.check?.(intercepted);
    ({ result: this.resultKind, status: this.status } = choosePlainResult(kind, this.outputs));
    const resultOutput = this.outputs?.find(this.status);
    this.resultFormat = findFormat(resultOutput);
    const jsonType = this.chooseJsonType(resultOutput);
    this.jsonHeaders = jsonType === JSON_HEADERS[1] ? JSON_HEADERS : ['Content-Type', jsonType];
    this.errors = checkErrors(checked.errors, `${path}.errors`);
    const { responseHeaders } = checked;
    this.responseHeaders = responseHeaders === undefined ? undefined : new DeclaredHeaders(responseHeaders, `${path}.responseHeaders`);
    this.conditions = chooseConditions(endpoint, kind);
    this.getTag = sendsItem(endpoint, this) ? endpoint.versions?.getTag : undefined;
    const { cache, etag } = checked;
    this.caching = cache === undefined && etag === undefined ? undefined : new Caching(this, cache, etag, path);
    this.#rejectUnread(path, bodyBytes !== undefined);
    if (options.tool !== undefined && this.outputs?.isEndless === true) {
      throw new TypeError(`${path}.tool is not allowed: events have no end, and a tool returns one result. Use a list`);
    }
  }

  get route(): Route {
    // Made when it is first asked for: few programs need the routes of all operations. Frozen, since all requests get the same object.
    return (this.#route ??= Object.freeze({ method: this.kind.method, path: this.pattern.template }));
  }

  /** The media types of its body. */
  get bodyTypes(): readonly string[] {
    return this.format === undefined ? this.jsonTypes ?? JSON_TYPES : this.format.types ?? ANY_TYPES;
  }

  /** Returns the media type of a result that is JSON. `output` is what the operation declares for its status. */
  chooseJsonType(output?: Output | null): string {
    return ((typeof output === 'function' ? output.types : undefined) ?? this.endpoint.jsonTypes ?? JSON_TYPES)[0] as string;
  }

  /** Calls the user's `context`. */
  callContext(request: unknown): unknown {
    return this.context?.call(this.#contextReceiver, request);
  }

  /** Returns the error for a caller whom `context` rejects by its result, or who lacks a scope; `undefined` for any other caller. */
  findRejection(context: unknown, request: unknown): unknown {
    return findRejection(this.context, context, request) ?? this.checkScopes(context, request);
  }

  /** Returns the error for a caller who lacks a scope; `undefined` for any other caller. */
  checkScopes(context: unknown, request: unknown): unknown {
    if (this.scopes.length === 0) return undefined;
    return this.context?.[' internal']?.checkScopes?.(context, this.scopes, request as ContextRequest);
  }

  /** Decodes a body. Returns the value or a `Rejection`, or a promise of them; throws when the decoder fails. */
  decode(body: Buffer | AsyncIterable<Uint8Array>, request: ApiRequest<any, any, any>): unknown {
    const { uniqueKeys, validationStatus } = this.endpoint.defaults;
    if (this.isOptional && Buffer.isBuffer(body) && body.length === 0) return undefined;
    if (!Buffer.isBuffer(body) || this.format !== undefined) {
      const stream = Buffer.isBuffer(body) ? streamBytes(body) : body;
      return callDecoder((bytes) => this.format?.decode?.(bytes, request, { validationStatus, uniqueKeys }), stream);
    }
    const json = parseJsonBody(body, uniqueKeys);
    return json instanceof Rejection ? json : this.#decode?.(json);
  }

  /** Calls the user's function with the id and the input, if the operation has them, and with the request. */
  run(id: unknown, input: unknown, request: unknown): unknown {
    const receiver = this.#receiver;
    if (this.input === undefined) return this.#isOnItem ? this.#run.call(receiver, id, request) : this.#run.call(receiver, request);
    return this.#isOnItem ? this.#run.call(receiver, id, input, request) : this.#run.call(receiver, input, request);
  }

  /** The source of the user's function, for messages. */
  get source(): string {
    return Function.prototype.toString.call(this.#run);
  }

  /** Whether a plain result is sent without a body: `undefined`, where `output` declares 204 beside other statuses. */
  isNothing(result: unknown): boolean {
    return result === undefined && this.outputs?.find(204) === null;
  }

  #checkContext(path: string, isDeclared: boolean): void {
    if (this.endpoint.defaults.requireContext && !isDeclared) {
      const fix = 'declare it in the endpoint or here. For everyone, declare anyone of restpoint/auth';
      throw new TypeError(`${path} needs a context, because of the option requireContext: ${fix}`);
    }
    if (this.scopes.length > 0 && this.context?.[' internal']?.checkScopes === undefined) {
      throw new TypeError(
        `${path}.scopes needs a context that knows the scopes of callers: bearer(verify, { getScopes: (user) => user.scopes })`,
      );
    }
  }

  /** Rejects options that would have no effect. */
  #rejectUnread(path: string, hasBodyBytes: boolean): void {
    const { lists, optional, query } = this.options as Properties;
    if (lists !== undefined && query === undefined) {
      throw new TypeError(`${path}.lists needs ${path}.query: without it, the query is not decoded`);
    }
    if (this.input !== undefined) return;
    if (optional !== undefined) throw new TypeError(`${path}.optional needs ${path}.input: without it, no body is decoded`);
    const operation = this.kind.decoder === undefined ? this.kind.name : 'without input, it';
    if (hasBodyBytes) throw new TypeError(`${path}.limits.bodyBytes is not allowed: ${operation} takes no body`);
  }
}

/** Adds the check of a format's input to the user's `run`. `inputAt` is the index of the argument. */
function makeRun(run: UserFunction, format: Format | undefined, inputAt: number): UserFunction {
  const check = format?.[' internal'].checkAfterRun;
  if (check === undefined) return run;
  return function (this: unknown, ...values) {
    const checkAfter = (result: unknown): unknown => {
      check(values[inputAt]);
      return result;
    };
    const result = run.apply(this, values);
    return isThenable(result) ? adopt(result).then(checkAfter) : checkAfter(result);
  };
}

/** Names the property of an endpoint that declares an operation: `get`, `custom.feed`. */
export function formatOperation({ kind, name }: Operation): string {
  return name === '' ? kind.name : `${kind.name}.${name}`;
}

/** Makes the operations that an endpoint declares, in the order of the table of kinds. */
export function makeEndpointOperations(endpoint: Endpoint): Operation[] {
  const paths = new OperationPaths(endpoint);
  return KINDS.flatMap((kind) => {
    const declared = endpoint.declared[kind.name];
    const path = `endpoint.${kind.name}`;
    if (declared === undefined) return [];
    if (kind.needsId === true && endpoint.isSingleton) throw new TypeError(`${path} needs endpoint.id`);
    if (kind.isOfItem && kind.isNamed && endpoint.itemSuffix === '/*id') {
      throw new TypeError(`${path} is not allowed: the id takes all segments`);
    }
    if (!kind.isNamed) return new Operation(endpoint, kind, '', declared, endpoint.declared, paths.of(kind, ''));
    const named = checkObject(declared, path);
    rejectInstance(named, path);
    return checkOperationNames(named).flatMap((name) => {
      return isOfMethod(kind, named[name]) ? new Operation(endpoint, kind, name, named[name], named, paths.of(kind, name)) : [];
    });
  });
}

/** Whether a named operation has the method of a kind. One without a valid method is a POST: its check names the mistake. */
function isOfMethod(kind: OperationKind, declared: unknown): boolean {
  const { method } = Object(declared) as { readonly method?: unknown };
  const isKnown = typeof declared === 'object' && NAMED_METHODS.includes(method as string);
  return kind.method === (isKnown ? method : NAMED_METHODS[0]);
}

/** Throws `TypeError` for an instance of a class: its helper methods would be operations too. */
function rejectInstance(named: Properties, path: string): void {
  if (isPlainObject(named)) return;
  const { constructor } = Object.getPrototypeOf(named) as { readonly constructor?: { readonly name: string } };
  const type = constructor?.name ?? 'a class';
  throw new TypeError(`${path} must be a plain object of operations, not an instance of ${type}: { feed: (id) => store.feed(id) }`);
}

function checkOperationNames(named: Properties): string[] {
  const names = Object.keys(named);
  const wrong = names.find((name) => !OPERATION_NAME.test(name));
  if (wrong !== undefined) throw new TypeError(`operation name must consist of A-Z a-z 0-9 - . _ ~: ${JSON.stringify(wrong)}`);
  return names;
}

function checkOptionsObject(declared: unknown, kind: OperationKind, path: string): OptionsObject {
  if (typeof declared !== 'object') {
    if (kind.shorthand === false) rejectFunction(kind, undefined);
    if (!kind.isNamed) throw new TypeError(`${path} must be a function: ${typeof declared}`);
  }
  const options = checkObject(declared, path) as OptionsObject;
  if (options['method'] !== undefined && !kind.isNamed) {
    throw new TypeError(`${path}.method is not allowed: it is always ${kind.method}. Named operations can have one`);
  }
  if (options['input'] !== undefined && kind.decoder === undefined) {
    const instead = kind.reads ? `, or ${kind.isNamed ? "method: 'POST'" : 'custom'}` : '';
    throw new TypeError(`${path}.input is not allowed: ${kind.method} has no body. Use query${instead}`);
  }
  return options;
}

async function* streamBytes(bytes: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
  if (bytes.length > 0) yield bytes;
}

/** Throws `TypeError` if an operation cannot be a plain function. */
function rejectFunction({ name, decoder, shorthand }: OperationKind, input: unknown): void {
  if (shorthand === false) {
    throw new TypeError(`endpoint.${name} must be an object, not a function: ${name}: { input: Part, run: (…) => … }`);
  }
  if (decoder === 'schema' && input === undefined) {
    throw new TypeError(`endpoint.${name} needs endpoint.schema, or its own decoder: ${name}: { input: Pet, run: (…) => … }`);
  }
}

/** Returns `undefined` without a decoder, and for a format, which reads the body itself. */
function makeInputDecoder(decoder: unknown, path: string, status: ValidationStatus): Decode | undefined {
  const format = findFormat(decoder);
  if (format === undefined) return decoder === undefined ? undefined : makeBodyDecoder(checkJsonInput(decoder, path), path, status);
  if (format.decode === undefined) throw new TypeError(`${path} must be a format with decode: this one only encodes`);
  for (const each of format[' internal'].alternatives ?? []) makeInputDecoder(unwrapJson(each).decoder, path, status);
  if (JSON_FORMATS.has(format[' internal'].kind)) format.jsonSchema?.((item) => Object(checkJsonInput(item, path)));
  return undefined;
}
