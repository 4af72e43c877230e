/** Calls a tool: its arguments become a request of the operation, and the answer becomes a result. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { send, type SentRequest } from '../in-process.ts';
import { isObject } from './messages.ts';
import type { Tool } from './tools.ts';

/** The result of a call, as `tools/call` has it. */
export interface ToolResult {
  readonly content: readonly object[];
  readonly structuredContent?: object;
  readonly isError: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

// A model cannot read more, and a client keeps all of it in memory.
const MAX_RESULT = 1024 * 1024;

/** The literal segments of all paths: an id with such a text must not lead to another operation. */
export type Literals = ReadonlySet<string>;

/** Sends the request of a call. Never rejects: a model can read why it failed. `signal` aborts when the client leaves. */
export async function callTool(listener: RequestListener, tool: Tool, given: Arguments, literals: Literals, caller: IncomingMessage, signal: AbortSignal): Promise<ToolResult> {
  const request = requestOf(tool, given, literals);
  if (typeof request === 'string') return failed(request);
  const { host = 'localhost' } = caller.headers;
  const forwarded = tool.forwarded.flatMap((name) => (typeof caller.headers[name] === 'string' ? [[name, caller.headers[name]]] : []));
  const headers = { ...Object.fromEntries(forwarded) as Record<string, string>, ...request.headers, host };
  try {
    const answer = await send(listener, { ...request, headers, signal });
    const body = await bodyOf(answer);
    if (body === undefined) return failed(`The answer has more than ${MAX_RESULT} bytes. Ask for less.`);
    return resultOf(tool, answer, body);
  } catch {
    // The server logs the cause.
    return failed('The operation gave no whole answer.');
  }
}

/** The request for some arguments. A text says what is wrong with them. */
function requestOf(tool: Tool, given: Arguments, literals: Literals): SentRequest | string {
  const { operation: { kind: { method }, pattern: { text } }, inPath, query, body, bodyType } = tool;
  const unknown = Object.keys(given).find((name) => ![...inPath, query, body].includes(name));
  if (unknown !== undefined) return `There is no such argument: ${[...inPath, query, body].filter((name) => name !== undefined).join(', ') || 'none'} can be given.`;
  const values = inPath.map((name) => given[name]);
  const wrong = values.findIndex((value) => !isScalar(value) || value === '');
  if (wrong !== -1) return `The argument ${inPath[wrong]} must be a text or a number.`;
  let next = 0;
  const path = text.replaceAll(/(?<=\/):[^/]+/g, () => segmentOf(String(values[next++]), literals));
  const search = query === undefined || given[query] === undefined ? '' : searchOf(given[query]);
  if (search === undefined) return `The argument ${query} must be an object of texts, numbers, booleans, and lists of these.`;
  const sent = body === undefined ? undefined : given[body];
  if (sent === undefined) return { method, path: path + search, headers: {} };
  const isText = bodyType === 'application/json';
  if (!isText && typeof sent !== 'string') return `The argument ${body} must be a text in Base64.`;
  const bytes = isText ? Buffer.from(JSON.stringify(sent)) : Buffer.from(String(sent), 'base64');
  return { method, path: path + search, headers: { 'content-type': bodyType }, body: bytes };
}

/** Literal segments match byte for byte, so an escape keeps an id apart from them. */
function segmentOf(value: string, literals: Literals): string {
  const segment = encodeURIComponent(value.toWellFormed());
  return literals.has(segment) ? `%${segment.charCodeAt(0).toString(16).toUpperCase()}${segment.slice(1)}` : segment;
}

function searchOf(query: unknown): string | undefined {
  if (!isObject(query)) return undefined;
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null).map(([name, value]) => [name, [value].flat()] as const);
  if (!pairs.every(([, values]) => values.every(isScalar))) return undefined;
  const search = new URLSearchParams(pairs.flatMap(([name, values]) => values.map((value): [string, string] => [name, String(value)]))).toString();
  return search === '' ? '' : `?${search}`;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** `undefined` if it is too long. */
async function bodyOf(answer: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of answer) {
    chunks.push(chunk as Buffer);
    length += (chunk as Buffer).length;
    // The end of the loop closes the connection.
    if (length > MAX_RESULT) return undefined;
  }
  return Buffer.concat(chunks);
}

function resultOf({ wrap }: Tool, { statusCode = 500, headers }: IncomingMessage, body: Buffer): ToolResult {
  const isError = statusCode >= 400;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (body.length === 0) return { content: [textOf(`${statusCode}${headers.location === undefined ? '' : ` ${headers.location}`}`)], isError };
  if (/^(?:image|audio)\//.test(type)) return { content: [{ type: type.slice(0, 5), data: body.toString('base64'), mimeType: type }], isError };
  const text = body.toString();
  if (!/[/+]json$/.test(type)) {
    if (!type.startsWith('text/')) return { content: [{ type: 'resource', resource: { uri: 'answer:body', mimeType: type, blob: body.toString('base64') } }], isError };
    return { content: [textOf(text)], ...(wrap !== undefined && !isError && { structuredContent: { [wrap]: text } }), isError };
  }
  return { content: [textOf(text)], structuredContent: structured(JSON.parse(text), isError ? undefined : wrap), isError };
}

function structured(json: unknown, wrap: string | undefined): object {
  if (wrap !== undefined) return { [wrap]: json };
  return isObject(json) ? json : { [Array.isArray(json) ? 'items' : 'value']: json };
}

function textOf(text: string): object {
  return { type: 'text', text };
}

function failed(reason: string): ToolResult {
  return { content: [textOf(reason)], isError: true };
}
