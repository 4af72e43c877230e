/** The table of operations. Routes, discovery and `serve` are derived from it. */

export interface Kind {
  /** The member of an endpoint that declares the operation. */
  readonly member: 'create' | 'get' | 'update' | 'delete' | 'custom';
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** What the path has after the endpoint's own. With `/<name>`, an endpoint can declare the kind several times. */
  readonly suffix: '' | '/:id' | '/<name>';
  /**
   * What decodes the body: the endpoint's `schema`, or with `/<name>` the operation's optional `input`. With `undefined` the body
   * is ignored. A POST must have a decoder: cross-origin POSTs are refused where the body is read.
   */
  readonly decoder: 'schema' | 'input' | undefined;
  /** How the result is sent: as the id of a new item (201), as JSON (200), or not at all (204). */
  readonly answer: 'id' | 'json' | 'nothing';
  /** Whether the result `undefined` means that the item does not exist. */
  readonly mayFindNothing?: boolean;
  /** Whether every failure of the operation is logged, and not only a 500. */
  readonly logsEveryFailure?: boolean;
}

/** In the order in which an endpoint's routes are listed. */
export const KINDS: readonly Kind[] = [
  { member: 'create', method: 'POST', suffix: '', decoder: 'schema', answer: 'id' },
  { member: 'get', method: 'GET', suffix: '/:id', decoder: undefined, answer: 'json', mayFindNothing: true },
  { member: 'update', method: 'PUT', suffix: '/:id', decoder: 'schema', answer: 'nothing' },
  { member: 'delete', method: 'DELETE', suffix: '/:id', decoder: undefined, answer: 'nothing' },
  { member: 'custom', method: 'POST', suffix: '/<name>', decoder: 'input', answer: 'json', logsEveryFailure: true },
];
