/** The table of operations. Routes, discovery and `serve` are derived from it, so no fact about a kind stands anywhere else. */

export interface Kind {
  /** The member of an endpoint that declares it. */
  readonly member: 'create' | 'get' | 'update' | 'delete' | 'custom';
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** What its path adds to the endpoint's own. A kind with a name is declared once for each name. */
  readonly suffix: '' | '/:id' | '/<name>';
  /** What decodes its body: the endpoint's schema, or its own optional `input`. Without either, it takes no body. */
  readonly decoder: 'schema' | 'input' | undefined;
  /** How the result is sent: as the id of a new item (201), as JSON (200), or not at all (204). */
  readonly answer: 'id' | 'json' | 'nothing';
  /** Whether the result `undefined` means that the item does not exist. */
  readonly mayFindNothing?: boolean;
  /** Whether every failure is logged, or only the server's own. */
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
