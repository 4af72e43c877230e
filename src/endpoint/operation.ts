/**
 * An operation of an endpoint, checked and resolved once, at registration: in the declaration it is a function, or an object with the
 * function as `run`.
 */
import {
  functionFrom, type HostFunction, isPlain, knownMembersOf, type Members, membersOf, numberFrom, oneOf, textFrom, textsFrom,
} from '../errors/members.ts';
import { ErrorAnswer } from '../errors/problem.ts';
import { parseJson } from '../http/json.ts';
import { parseQuery } from '../http/query.ts';
import { parsePattern, type Pattern } from '../router/pattern.ts';
import { type BytesInput, bytesInputOf } from './bytes.ts';
import type { Codec } from './codec.ts';
import { type Decode, decodeQueryWith, decodeWith } from './decoder.ts';
import { type Kind, KINDS } from './kinds.ts';
import { errorDecodersOf, Outputs, plainAnswerOf } from './outputs.ts';
import { resultToJson } from './result-json.ts';
import type { Route } from './routes.ts';
import type { Endpoint } from './endpoint.ts';

/** A parameter of a path, `gap` characters after the one before it. The id of an item has no name. */
export interface PathParameter {
  readonly gap: number;
  readonly name: string | undefined;
  readonly codec: Codec;
}

/** The members of the long form, as far as documents read them. They are checked. */
export interface LongForm extends Members {
  readonly query?: unknown;
  readonly optional?: boolean;
  readonly output?: unknown;
  readonly errors?: Readonly<Record<string, unknown>>;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly operationId?: string;
  readonly tool?: true | { readonly name?: string; readonly description?: string };
}

/** A host's `context`. Those of `restpoint/auth` have both members. */
interface ContextFunction extends HostFunction {
  readonly security?: unknown;
  /** The error for a context that lacks one of the scopes; `undefined` if it has all. */
  readonly '~scopes'?: (context: unknown, scopes: readonly string[], request: unknown) => unknown;
}

/** Where an operation is: operations at one path have the same object. */
interface Place {
  readonly pattern: Pattern;
  readonly parameters: readonly PathParameter[];
}

const LONG_MEMBERS: readonly string[] = [
  'run', 'input', 'query', 'lists', 'optional', 'output', 'status', 'errors', 'context', 'scopes', 'limits', 'stringify',
  'summary', 'description', 'tags', 'deprecated', 'operationId', 'tool',
];
const NO_MEMBERS: LongForm = Object.freeze({});
const NO_LISTS: readonly string[] = [];
// The names of tools that all clients of the Model Context Protocol take.
const TOOL_NAME = /^[A-Za-z0-9._-]{1,128}$/;
// Unreserved characters (RFC 3986 section 2.3) need no escape anywhere, so a name has one spelling.
const OPERATION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/;

export class Operation {
  readonly endpoint: Endpoint;
  readonly kind: Kind;
  /** The name of a Custom operation; empty for the others. */
  readonly name: string;
  /** The members of the long form; none for a plain function. Documents read members from it that requests do not need. */
  readonly members: LongForm;
  readonly pattern: Pattern;
  /** Where the parameters are in its path, in order, with their codecs. */
  readonly parameters: readonly PathParameter[];
  /** Decodes its body: `input`, or else the endpoint's `schema` if that is its body. */
  readonly input: unknown;
  /** The accepted media types, if the host reads the bytes itself. */
  readonly bytes: BytesInput | undefined;
  readonly bodyBytes: number;
  /** How long the body may take to arrive. `undefined` if the server's limit holds. */
  readonly requestMs: number | undefined;
  readonly operationMs: number;
  readonly takesBody: boolean;
  readonly takesQuery: boolean;
  readonly hasContext: boolean;
  /** How a plain result is sent: by its kind, unless the operation declares `output` or `status`. */
  readonly answer: Kind['answer'];
  /** The status of a plain result. */
  readonly status: number;
  /** Decodes results before they are sent. `undefined` without `output`. */
  readonly outputs: Outputs | undefined;
  /** The scopes that a caller needs. */
  readonly scopes: readonly string[];
  /** Decodes the members of errors, by status. */
  readonly errors: ReadonlyMap<number, Decode>;
  readonly #isOnItem: boolean;
  readonly #context: ContextFunction | undefined;
  readonly #contextReceiver: Members;
  readonly #run: HostFunction;
  /** The host's object that `run` and `stringify` are methods of. */
  readonly #receiver: Members;
  readonly #decode: Decode | undefined;
  readonly #isOptional: boolean;
  readonly #decodeQuery: Decode | undefined;
  readonly #lists: readonly string[];
  readonly #stringify: HostFunction | undefined;
  #route: Route | undefined;

  /** `declared` is the function or the long form, `owner` the object that has it as a member. Throws `TypeError` that names the wrong member. */
  constructor(endpoint: Endpoint, kind: Kind, name: string, declared: unknown, owner: Members, placeOf: (path: string) => Place) {
    const path = name === '' ? `endpoint.${kind.member}` : `endpoint.${kind.member}.${name}`;
    const isShort = typeof declared === 'function';
    const members = isShort ? NO_MEMBERS : longFormOf(declared, kind, path);
    const { input, query, lists = NO_LISTS, optional = false, output, limits = NO_MEMBERS } = members;
    this.endpoint = endpoint;
    this.kind = kind;
    this.name = name;
    this.members = members;
    this.input = input === undefined && kind.decoder === 'schema' ? endpoint.members['schema'] : input;
    if (isShort) refuseShort(kind, this.input);
    const { pattern, parameters } = placeOf(pathOf(endpoint, kind, name));
    this.pattern = pattern;
    this.parameters = parameters;
    this.bytes = bytesInputOf(this.input, `${path}.input`);
    const { bodyBytes, requestMs, operationMs } = limitsOf(limits, `${path}.limits`, this.bytes !== undefined);
    this.bodyBytes = bodyBytes ?? endpoint.defaults.limits.bodyBytes;
    this.requestMs = requestMs;
    this.operationMs = operationMs ?? endpoint.defaults.limits.operationMs;
    this.takesBody = this.input !== undefined;
    this.takesQuery = query !== undefined;
    const context = functionFrom(members['context'], `${path}.context`);
    this.#context = context ?? endpoint.context;
    this.#contextReceiver = context === undefined ? endpoint.members : members;
    this.hasContext = this.#context !== undefined;
    this.scopes = members['scopes'] === undefined ? endpoint.scopes : textsFrom(members['scopes'], `${path}.scopes`);
    this.#checkContext(path);
    this.#isOnItem = !endpoint.isSingleton && kind.suffix.startsWith('/:id');
    this.#receiver = isShort ? owner : members;
    this.#run = functionFrom(isShort ? declared : members['run'], `${path}.run`) as HostFunction;
    this.#decode = this.input === undefined ? undefined : decodeWith(this.input, input === undefined ? 'endpoint.schema' : `${path}.input`, endpoint.defaults.validationStatus);
    this.#isOptional = oneOf(optional, `${path}.optional`, [false, true]);
    this.#decodeQuery = query === undefined ? undefined : decodeQueryWith(query, `${path}.query`, endpoint.defaults.validationStatus);
    this.#lists = textsFrom(lists, `${path}.lists`);
    this.outputs = output === undefined ? undefined : new Outputs(output, `${path}.output`);
    ({ answer: this.answer, status: this.status } = plainAnswerOf(kind, members['status'], this.outputs, `${path}.status`));
    this.errors = errorDecodersOf(members.errors ?? NO_MEMBERS, `${path}.errors`);
    // The endpoint's `stringify` writes its items. An operation with a name gives something else.
    this.#stringify = functionFrom(members['stringify'], `${path}.stringify`) ?? (name === '' ? endpoint.stringify?.bind(endpoint.members) : undefined);
    this.#refuseUnread(path, bodyBytes !== undefined);
  }

  get route(): Route {
    // Few hosts need those of all operations. Frozen, since all requests get the same object.
    return (this.#route ??= Object.freeze({ method: this.kind.method, path: this.pattern.text }));
  }

  /** The host's function that identifies callers: the operation's, else the endpoint's. Documents read its `security`. */
  get context(): ContextFunction | undefined {
    return this.#context;
  }

  /** Calls the host's `context`. */
  askContext(request: unknown): unknown {
    return this.#context?.call(this.#contextReceiver, request);
  }

  /** The error for a caller who lacks a scope; `undefined` for one who has all. */
  refusalOfScopes(context: unknown, request: unknown): unknown {
    return this.scopes.length === 0 ? undefined : this.#context?.['~scopes']?.(context, this.scopes, request);
  }

  /** Decodes a query, with its `?`. Returns the value or an `ErrorAnswer`, or a promise of them; throws when the decoder fails. */
  decodeQuery(query: string): unknown {
    const parsed = parseQuery(query.slice(1), this.#lists);
    return parsed instanceof ErrorAnswer ? parsed : this.#decodeQuery?.(parsed);
  }

  /** Decodes a body. Returns the value or an `ErrorAnswer`, or a promise of them; throws when the decoder fails. */
  decode(bytes: Buffer): unknown {
    if (this.#isOptional && bytes.length === 0) return undefined;
    const json = parseJson(bytes, this.endpoint.defaults.uniqueKeys);
    return json instanceof ErrorAnswer ? json : this.#decode?.(json);
  }

  /** Calls the host's function with the id and the input, if the operation has them, and with the request. */
  run(id: unknown, input: unknown, request: unknown): unknown {
    const receiver = this.#receiver;
    if (this.#decode === undefined) return this.#isOnItem ? this.#run.call(receiver, id, request) : this.#run.call(receiver, request);
    return this.#isOnItem ? this.#run.call(receiver, id, input, request) : this.#run.call(receiver, input, request);
  }

  /** Writes a plain result as JSON. Throws if the host's `stringify` fails, or the result cannot be JSON. */
  toJson(result: unknown): string {
    const stringify = this.#stringify;
    return stringify === undefined ? this.replyToJson(result) : resultToJson(result, (value) => stringify.call(this.#receiver, value));
  }

  /** Writes the body of a reply as JSON, by the server's `stringify`. */
  replyToJson(body: unknown): string {
    return resultToJson(body, this.endpoint.defaults.stringify);
  }

  #checkContext(path: string): void {
    if (this.endpoint.defaults.requireContext && !this.hasContext) {
      throw new TypeError(`${path} needs a context, which the server requires: endpoint.context or its own. () => undefined admits anyone`);
    }
    if (this.scopes.length > 0 && typeof this.#context?.['~scopes'] !== 'function') {
      throw new TypeError(`${path}.scopes needs a context that knows the scopes of callers: bearer(verify, { scopesOf: (user) => user.scopes })`);
    }
  }

  /** Refuses members that would have no effect. */
  #refuseUnread(path: string, hasBodyBytes: boolean): void {
    const { lists, optional } = this.members as Members;
    if (lists !== undefined && !this.takesQuery) throw new TypeError(`${path}.lists needs ${path}.query: without it, the query is not decoded`);
    if (optional !== undefined && this.input === undefined) throw new TypeError(`${path}.optional needs ${path}.input: without it, no body is decoded`);
    if (hasBodyBytes && !this.takesBody) throw new TypeError(`${path}.limits.bodyBytes cannot be: ${this.kind.decoder === undefined ? this.kind.member : 'without input, it'} takes no body`);
  }
}

/** The member of an endpoint that declares an operation: `get`, `custom.feed`. */
export function memberOf({ kind: { member }, name }: Operation): string {
  return name === '' ? member : `${member}.${name}`;
}

/** The operations that an endpoint declares, in the order of the table of kinds. */
export function operationsOf(endpoint: Endpoint): Operation[] {
  const places = new Map<string, Place>();
  const placeOf = (path: string): Place => {
    let place = places.get(path);
    if (place === undefined) places.set(path, (place = placeAt(endpoint, path)));
    return place;
  };
  return KINDS.flatMap((kind) => {
    const declared = endpoint.members[kind.member];
    const path = `endpoint.${kind.member}`;
    if (declared === undefined) return [];
    if (kind.needsId === true && endpoint.isSingleton) throw new TypeError(`${path} needs endpoint.id`);
    if (!kind.suffix.endsWith('<name>')) return new Operation(endpoint, kind, '', declared, endpoint.members, placeOf);
    const named = membersOf(declared, path);
    refuseInstance(named, path);
    return namesOf(named).map((name) => new Operation(endpoint, kind, name, named[name], named, placeOf));
  });
}

/** The operations of an instance would be the methods of its class, and so would its helpers. */
function refuseInstance(named: Members, path: string): void {
  const { constructor: { name } } = named as { readonly constructor: { readonly name: string } };
  if (isPlain(named)) return;
  throw new TypeError(`${path} must be a plain object of operations, and not an instance of ${name}: { feed: (id) => store.feed(id) }`);
}

function namesOf(named: Members): string[] {
  const names = Object.keys(named);
  const wrong = names.find((name) => !OPERATION_NAME.test(name));
  if (wrong !== undefined) throw new TypeError(`operation name must be of A-Z a-z 0-9 - . _ ~: ${JSON.stringify(wrong)}`);
  return names;
}

function pathOf({ base, isSingleton }: Endpoint, { suffix }: Kind, name: string): string {
  return base + (isSingleton ? suffix.replace('/:id', '') : suffix).replace('<name>', name) || '/';
}

function placeAt({ id, params }: Endpoint, path: string): Place {
  const pattern = parsePattern(path);
  const parameters = pattern.parameters.flatMap((name, at) => {
    const own = params.get(name);
    const codec = own ?? id;
    return codec === undefined ? [] : { gap: pattern.gaps[at] ?? 0, name: own === undefined ? undefined : name, codec };
  });
  return { pattern, parameters };
}

function longFormOf(declared: unknown, kind: Kind, path: string): LongForm {
  if (typeof declared !== 'object' && !kind.suffix.endsWith('<name>')) throw new TypeError(`${path} must be a function: ${typeof declared}`);
  const members = knownMembersOf(declared, path, LONG_MEMBERS);
  if (functionFrom(members['run'], `${path}.run`) === undefined) throw new TypeError(`${path} must have run`);
  if (members['input'] !== undefined && kind.decoder === undefined) {
    throw new TypeError(`${path}.input cannot be: ${kind.member} takes no body`);
  }
  checkDescription(members, path);
  return members;
}

/** Throws `TypeError` if an operation cannot be a plain function. */
function refuseShort({ member, decoder, isLong }: Kind, input: unknown): void {
  if (isLong === true) throw new TypeError(`endpoint.${member} must be an object with run: function`);
  if (decoder === 'schema' && input === undefined) throw new TypeError(`endpoint.${member} needs endpoint.schema, or its own decoder: ${member}: { input: Pet, run: (…) => … }`);
}

/** Checks the members that only documents and clients read. */
function checkDescription(members: Members, path: string): void {
  const { tags = NO_LISTS, deprecated = false } = members;
  for (const name of ['summary', 'description', 'operationId']) textFrom(members[name], `${path}.${name}`);
  // Generators make names from an id.
  if (members['operationId'] === '') throw new TypeError(`${path}.operationId must not be empty`);
  textsFrom(tags, `${path}.tags`);
  oneOf(deprecated, `${path}.deprecated`, [false, true]);
  checkTool(members['tool'], `${path}.tool`);
}

function checkTool(tool: unknown, path: string): void {
  if (tool === undefined || tool === true) return;
  if (typeof tool !== 'object') throw new TypeError(`${path} must be true, or an object with name or description: ${String(tool)}`);
  const { name, description } = knownMembersOf(tool, path, ['name', 'description']);
  textFrom(description, `${path}.description`);
  if (name === undefined || TOOL_NAME.test(textFrom(name, `${path}.name`) ?? '')) return;
  throw new TypeError(`${path}.name must be 1 to 128 of A-Z a-z 0-9 . _ -: ${JSON.stringify(name)}`);
}

interface Limits {
  readonly bodyBytes?: number;
  readonly requestMs?: number;
  readonly operationMs?: number;
}

// The longest delay of Node's timers, and V8's longest string, which a decoded body becomes.
const LIMITS: Readonly<Record<keyof Limits, readonly [min: number, max: number]>> = {
  bodyBytes: [0, 2 ** 29 - 24],
  requestMs: [1, 2 ** 31 - 1],
  operationMs: [0, 2 ** 31 - 1],
};

function limitsOf(value: unknown, path: string, isBytes: boolean): Limits {
  const limits = knownMembersOf(value, path, Object.keys(LIMITS));
  for (const [name, [min, longest]] of Object.entries(LIMITS)) {
    const max = isBytes && name === 'bodyBytes' ? Number.MAX_SAFE_INTEGER : longest;
    if (limits[name] !== undefined) numberFrom(limits[name], `${path}.${name}`, [min, max]);
  }
  return limits;
}
