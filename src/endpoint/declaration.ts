/**
 * A host's endpoint, checked once and made ready: the types that guided the host are gone at run time, so everything
 * is looked at again. Members are read here and never again; each is called as a method of the object that it is one of.
 */
import { disown, isThenable, nameOf } from '../errors/thenable.ts';
import { decodeWith, refusalOf, type Decode } from './decoder.ts';
import { readerOf, type ReadId } from './id-codec.ts';
import { ErrorResponse } from '../http/error-response.ts';
import { KINDS, type Kind } from './kinds.ts';

/** A host's function, to be called with its receiver as `this`. It is not bound to that: a bound one takes memory of its own. */
export type Member = (...args: unknown[]) => unknown;

/** An endpoint whose types are forgotten, and whose members are known to be what they should. */
export interface Declaration {
  /** The host's object. */
  readonly receiver: object;
  readonly id: IdDeclaration;
  /** Those that it declares, in the order of the table. */
  readonly operations: readonly DeclaredOperation[];
  readonly isNotFound: Member | undefined;
}

/** One operation: a host's function, and what is made of its body before and of its result after. */
export interface DeclaredOperation {
  readonly kind: Kind;
  /** The name of a Custom operation; empty for the others. */
  readonly name: string;
  /** The host's object that `run` and `stringify` are methods of. */
  readonly receiver: object;
  readonly run: Member;
  /** `undefined` where it takes no body. */
  readonly decode: Decode | undefined;
  readonly stringify: Member | undefined;
}

/** A codec made ready. */
export class IdDeclaration {
  readonly #codec: object;
  readonly #read: ReadId;
  readonly #format: Member;

  constructor(codec: object, parse: Member, format: Member) {
    this.#codec = codec;
    this.#read = readerOf(parse) ?? parse;
    this.#format = format;
  }

  /**
   * Reads an id; gives a `ErrorResponse`, which is the whole answer, where the codec refuses the text. Throws an `ApiError` that the
   * codec threw, and a `TypeError` when it gives a promise.
   */
  read(text: string): unknown {
    let id: unknown;
    try {
      id = this.#read.call(this.#codec, text);
    } catch (thrown) {
      return new ErrorResponse(400, refusalOf(thrown).detail);
    }
    if (!isThenable(id)) return id;
    disown(id);
    throw new TypeError(`an id was parsed as ${nameOf(id)}`);
  }

  /** Writes an id. Throws what the codec throws, and a `TypeError` when that gives no string. */
  format(id: unknown): string {
    const text = this.#format.call(this.#codec, id);
    if (typeof text === 'string') return text;
    disown(text);
    throw new TypeError(`an id was formatted as ${nameOf(text)}`);
  }
}

type Members = Readonly<Record<string, unknown>>;

/** Checks an endpoint. Throws `TypeError`, naming the member that is wrong. */
export function declarationOf(endpoint: unknown): Declaration {
  const members = membersOf(endpoint, 'endpoint');
  const id = idOf(members['id']);
  const stringify = memberOf(members, 'stringify');
  const operations = KINDS.flatMap((kind) => (kind.suffix === '/<name>' ? namedOf(kind, members) : singleOf(kind, members, stringify)));
  const isNotFound = memberOf(members, 'isNotFound');
  if (operations.length === 0) {
    throw new TypeError(`endpoint declares no operation: it needs one of ${KINDS.map(({ member }) => member).join(', ')}`);
  }
  return { receiver: members, id, operations, isNotFound };
}

function membersOf(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object: ${String(value)}`);
  return value as Members;
}

function memberOf(members: Members, name: string, path = 'endpoint'): Member | undefined {
  const member = members[name];
  if (member === undefined) return undefined;
  if (typeof member !== 'function') throw new TypeError(`${path}.${name} must be a function: ${typeof member}`);
  return member as Member;
}

function singleOf(kind: Kind, members: Members, stringify: Member | undefined): DeclaredOperation[] {
  const run = memberOf(members, kind.member);
  if (run === undefined) return [];
  const { schema } = members;
  if (kind.decoder === 'schema' && schema === undefined) throw new TypeError(`endpoint.${kind.member} needs endpoint.schema`);
  const decode = kind.decoder === 'schema' ? decodeWith(schema, 'endpoint.schema') : undefined;
  return [{ kind, name: '', receiver: members, run, decode, stringify }];
}

function idOf(value: unknown): IdDeclaration {
  const codec = membersOf(value, 'endpoint.id');
  const parse = memberOf(codec, 'parse', 'endpoint.id');
  const format = memberOf(codec, 'format', 'endpoint.id');
  if (parse === undefined || format === undefined) throw new TypeError('endpoint.id must have parse and format');
  return new IdDeclaration(codec, parse, format);
}

// Unreserved characters (RFC 3986 section 2.3) need no escape anywhere, so a name has one spelling.
const OPERATION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/;

function namedOf(kind: Kind, members: Members): DeclaredOperation[] {
  const named = members[kind.member];
  if (named === undefined) return [];
  return Object.entries(membersOf(named, `endpoint.${kind.member}`)).map(([name, operation]) => {
    if (!OPERATION_NAME.test(name)) throw new TypeError(`operation name must be of A-Z a-z 0-9 - . _ ~: ${JSON.stringify(name)}`);
    const path = `endpoint.${kind.member}.${name}`;
    const receiver = membersOf(operation, path);
    const run = memberOf(receiver, 'run', path);
    if (run === undefined) throw new TypeError(`${path} must have run`);
    const { input } = receiver;
    const decode = input === undefined ? undefined : decodeWith(input, `${path}.input`);
    return { kind, name, receiver, run, decode, stringify: memberOf(receiver, 'stringify', path) };
  });
}
