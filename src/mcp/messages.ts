/** JSON-RPC 2.0 messages, and the codes of the errors that a server of tools can answer with. */

/** A request of a client. A notification has no id, and gets no answer. */
export interface Message {
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** An answer with its HTTP status. Without a body, there is nothing to answer. */
export interface Reply {
  readonly status: number;
  readonly body?: object;
}

const STATUSES = { parse: 400, invalid: 400, unknownMethod: 404, params: 200, mismatch: 400, version: 400, metadata: 400 } as const;
const CODES = { parse: -32700, invalid: -32600, unknownMethod: -32601, params: -32602, mismatch: -32020, version: -32022, metadata: -32602 } as const;

/** A message that is answered with an error of JSON-RPC. */
export class RpcError extends Error {
  readonly kind: keyof typeof CODES;
  readonly data: object | undefined;

  constructor(kind: keyof typeof CODES, message: string, data?: object) {
    super(message);
    this.kind = kind;
    this.data = data;
  }
}

export function errorReply(id: Message['id'], { kind, message, data }: RpcError): Reply {
  const error = { code: CODES[kind], message, ...(data && { data }) };
  return { status: STATUSES[kind], body: { jsonrpc: '2.0', id: id ?? null, error } };
}

export function resultReply(id: Message['id'], result: object): Reply {
  return { status: 200, body: { jsonrpc: '2.0', id, result } };
}

/** Throws `RpcError` for what is neither a request nor a notification. Batches are none: no supported revision has them. */
export function messageFrom(json: unknown): Message {
  const { jsonrpc, id, method, params = {} } = Object(json) as Readonly<Record<string, unknown>>;
  const isId = id === undefined || typeof id === 'string' || typeof id === 'number';
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isId || !isObject(params)) {
    throw new RpcError('invalid', 'The message must be a JSON-RPC 2.0 request or notification.');
  }
  return { id, method, params };
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
