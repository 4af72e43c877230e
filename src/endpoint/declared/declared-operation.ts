/** The operations of a host's endpoint, checked, in both of their forms: a function, or an object with the function as `run`. */
import {
  functionFrom, type HostFunction, knownMembersOf, type Members, membersOf, numberFrom, oneOf, textsFrom,
} from '../../errors/members.ts';
import { type BytesInput, bytesInputOf } from '../bytes.ts';
import { type Decode, decodeQueryWith, decodeWith } from '../decoder.ts';
import { type Kind, KINDS } from '../kinds.ts';
import { checkDescription } from './description.ts';

export interface DeclaredOperation {
  readonly kind: Kind;
  /** The name of a Custom operation; empty for the others. */
  readonly name: string;
  /** The host's object that `run` and `stringify` are methods of. */
  readonly receiver: object;
  readonly run: HostFunction;
  /** `undefined` if it takes no body. */
  readonly decode: Decode | undefined;
  /** Set if its body is not decoded, but read by the host as bytes. */
  readonly bytes: BytesInput | undefined;
  /** Whether an empty body is `undefined`, without asking `decode`. */
  readonly isOptional: boolean;
  /** `undefined` if it takes the query as it is. */
  readonly decodeQuery: Decode | undefined;
  /** The names in the query that are always lists. */
  readonly lists: readonly string[];
  /** Encodes results by status; the status of a plain result is the kind's. */
  readonly outputs: ReadonlyMap<number, Decode> | undefined;
  readonly stringify: HostFunction | undefined;
  readonly limits: { readonly bodyBytes?: number; readonly requestMs?: number; readonly operationMs?: number };
}

const LONG_MEMBERS: readonly string[] = [
  'run', 'input', 'query', 'lists', 'optional', 'output', 'errors', 'limits', 'stringify',
  'summary', 'description', 'tags', 'deprecated', 'operationId',
];
const STATUS = /^[2-5]\d\d$/;
// Unreserved characters (RFC 3986 section 2.3) need no escape anywhere, so a name has one spelling.
const OPERATION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/;

/** The operations that an endpoint declares, in the order of the table of kinds. Throws `TypeError` that names the wrong member. */
export function operationsOf(endpoint: Members, hasId: boolean): DeclaredOperation[] {
  const stringify = functionFrom(endpoint['stringify'], 'endpoint.stringify');
  return KINDS.flatMap((kind) => {
    const value = endpoint[kind.member];
    const path = `endpoint.${kind.member}`;
    if (value === undefined) return [];
    if (kind.needsId === true && !hasId) throw new TypeError(`${path} needs endpoint.id`);
    if (kind.suffix.endsWith('<name>')) return namedOperations(kind, membersOf(value, path), path);
    if (typeof value === 'function') return shortOperation(kind, '', endpoint, value as HostFunction, stringify);
    if (typeof value !== 'object') throw new TypeError(`${path} must be a function: ${typeof value}`);
    return longOperation(kind, '', value, path, endpoint['schema'], stringify);
  });
}

function namedOperations(kind: Kind, named: Members, path: string): DeclaredOperation[] {
  return Object.entries(named).map(([name, operation]) => {
    if (!OPERATION_NAME.test(name)) throw new TypeError(`operation name must be of A-Z a-z 0-9 - . _ ~: ${JSON.stringify(name)}`);
    if (typeof operation === 'function') return shortOperation(kind, name, named, operation as HostFunction);
    return longOperation(kind, name, operation, `${path}.${name}`);
  });
}

function shortOperation(kind: Kind, name: string, receiver: Members, run: HostFunction, stringify?: HostFunction): DeclaredOperation {
  const { member, decoder, isLong } = kind;
  if (isLong === true) throw new TypeError(`endpoint.${member} must be an object with run: function`);
  // The receiver of an operation with a name has no schema of its own: `schema` may be a name there.
  const schema = decoder === 'schema' ? receiver['schema'] : undefined;
  if (decoder === 'schema' && schema === undefined) throw new TypeError(`endpoint.${member} needs endpoint.schema`);
  return {
    kind, name, receiver, run, ...bodyOf(kind, undefined, schema, ''), isOptional: false, decodeQuery: undefined, lists: [],
    outputs: undefined, stringify, limits: {},
  };
}

function longOperation(
  kind: Kind, name: string, value: unknown, path: string, schema?: unknown, stringify?: HostFunction,
): DeclaredOperation {
  const receiver = knownMembersOf(value, path, LONG_MEMBERS);
  const run = functionFrom(receiver['run'], `${path}.run`);
  if (run === undefined) throw new TypeError(`${path} must have run`);
  const { input, query, lists = [], optional = false, output, limits = {} } = receiver;
  if (input !== undefined && kind.decoder === undefined) throw new TypeError(`${path}.input cannot be: ${kind.member} takes no body`);
  const body = bodyOf(kind, input, schema, path);
  checkDescription(receiver, path);
  return {
    kind, name, receiver, run, ...body,
    isOptional: oneOf(optional, `${path}.optional`, [false, true]),
    decodeQuery: query === undefined ? undefined : decodeQueryWith(query, `${path}.query`),
    lists: textsFrom(lists, `${path}.lists`),
    outputs: output === undefined ? undefined : outputsOf(kind, output, `${path}.output`),
    stringify: functionFrom(receiver['stringify'], `${path}.stringify`) ?? stringify,
    limits: limitsOf(limits, `${path}.limits`, body.bytes !== undefined),
  };
}

/** How its body is read: by its own `input`, else by the endpoint's schema where that is its body. */
function bodyOf({ decoder }: Kind, input: unknown, schema: unknown, path: string): Pick<DeclaredOperation, 'decode' | 'bytes'> {
  const given = input === undefined && decoder === 'schema' ? schema : input;
  if (given === undefined) return { decode: undefined, bytes: undefined };
  return { decode: decodeWith(given, given === input ? `${path}.input` : 'endpoint.schema'), bytes: bytesInputOf(given) };
}

/** The kinds whose result is JSON have one decoder; in the others, and with `reply`, there is one for each status. */
function outputsOf(kind: Kind, output: unknown, path: string): Map<number, Decode> {
  if (typeof output === 'function' || '~standard' in membersOf(output, path)) {
    if (kind.answer !== 'json') throw new TypeError(`${path} must be an object of decoders by status`);
    return new Map([[kind.status, decodeWith(output, path)]]);
  }
  const members = Object.entries(membersOf(output, path));
  const wrong = members.find(([status]) => !STATUS.test(status));
  if (wrong !== undefined) throw new TypeError(`${path} must have statuses from 200 to 599: ${JSON.stringify(wrong[0])}`);
  const byStatus = members.filter(([, decoder]) => decoder !== null);
  return new Map(byStatus.map(([status, decoder]) => [Number(status), decodeWith(decoder, `${path}.${status}`)]));
}

// The longest delay of a timer of Node's, and the longest string of V8's, which a decoded body becomes.
const LIMITS: Readonly<Record<string, readonly [min: number, max: number]>> = {
  bodyBytes: [0, 2 ** 29 - 24],
  requestMs: [1, 2 ** 31 - 1],
  operationMs: [0, 2 ** 31 - 1],
};

function limitsOf(value: unknown, path: string, isBytes: boolean): DeclaredOperation['limits'] {
  const limits = knownMembersOf(value, path, Object.keys(LIMITS));
  for (const [name, [min, longest]] of Object.entries(LIMITS)) {
    const max = isBytes && name === 'bodyBytes' ? Number.MAX_SAFE_INTEGER : longest;
    if (limits[name] !== undefined) numberFrom(limits[name], `${path}.${name}`, [min, max]);
  }
  return limits;
}
