/** The revisions of the protocol. Since 2026-07-28, each request names its own, and its header fields repeat what its body says. */
import type { IncomingHttpHeaders } from 'node:http';
import { isObject, type Message, RpcError } from './messages.ts';

export const MODERN = '2026-07-28';
/** Those whose clients begin with `initialize`; the newest first. */
export const LEGACY: readonly string[] = ['2025-11-25', '2025-06-18'];
export const REVISIONS: readonly string[] = [MODERN, ...LEGACY];

export const META = 'io.modelcontextprotocol/';

const BASE64 = /^=\?base64\?(.*)\?=$/;

/** Whether a message is of revision 2026-07-28. Throws `RpcError` if its revision is not supported, or its header fields do not agree with it. */
export function isModern({ id, method, params }: Message, headers: IncomingHttpHeaders): boolean {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const named = headers['mcp-protocol-version'];
  const stated = meta[`${META}protocolVersion`];
  if (stated !== undefined && typeof stated !== 'string') throw new RpcError('metadata', 'The protocol version must be a string.');
  if (stated !== undefined && named !== undefined && stated !== named) throw mismatchOf('mcp-protocol-version');
  const revision = stated ?? (method === 'initialize' ? undefined : named);
  if (revision !== undefined && !REVISIONS.includes(String(revision))) {
    throw new RpcError('version', 'The protocol version is not supported.', { supported: REVISIONS, requested: revision });
  }
  if (revision !== MODERN) return false;
  // The revision defines no header fields of notifications.
  if (id !== undefined) checkModern(method, params, meta, headers);
  return true;
}

function checkModern(method: string, { name }: Message['params'], meta: Message['params'], headers: IncomingHttpHeaders): void {
  const expected: readonly (readonly [field: string, value: unknown])[] = [
    ['mcp-protocol-version', meta[`${META}protocolVersion`] ?? MODERN],
    ['mcp-method', method],
    // A name that is not a string is rejected later.
    ...(method === 'tools/call' && typeof name === 'string' ? [['mcp-name', name] as const] : []),
  ];
  const wrong = expected.find(([field, value]) => decoded(headers[field]) !== value);
  if (wrong !== undefined) throw mismatchOf(wrong[0]);
  for (const key of ['protocolVersion', 'clientCapabilities']) {
    if (meta[META + key] === undefined) throw new RpcError('metadata', `The params must have _meta with ${META}${key}.`);
  }
}

function mismatchOf(field: string): RpcError {
  return new RpcError('mismatch', `Header mismatch: ${field} is missing, or is not what the body says.`);
}

function decoded(value: string | string[] | undefined): string | undefined {
  const [, base64] = BASE64.exec(String(value)) ?? [];
  return base64 === undefined ? value?.toString() : Buffer.from(base64, 'base64').toString();
}
