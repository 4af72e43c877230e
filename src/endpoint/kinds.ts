/**
 * The table of operations. Every fact about a kind of operation stands here once: routes, discovery, 405, `serve`, documents, tools,
 * checks, and what the compiler accepts follow from its row.
 */

/** A kind of operation. */
export interface OperationKind {
  /** The property of an endpoint that declares it. */
  readonly name: 'create' | 'list' | 'search' | 'get' | 'update' | 'patch' | 'delete' | 'custom' | 'itemCustom';
  readonly method: 'GET' | 'QUERY' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path after the path of the endpoint. Without ids, `/:id` is left out. With `<name>`, the kind is declared for each name. */
  readonly suffix: '' | '/:id' | '/<name>' | '/:id/<name>';
  /**
   * The decoder of the body: `input` or else the endpoint's schema, or only `input`. With `undefined` the body is ignored. A POST must have
   * a decoder: cross-origin POSTs are rejected where the body is read.
   */
  readonly decoder: 'schema' | 'input' | undefined;
  /** How the result is sent: as the id of a new item (201), as JSON (200), or not at all (204). */
  readonly result: 'id' | 'json' | 'nothing';
  readonly status: 200 | 201 | 204;
  /** The results that have a different status: 404 if the item does not exist; 201, without a body, if it is new. */
  readonly statuses?: readonly (readonly [result: unknown, status: 201 | 404])[];
  /** `false` if a function cannot declare it, only an object with `input` and `run`. */
  readonly shorthand?: false;
  /** Whether a singleton cannot have it. */
  readonly needsId?: true;
  /** Whether every failure of the operation is logged, and not only a 500. */
  readonly logsEveryFailure?: true;
}

const ROWS = [
  { name: 'create', method: 'POST', suffix: '', decoder: 'schema', result: 'id', status: 201 },
  { name: 'list', method: 'GET', suffix: '', decoder: undefined, result: 'json', status: 200, needsId: true },
  // Every Node that this package supports knows QUERY (RFC 10008): it is in `http.METHODS` of Node 20.19 and later. Where a parser does
  // not, the response is 501, as for any other unknown method.
  { name: 'search', method: 'QUERY', suffix: '', decoder: 'input', result: 'json', status: 200, shorthand: false },
  {
    name: 'get', method: 'GET', suffix: '/:id', decoder: undefined, result: 'json', status: 200,
    statuses: [[undefined, 404], [null, 404]],
  },
  { name: 'update', method: 'PUT', suffix: '/:id', decoder: 'schema', result: 'nothing', status: 204, statuses: [[false, 404]] },
  {
    name: 'patch', method: 'PATCH', suffix: '/:id', decoder: 'input', result: 'nothing', status: 204, statuses: [[false, 404]],
    shorthand: false,
  },
  { name: 'delete', method: 'DELETE', suffix: '/:id', decoder: undefined, result: 'nothing', status: 204, statuses: [[false, 404]] },
  { name: 'custom', method: 'POST', suffix: '/<name>', decoder: 'input', result: 'json', status: 200, logsEveryFailure: true },
  {
    name: 'itemCustom', method: 'POST', suffix: '/:id/<name>', decoder: 'input', result: 'json', status: 200, needsId: true,
    logsEveryFailure: true,
  },
] as const;

/** In the order in which an endpoint's routes are listed. */
export const KINDS: readonly OperationKind[] = ROWS;

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

/** The kinds whose result is an item, or nothing if there is none. */
export type FindingKinds = KindsWith<{ readonly statuses: readonly [readonly [undefined, 404], readonly [null, 404]] }>;

/** The names of the kinds that have these facts in their rows. */
export type KindsWith<Facts> = Extract<Row, Facts>['name'];

/** The kinds that are declared for each name. */
export type NamedKinds = KindsWith<{ readonly suffix: `${string}<name>` }>;
