/**
 * JSON-RPC 2.0 messages, the errors that a server of tools responds with, and the revisions of the protocol. Since 2026-07-28, each
 * request names its revision, and its headers repeat parts of its body.
 */
import { isJsonObject } from '../http/json.ts';
import { decodeBase64 } from '../util/bytes.ts';

/** A request of a client. A notification has no id, and gets no response. */
export interface Message {
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A response with its HTTP status. A notification gets no body. */
export interface RpcResponse {
  readonly status: number;
  /** Names and values alternate. */
  readonly headers?: readonly string[];
  readonly body?: object;
}

const ERRORS = {
  parse: { status: 400, code: -32700 },
  invalid: { status: 400, code: -32600 },
  unknownMethod: { status: 404, code: -32601 },
  params: { status: 200, code: -32602 },
  mismatch: { status: 400, code: -32020 },
  version: { status: 400, code: -32022 },
  metadata: { status: 400, code: -32602 },
} as const;

/** An error of JSON-RPC as the response to a message. */
export class RpcError extends Error {
  readonly kind: keyof typeof ERRORS;
  readonly data: object | undefined;

  constructor(kind: keyof typeof ERRORS, message: string, data?: object) {
    super(message);
    this.kind = kind;
    this.data = data;
  }
}

/** A caller who lacks a scope of a tool. The challenge names the scope, so that the client can ask its user for it. */
export class ScopeError extends Error {
  readonly challenge: string;

  constructor(challenge: string) {
    super('The caller lacks a scope.');
    this.challenge = challenge;
  }
}

const METADATA = /resource_metadata="[^"]*"/;

/** `metadata`: the URL of the metadata of the resource that the client has called. */
export function makeScopeResponse(id: Message['id'], { message, challenge }: ScopeError, metadata: string | undefined): RpcResponse {
  const own = metadata === undefined ? challenge : challenge.replace(METADATA, () => `resource_metadata="${metadata}"`);
  const body = { jsonrpc: '2.0', id: id ?? null, error: { code: ERRORS.invalid.code, message } };
  return { status: 403, headers: ['WWW-Authenticate', own], body };
}

export function makeErrorResponse(id: Message['id'], { kind, message, data }: RpcError): RpcResponse {
  const { status, code } = ERRORS[kind];
  return { status, body: { jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data && { data }) } } };
}

export function makeResultResponse(id: Message['id'], result: object): RpcResponse {
  return { status: 200, body: { jsonrpc: '2.0', id, result } };
}

/** Throws `RpcError` for anything but a request or a notification. No supported revision has batches. */
export function parseMessage(json: unknown): Message {
  const { jsonrpc, id, method, params = {} } = Object(json) as Readonly<Record<string, unknown>>;
  const isId = id === undefined || typeof id === 'string' || typeof id === 'number';
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isId || !isJsonObject(params)) {
    throw new RpcError('invalid', 'The message must be a JSON-RPC 2.0 request or notification.');
  }
  return { id, method, params };
}

const MODERN = '2026-07-28';
/** Revisions in which a client begins with `initialize`, newest first. */
export const LEGACY: readonly string[] = ['2025-11-25', '2025-06-18'];
export const REVISIONS: readonly string[] = [MODERN, ...LEGACY];

export const META = 'io.modelcontextprotocol/';

// The body can name a revision as long as itself.
const MAX_REQUESTED = 100;

const BASE64 = /^=\?base64\?(.*)\?=$/;

type Headers = Readonly<Record<string, string>>;

/** Whether a message is of revision 2026-07-28. Throws `RpcError` if its revision is not supported, or its headers do not agree with it. */
export function isModern({ id, method, params }: Message, headers: Headers): boolean {
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  const named = headers['mcp-protocol-version'];
  const stated = meta[`${META}protocolVersion`];
  if (stated !== undefined && typeof stated !== 'string') throw new RpcError('metadata', 'The protocol version must be a string.');
  if (stated !== undefined && named !== undefined && stated !== named) throw makeMismatch('mcp-protocol-version');
  const revision = stated ?? (method === 'initialize' ? undefined : named);
  if (revision !== undefined && !REVISIONS.includes(String(revision))) {
    const requested = String(revision).slice(0, MAX_REQUESTED);
    throw new RpcError('version', 'The protocol version is not supported.', { supported: REVISIONS, requested });
  }
  if (revision !== MODERN) return false;
  // The revision defines no headers of notifications.
  if (id !== undefined) checkModern(method, params, meta, headers);
  return true;
}

function checkModern(method: string, { name }: Message['params'], meta: Message['params'], headers: Headers): void {
  const expected: readonly (readonly [name: string, value: unknown])[] = [
    ['mcp-protocol-version', meta[`${META}protocolVersion`] ?? MODERN],
    ['mcp-method', method],
    // A name that is not a string is rejected later.
    ...(method === 'tools/call' && typeof name === 'string' ? [['mcp-name', name] as const] : []),
  ];
  const wrong = expected.find(([header, value]) => decodeMessageHeader(headers[header]) !== value);
  if (wrong !== undefined) throw makeMismatch(wrong[0]);
  for (const key of ['protocolVersion', 'clientCapabilities']) {
    if (meta[META + key] === undefined) throw new RpcError('metadata', `The params must have _meta with ${META}${key}.`);
  }
}

function makeMismatch(header: string): RpcError {
  return new RpcError('mismatch', `Header mismatch: ${header} is missing, or does not match the body.`);
}

function decodeMessageHeader(value: string | string[] | undefined): string | undefined {
  const [, base64] = BASE64.exec(String(value)) ?? [];
  return base64 === undefined ? value?.toString() : decodeBase64(base64)?.toString();
}
