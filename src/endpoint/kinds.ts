/** The table of operations. Routes, discovery, `serve` and the types of a declaration are derived from it. */

export interface Kind {
  /** The member of an endpoint that declares it. */
  readonly member: 'create' | 'list' | 'search' | 'get' | 'update' | 'patch' | 'delete' | 'custom' | 'itemCustom';
  readonly method: 'GET' | 'QUERY' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path behind that of the endpoint. Without an id, `/:id` is left out. With `<name>`, it is declared for each name. */
  readonly suffix: '' | '/:id' | '/<name>' | '/:id/<name>';
  /**
   * The decoder of the body: `input` or else the endpoint's schema, or `input` alone. With `undefined` the body is ignored. A POST must
   * have a decoder: cross-origin POSTs are refused where the body is read.
   */
  readonly decoder: 'schema' | 'input' | undefined;
  /** How the result is sent: as the id of a new item (201), as JSON (200), or not at all (204). */
  readonly answer: 'id' | 'json' | 'nothing';
  readonly status: 200 | 201 | 204;
  /** Whether it has only the long form. */
  readonly isLong?: boolean;
  /** Whether a singleton cannot have it. */
  readonly needsId?: boolean;
  /** The results that mean that the item does not exist. */
  readonly missing?: readonly unknown[];
  /** Whether every failure of the operation is logged, and not only a 500. */
  readonly logsEveryFailure?: boolean;
}

const ROWS = [
  { member: 'create', method: 'POST', suffix: '', decoder: 'schema', answer: 'id', status: 201 },
  { member: 'list', method: 'GET', suffix: '', decoder: undefined, answer: 'json', status: 200, needsId: true },
  // Every Node that this package supports knows QUERY (RFC 10008): it is in `http.METHODS` of Node 20.19 and later. Where a parser does not, the
  // answer is 501, as for any other unknown method.
  { member: 'search', method: 'QUERY', suffix: '', decoder: 'input', answer: 'json', status: 200, isLong: true },
  { member: 'get', method: 'GET', suffix: '/:id', decoder: undefined, answer: 'json', status: 200, missing: [undefined, null] },
  { member: 'update', method: 'PUT', suffix: '/:id', decoder: 'schema', answer: 'nothing', status: 204, missing: [false] },
  { member: 'patch', method: 'PATCH', suffix: '/:id', decoder: 'input', answer: 'nothing', status: 204, isLong: true, missing: [false] },
  { member: 'delete', method: 'DELETE', suffix: '/:id', decoder: undefined, answer: 'nothing', status: 204, missing: [false] },
  {
    member: 'custom', method: 'POST', suffix: '/<name>', decoder: 'input', answer: 'json', status: 200,
    logsEveryFailure: true,
  },
  {
    member: 'itemCustom', method: 'POST', suffix: '/:id/<name>', decoder: 'input', answer: 'json', status: 200,
    needsId: true, logsEveryFailure: true,
  },
] as const;

/** In the order in which an endpoint's routes are listed. */
export const KINDS: readonly Kind[] = ROWS;

type Row = (typeof ROWS)[number];

/** The row of a member, as a type. */
export type RowOf<Member> = Extract<Row, { readonly member: Member }>;

/** The members whose rows have these facts. */
export type MembersWith<Facts> = Extract<Row, Facts>['member'];
