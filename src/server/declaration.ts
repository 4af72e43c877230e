/**
 * A host's endpoint, checked once and made ready: the types that guided the host are gone at run time, so everything
 * is looked at again, and each operation is bound to the object that it is a member of.
 */
import type { NotFoundPredicate } from '../errors/api-error.ts';
import { decodeWith, refusalOf, type Decode } from './decoder.ts';
import { readerOf, type ReadId } from './id-codec.ts';
import { Refused } from './refused.ts';
import type { ApiRequest } from './request.ts';

/** An endpoint whose types are forgotten, and whose members are known to be what they should. */
export interface Declaration {
  readonly id: IdDeclaration;
  readonly create: { readonly decode: Decode; readonly run: (item: unknown, request: ApiRequest) => unknown } | undefined;
  readonly get: ((id: unknown, request: ApiRequest) => unknown) | undefined;
  readonly stringify: Stringify | undefined;
  readonly update:
    | { readonly decode: Decode; readonly run: (id: unknown, item: unknown, request: ApiRequest) => unknown }
    | undefined;
  readonly delete: ((id: unknown, request: ApiRequest) => unknown) | undefined;
  readonly custom: readonly CustomDeclaration[];
  readonly isNotFound: NotFoundPredicate | undefined;
}

/** A codec made ready: `read` gives a `Refused` where `parse` throws. What `format` gives is looked at each time. */
export interface IdDeclaration {
  readonly read: ReadId;
  readonly format: (id: unknown) => unknown;
}

/** A host's own writer of JSON text, in place of `JSON.stringify`. What it gives is looked at each time. */
export type Stringify = (value: unknown) => unknown;

/** A Custom operation: without `decode` it takes no input, and `run` gets only the request. */
export interface CustomDeclaration {
  readonly name: string;
  readonly decode: Decode | undefined;
  readonly run: (...inputThenRequest: unknown[]) => unknown;
  readonly stringify: Stringify | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** Checks an endpoint. Throws `TypeError`, naming the member that is wrong. */
export function declarationOf(endpoint: unknown): Declaration {
  const members = membersOf(endpoint, 'endpoint');
  const declaration: Declaration = {
    id: codecOf(members['id']),
    create: withSchema(members, 'create'),
    get: operationOf(members, 'get'),
    stringify: operationOf(members, 'stringify'),
    update: withSchema(members, 'update'),
    delete: operationOf(members, 'delete'),
    custom: customOf(members['custom']),
    isNotFound: operationOf(members, 'isNotFound') as NotFoundPredicate | undefined,
  };
  const { create, get, update, delete: remove, custom } = declaration;
  if (!(create ?? get ?? update ?? remove) && custom.length === 0) {
    throw new TypeError('endpoint declares no operation: it needs one of create, get, update, delete, custom');
  }
  return declaration;
}

function membersOf(value: unknown, name: string): Members {
  if (typeof value !== 'object' || value === null) throw new TypeError(`${name} must be an object: ${String(value)}`);
  return value as Members;
}

function operationOf(members: Members, name: string, owner = 'endpoint'): ((...args: unknown[]) => unknown) | undefined {
  const member = members[name];
  if (member === undefined) return undefined;
  if (typeof member !== 'function') throw new TypeError(`${owner}.${name} must be a function: ${typeof member}`);
  return member.bind(members) as (...args: unknown[]) => unknown;
}

function withSchema(members: Members, name: 'create' | 'update') {
  const run = operationOf(members, name);
  if (run === undefined) return undefined;
  if (members['schema'] === undefined) throw new TypeError(`endpoint.${name} needs endpoint.schema`);
  return { decode: decodeWith(members['schema'], 'endpoint.schema'), run };
}

function codecOf(value: unknown): IdDeclaration {
  const codec = membersOf(value, 'endpoint.id');
  const parse = operationOf(codec, 'parse', 'endpoint.id');
  const format = operationOf(codec, 'format', 'endpoint.id');
  if (parse === undefined || format === undefined) throw new TypeError('endpoint.id must have parse and format');
  return { read: readerOf(codec['parse']) ?? readerWith(parse), format };
}

function readerWith(parse: (text: string) => unknown): ReadId {
  return (text) => {
    try {
      return parse(text);
    } catch (thrown) {
      return new Refused(400, refusalOf(thrown).detail);
    }
  };
}

// Unreserved characters (RFC 3986 section 2.3) need no escape anywhere, so a name has one spelling.
const OPERATION_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._~-]+$/;

function customOf(value: unknown): CustomDeclaration[] {
  if (value === undefined) return [];
  return Object.entries(membersOf(value, 'endpoint.custom')).map(([name, operation]) => {
    if (!OPERATION_NAME.test(name)) throw new TypeError(`operation name must be of A-Z a-z 0-9 - . _ ~: ${JSON.stringify(name)}`);
    const owner = `endpoint.custom.${name}`;
    const members = membersOf(operation, owner);
    const run = operationOf(members, 'run', owner);
    if (run === undefined) throw new TypeError(`${owner} must have run`);
    const { input } = members;
    const decode = input === undefined ? undefined : decodeWith(input, `${owner}.input`);
    return { name, decode, run, stringify: operationOf(members, 'stringify', owner) };
  });
}
