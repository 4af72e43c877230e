/** The rules for a response. */

export interface ExpectedResponse {
  readonly status: number;
  /** `undefined` for a header that must be missing. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The exact body, one character for each byte; `undefined` for a problem. */
  readonly body?: string;
  readonly invocation?: string;
  /** The invocation of the `get` that is asked for the item first. */
  readonly asking?: string;
  /** Whether a failure is logged. */
  readonly logs?: boolean;
  /** Whether a failure to read the body is logged, as every failure of a Custom operation is. */
  readonly logsUnread?: boolean;
  /** Whether no response is ever complete. */
  readonly hangs?: boolean;
  /** Whether the body has no declared length: it is chunked, and to HTTP/1.0 it ends with the connection. */
  readonly isStream?: boolean;
  /** Whether the connection is destroyed before the response is complete. `body` then is the most that may be sent. */
  readonly breaks?: boolean;
  /** The entity tag. */
  readonly tag?: string;
  /** Whether the conditions of a GET are compared before it is known that the response cannot be sent. */
  readonly isReply?: boolean;
  /** How much of the body an operation reads that reads it itself. */
  readonly reads?: 'all' | 'some' | 'nothing';
}
