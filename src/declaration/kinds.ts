/**
 * The table of operations. Every fact about a kind of operation stands here once: in its row, in the row of its method, or in what both
 * mean. Routes, discovery, 405, `serve`, conditions, cross-origin rules, documents, tools, checks, and what the compiler accepts ask it.
 */
import { isIdempotent, isSafe } from '../http/methods.ts';

/** A row: what a kind says for itself. */
export interface KindRow {
  /** The property of an endpoint that declares it. Named operations with different methods have the same. */
  readonly name: string;
  /** Its word in an `operationId`, if that is not its name. A named operation has its own name after it. */
  readonly operationId?: string;
  readonly method: Method;
  /** The path after the path of the endpoint. Without ids, `/:id` is left out. With `<name>`, the kind is declared for each name. */
  readonly suffix: '' | '/:id' | '/<name>' | '/:id/<name>';
  /** The decoder of the body: `input` or else the endpoint's schema, or only `input`. With `undefined` the body is ignored. */
  readonly decoder: 'schema' | 'input' | undefined;
  /** How the result is sent: as the id of a new item (201), as JSON (200), or not at all (204). */
  readonly result: 'id' | 'json' | 'nothing';
  /** The results that have a different status: 404 if the item does not exist; 201, without a body, if it is new. */
  readonly statuses?: readonly (readonly [result: unknown, status: 201 | 404])[] | undefined;
  /** `false` if a function cannot declare it, only an object with `input` and `run`. */
  readonly shorthand?: false | undefined;
  /** Whether a singleton cannot have it. */
  readonly needsId?: true | undefined;
  /** Whether every failure of the operation is logged, and not only a 500. */
  readonly logsEveryFailure?: true | undefined;
}

/** What a method says of its kinds, in the order of `Allow`: POST comes last, since a path can have several. */
const METHODS = {
  GET: { body: 'ignored', bodyTypes: undefined },
  PUT: { body: 'whole', bodyTypes: undefined },
  PATCH: { body: 'change', bodyTypes: 'Accept-Patch' },
  DELETE: { body: 'ignored', bodyTypes: undefined },
  POST: { body: 'any', bodyTypes: 'Accept-Post' },
} as const;

type Method = keyof typeof METHODS;

/** The methods in the order of `Allow`. */
export const METHOD_NAMES: readonly string[] = Object.keys(METHODS);

/** The status of a result. */
const STATUSES = { id: 201, json: 200, nothing: 204 } as const;

const ROWS = [
  { name: 'create', method: 'POST', suffix: '', decoder: 'schema', result: 'id' },
  { name: 'list', method: 'GET', suffix: '', decoder: undefined, result: 'json', needsId: true },
  {
    name: 'get', method: 'GET', suffix: '/:id', decoder: undefined, result: 'json',
    statuses: [[undefined, 404], [null, 404]],
  },
  { name: 'update', method: 'PUT', suffix: '/:id', decoder: 'schema', result: 'nothing', statuses: [[false, 404]] },
  {
    name: 'patch', method: 'PATCH', suffix: '/:id', decoder: 'input', result: 'nothing', statuses: [[false, 404]],
    shorthand: false,
  },
  { name: 'delete', method: 'DELETE', suffix: '/:id', decoder: undefined, result: 'nothing', statuses: [[false, 404]] },
  { name: 'custom', operationId: '', method: 'POST', suffix: '/<name>', decoder: 'input', result: 'json', logsEveryFailure: true },
  {
    name: 'itemCustom', operationId: 'item', method: 'POST', suffix: '/:id/<name>', decoder: 'input', result: 'json', needsId: true,
    logsEveryFailure: true,
  },
  { name: 'custom', operationId: '', method: 'GET', suffix: '/<name>', decoder: undefined, result: 'json' },
  { name: 'itemCustom', operationId: 'item', method: 'GET', suffix: '/:id/<name>', decoder: undefined, result: 'json', needsId: true },
] as const;

/** A kind of operation: its row, and what follows from it. */
export interface OperationKind extends KindRow {
  readonly name: Row['name'];
  readonly operationId: string;
  /** The status of a plain result. */
  readonly status: 200 | 201 | 204;
  /** Whether it is of one item, and not of all items of its endpoint. A singleton is its endpoint's item. */
  readonly isOfItem: boolean;
  /** Whether it is declared for each name. */
  readonly isNamed: boolean;
  /** Whether it only reads. */
  readonly reads: boolean;
  /** Whether it reads one item, by its id: a `get`. */
  readonly readsItem: boolean;
  /** Whether it can read a list, and have pages: a `list`, or a named GET. */
  readonly readsItems: boolean;
  /** Whether it removes what it is of. */
  readonly removes: boolean;
  /** Whether a second request changes nothing more. Other kinds can have an `Idempotency-Key`. */
  readonly repeats: boolean;
  /**
   * What the conditions of a request are compared with: the response, the version of the item, or the existence of all items, which have no
   * version. A POST of the collection adds to it, whatever its state is.
   */
  readonly conditions: 'response' | 'item' | 'items' | 'nothing';
  /** Whether `requireIfMatch` is for it. */
  readonly requiresIfMatch: boolean;
  /** What its body is: the whole of what it replaces, a description of a change, or what the operation says. */
  readonly body: (typeof METHODS)[Method]['body'];
  /** The response header with the media types of its body (RFC 5789 section 3.1, Linked Data Platform 1.0). */
  readonly bodyTypesHeader: (typeof METHODS)[Method]['bodyTypes'];
  /**
   * Whether a browser can send it for a page of any origin without a preflight. Reads can be sent so too, but their results stay hidden.
   */
  readonly isSimple: boolean;
}

/** Makes a kind from its row. */
export function makeKind(
  { name, operationId = name, method, suffix, decoder, result, statuses, shorthand, needsId, logsEveryFailure }: KindRow,
): OperationKind {
  const [isOfItem, isNamed, reads] = [suffix.startsWith('/:id'), suffix.endsWith('<name>'), isSafe(method)];
  const { body, bodyTypes: bodyTypesHeader } = METHODS[method];
  const adds = method === 'POST';
  return {
    name: name as Row['name'], operationId, method, suffix, decoder, result, status: STATUSES[result], statuses,
    shorthand, needsId, logsEveryFailure, isOfItem, isNamed, reads,
    readsItem: reads && isOfItem && !isNamed,
    readsItems: reads && (isNamed || !isOfItem),
    removes: method === 'DELETE',
    repeats: isIdempotent(method),
    conditions: reads ? 'response' : isOfItem ? 'item' : adds ? 'nothing' : 'items',
    requiresIfMatch: !reads && !adds,
    body, bodyTypesHeader,
    isSimple: adds,
  };
}

/** In the order in which an endpoint's routes are listed. */
export const KINDS: readonly OperationKind[] = ROWS.map(makeKind);

/** The properties of an endpoint that declare operations. */
export const KIND_NAMES: readonly Row['name'][] = [...new Set(KINDS.map(({ name }) => name))];

/** The methods that a named operation can have. The default is the first. */
export const NAMED_METHODS: readonly string[] = [...new Set(KINDS.filter(({ isNamed }) => isNamed).map(({ method }) => method))];

/** Lists the kinds that a rule is for, as in a sentence: `custom (POST), get and list`. */
export function formatKinds(isFor: (kind: OperationKind) => boolean): string {
  const names = KIND_NAMES.flatMap((name) => {
    const all = KINDS.filter((kind) => kind.name === name);
    const methods = all.filter(isFor).map(({ method }) => method);
    if (methods.length === 0) return [];
    return methods.length === all.length ? name : `${name} (${methods.join(', ')})`;
  });
  const last = names.sort().pop();
  return `${names.join(', ')} and ${last}`;
}

/** Whether a rule is for the kind with this name and method. */
export function isKind(isFor: (kind: OperationKind) => boolean, name: string, method: string): boolean {
  return KINDS.some((kind) => kind.name === name && kind.method === method && isFor(kind));
}

/** Returns the status of a result that differs from the operation's, 404 or 201; `undefined` for any other result. */
export function findStatus({ statuses }: OperationKind, result: unknown): 201 | 404 | undefined {
  if (statuses === undefined) return undefined;
  for (const [each, status] of statuses) if (each === result) return status;
  return undefined;
}

/** Whether a result can mean that the item does not exist. */
export function canBeMissing({ statuses = [] }: OperationKind): boolean {
  return statuses.some(([, status]) => status === 404);
}

type Row = (typeof ROWS)[number];

/** The row of a kind, as a type. */
export type RowOf<Name> = Extract<Row, { readonly name: Name }>;

/** The status of a plain result. */
export type StatusOfKind<Name> = (typeof STATUSES)[RowOf<Name>['result']];

/** The names of the kinds that have these facts in their rows. */
export type KindsWith<Facts> = Extract<Row, Facts>['name'];

/** The kinds whose result is an item, or nothing if there is none. */
export type FindingKinds = KindsWith<{ readonly statuses: readonly [readonly [undefined, 404], readonly [null, 404]] }>;

/** The kinds that only read. The method of a named operation says whether it does. */
export type ReadingKinds = Exclude<KindsWith<{ readonly method: 'GET' }>, NamedKinds>;

/** The methods of named operations. */
export type NamedMethod = RowOf<NamedKinds>['method'];

/** The kinds that read all items. */
export type ListingKinds = KindsWith<{ readonly method: 'GET'; readonly suffix: '' }>;

/** The kinds that `requireIfMatch` is for. */
export type ConditionalKinds = KindsWith<{ readonly method: 'PUT' | 'PATCH' | 'DELETE' }>;

/** The kinds of one item. */
export type ItemKinds = KindsWith<{ readonly suffix: `/:id${string}` }>;

/** The kinds that are declared for each name. */
export type NamedKinds = KindsWith<{ readonly suffix: `${string}<name>` }>;
