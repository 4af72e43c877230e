/**
 * A host's endpoint, checked once and made ready: the types that guided the host are gone at run time, so everything
 * is looked at again. Members are read here and never again; each is called as a method of the object that it is one of.
 */
import { disown, isThenable, nameOf } from '../errors/thenable.ts';
import { decodeWith, refusalOf, type Decode } from './decoder.ts';
import { readerOf, type ReadId } from './id-codec.ts';
import { Refused } from '../http/refused.ts';

/** A host's function, to be called with its owner as `this`. It is not bound to that: a bound one takes memory of its own. */
export type Member = (...args: unknown[]) => unknown;

/** An endpoint whose types are forgotten, and whose members are known to be what they should. */
export interface Declaration {
  /** The host's object, whose methods the operations are. */
  readonly owner: object;
  readonly id: IdDeclaration;
  /** There where `create` or `update` is. */
  readonly decode: Decode | undefined;
  readonly create: Member | undefined;
  readonly get: Member | undefined;
  readonly stringify: Member | undefined;
  readonly update: Member | undefined;
  readonly delete: Member | undefined;
  readonly custom: readonly CustomDeclaration[];
  readonly isNotFound: Member | undefined;
}

/** A Custom operation: without `decode` it takes no input, and `run` gets only the request. */
export interface CustomDeclaration {
  readonly owner: object;
  readonly name: string;
  readonly decode: Decode | undefined;
  readonly run: Member;
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
   * Reads an id; gives a `Refused`, which is the whole answer, where the codec refuses the text. Throws an `ApiError` that the
   * codec threw, and a `TypeError` when it gives a promise.
   */
  read(text: string): unknown {
    let id: unknown;
    try {
      id = this.#read.call(this.#codec, text);
    } catch (thrown) {
      return new Refused(400, refusalOf(thrown).detail);
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
  const create = memberOf(members, 'create');
  const update = memberOf(members, 'update');
  const declaration: Declaration = {
    owner: members,
    id,
    decode: create ?? update ? decodeOf(members, create ? 'create' : 'update') : undefined,
    create,
    get: memberOf(members, 'get'),
    stringify: memberOf(members, 'stringify'),
    update,
    delete: memberOf(members, 'delete'),
    custom: customOf(members['custom']),
    isNotFound: memberOf(members, 'isNotFound'),
  };
  if (!(create ?? update ?? declaration.get ?? declaration.delete) && declaration.custom.length === 0) {
    throw new TypeError('endpoint declares no operation: it needs one of create, get, update, delete, custom');
  }
  return declaration;
}

function membersOf(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object: ${String(value)}`);
  return value as Members;
}

function memberOf(members: Members, name: string, owner = 'endpoint'): Member | undefined {
  const member = members[name];
  if (member === undefined) return undefined;
  if (typeof member !== 'function') throw new TypeError(`${owner}.${name} must be a function: ${typeof member}`);
  return member as Member;
}

function decodeOf(members: Members, operation: 'create' | 'update'): Decode {
  if (members['schema'] === undefined) throw new TypeError(`endpoint.${operation} needs endpoint.schema`);
  return decodeWith(members['schema'], 'endpoint.schema');
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

const NO_OPERATIONS: readonly CustomDeclaration[] = [];

function customOf(value: unknown): readonly CustomDeclaration[] {
  if (value === undefined) return NO_OPERATIONS;
  return Object.entries(membersOf(value, 'endpoint.custom')).map(([name, operation]) => {
    if (!OPERATION_NAME.test(name)) throw new TypeError(`operation name must be of A-Z a-z 0-9 - . _ ~: ${JSON.stringify(name)}`);
    const path = `endpoint.custom.${name}`;
    const members = membersOf(operation, path);
    const run = memberOf(members, 'run', path);
    if (run === undefined) throw new TypeError(`${path} must have run`);
    const { input } = members;
    const decode = input === undefined ? undefined : decodeWith(input, `${path}.input`);
    return { owner: members, name, decode, run, stringify: memberOf(members, 'stringify', path) };
  });
}
