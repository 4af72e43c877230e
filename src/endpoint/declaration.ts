/**
 * Checks a host's endpoint at registration, since types do not exist at run time. Each member is read once, here. Each function is
 * called as a method of its object.
 */
import { DecodeFailure } from '../errors/decode-failure.ts';
import { disown, isThenable, nameOf } from '../errors/thenable.ts';
import { decodeWith, type Decode } from './decoder.ts';
import { tryParseOf } from './id-codec.ts';
import { KINDS, type Kind } from './kinds.ts';

/** A host's function, to be called with its receiver as `this`. To bind each one would cost memory. */
export type HostFunction = (...args: unknown[]) => unknown;

export interface Declaration {
  readonly receiver: object;
  readonly id: CheckedCodec;
  /** In the order of the table of kinds. */
  readonly operations: readonly DeclaredOperation[];
  readonly isNotFound: HostFunction | undefined;
  readonly errorFrom: HostFunction | undefined;
}

export interface DeclaredOperation {
  readonly kind: Kind;
  /** The name of a Custom operation; empty for the others. */
  readonly name: string;
  /** The host's object that `run` and `stringify` are methods of. */
  readonly receiver: object;
  readonly run: HostFunction;
  /** `undefined` if it takes no input. */
  readonly decode: Decode | undefined;
  readonly stringify: HostFunction | undefined;
}

/** Checks a codec at registration, and what it returns at each call. */
export class CheckedCodec {
  readonly #codec: object;
  readonly #parse: (text: string) => unknown;
  readonly #format: HostFunction;

  constructor(value: unknown) {
    const codec = membersOf(value, 'endpoint.id');
    const parse = functionOf(codec, 'parse', 'endpoint.id');
    const format = functionOf(codec, 'format', 'endpoint.id');
    if (parse === undefined || format === undefined) throw new TypeError('endpoint.id must have parse and format');
    this.#codec = codec;
    this.#parse = tryParseOf(parse) ?? parse;
    this.#format = format;
  }

  /** Returns the id or a `DecodeFailure`. Throws a codec's `ApiError`, and `TypeError` if the codec returns a promise. */
  parse(text: string): unknown {
    let id: unknown;
    try {
      id = this.#parse.call(this.#codec, text);
    } catch (thrown) {
      return DecodeFailure.from(thrown);
    }
    if (!isThenable(id)) return id;
    disown(id);
    throw new TypeError(`an id was parsed as ${nameOf(id)}`);
  }

  /** Throws what the codec throws, and `TypeError` if it returns no string. */
  format(id: unknown): string {
    const text = this.#format.call(this.#codec, id);
    if (typeof text === 'string') return text;
    disown(text);
    throw new TypeError(`an id was formatted as ${nameOf(text)}`);
  }
}

type Members = Readonly<Record<string, unknown>>;

/** Checks an endpoint. Throws `TypeError` that names the wrong member. */
export function declarationOf(endpoint: unknown): Declaration {
  const members = membersOf(endpoint, 'endpoint');
  const id = new CheckedCodec(members['id']);
  const stringify = functionOf(members, 'stringify');
  const operations = KINDS.flatMap((kind) => {
    return kind.suffix === '/<name>' ? namedOperations(kind, members) : operationOf(kind, members, stringify);
  });
  const isNotFound = functionOf(members, 'isNotFound');
  const errorFrom = functionOf(members, 'errorFrom');
  if (operations.length === 0) {
    throw new TypeError(`endpoint declares no operation: it needs one of ${KINDS.map(({ member }) => member).join(', ')}`);
  }
  return { receiver: members, id, operations, isNotFound, errorFrom };
}

function membersOf(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object: ${String(value)}`);
  return value as Members;
}

function functionOf(members: Members, name: string, path = 'endpoint'): HostFunction | undefined {
  const member = members[name];
  if (member === undefined) return undefined;
  if (typeof member !== 'function') throw new TypeError(`${path}.${name} must be a function: ${typeof member}`);
  return member as HostFunction;
}

function operationOf(kind: Kind, members: Members, stringify: HostFunction | undefined): DeclaredOperation[] {
  const run = functionOf(members, kind.member);
  if (run === undefined) return [];
  const { schema } = members;
  if (kind.decoder === 'schema' && schema === undefined) throw new TypeError(`endpoint.${kind.member} needs endpoint.schema`);
  const decode = kind.decoder === 'schema' ? decodeWith(schema, 'endpoint.schema') : undefined;
  return [{ kind, name: '', receiver: members, run, decode, stringify }];
}

// Unreserved characters (RFC 3986 section 2.3) need no escape anywhere, so a name has one spelling.
const OPERATION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/;

function namedOperations(kind: Kind, members: Members): DeclaredOperation[] {
  const named = members[kind.member];
  if (named === undefined) return [];
  return Object.entries(membersOf(named, `endpoint.${kind.member}`)).map(([name, operation]) => {
    if (!OPERATION_NAME.test(name)) throw new TypeError(`operation name must be of A-Z a-z 0-9 - . _ ~: ${JSON.stringify(name)}`);
    const path = `endpoint.${kind.member}.${name}`;
    const receiver = membersOf(operation, path);
    const run = functionOf(receiver, 'run', path);
    if (run === undefined) throw new TypeError(`${path} must have run`);
    const { input } = receiver;
    const decode = input === undefined ? undefined : decodeWith(input, `${path}.input`);
    return { kind, name, receiver, run, decode, stringify: functionOf(receiver, 'stringify', path) };
  });
}
