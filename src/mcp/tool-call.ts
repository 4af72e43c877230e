/** Calls a tool: its arguments become a request of the operation, and the answer becomes a result. */
import type { NestedAnswer, NestedCall, NestedRequest, Outer } from '../endpoint/nested.ts';
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

/** Sends the request of a call. Never rejects: a model can read why it failed. */
export async function callTool(send: NestedCall, tool: Tool, given: Arguments, literals: Literals, outer: Outer): Promise<ToolResult> {
  const request = requestOf(tool, given, literals);
  if (typeof request === 'string') return failed(request);
  const { headers } = outer.request;
  const { host = 'localhost' } = headers;
  const forwarded = tool.forwarded.flatMap((name) => (typeof headers[name] === 'string' ? [name, headers[name]] : []));
  const fields = ['host', host, ...forwarded, ...request.fields];
  try {
    const answer = await send({ ...request, fields }, outer, MAX_RESULT);
    return answer === undefined ? failed(`The answer has more than ${MAX_RESULT} bytes. Ask for less.`) : resultOf(tool, answer);
  } catch {
    // The server logs the cause.
    return failed('The operation gave no whole answer.');
  }
}

/** The request for some arguments. A text says what is wrong with them. */
function requestOf(tool: Tool, given: Arguments, literals: Literals): NestedRequest | string {
  const { operation: { kind: { method } }, inPath, query, headers, body } = tool;
  const names = [...inPath, query, headers?.argument, body?.argument].filter((name) => name !== undefined);
  if (!Object.keys(given).every((name) => names.includes(name))) return `There is no such argument: ${names.join(', ') || 'none'} can be given.`;
  const wrong = inPath.find((name) => !isScalar(given[name]) || given[name] === '');
  if (wrong !== undefined) return `The argument ${wrong} must be a text or a number.`;
  const search = query === undefined || given[query] === undefined ? '' : searchOf(given[query]);
  if (search === undefined) return `The argument ${query} must be an object of texts, numbers, booleans, and lists of these.`;
  const named = headers === undefined || given[headers.argument] === undefined ? [] : fieldsOf(given[headers.argument], headers.names);
  if (named === undefined) return `The argument ${headers?.argument} must be an object of texts, with ${headers?.names.join(', ')}.`;
  const sent = body === undefined ? undefined : given[body.argument];
  if (body?.isJson === false && sent !== undefined && typeof sent !== 'string') return `The argument ${body.argument} must be a text in Base64.`;
  const bytes = sent === undefined ? undefined : body?.isJson === true ? jsonOf(sent) : Buffer.from(String(sent), 'base64');
  if (sent !== undefined && bytes === undefined) return `The argument ${body?.argument} is nested too deeply.`;
  return {
    method, target: pathOf(tool, given, literals) + search,
    fields: body === undefined || sent === undefined ? named : [...named, 'content-type', body.type],
    body: bytes,
  };
}

/** `undefined` if a value has more levels than calls can have. */
function jsonOf(value: unknown): Buffer | undefined {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

function pathOf({ operation: { pattern: { text } }, inPath }: Tool, given: Arguments, literals: Literals): string {
  const values = inPath.map((name) => String(given[name])).values();
  return text.replaceAll(/(?<=\/)[:*][^/]+/g, (parameter) => {
    const value = values.next().value ?? '';
    // A wildcard has several segments.
    return (parameter.startsWith('*') ? value.split('/') : [value]).map((segment) => segmentOf(segment, literals)).join('/');
  });
}

/** Literal segments match byte for byte, so an escape keeps an id apart from them. */
function segmentOf(value: string, literals: Literals): string {
  const segment = encodeURIComponent(value.toWellFormed());
  return literals.has(segment) ? `%${segment.charCodeAt(0).toString(16).toUpperCase()}${segment.slice(1)}` : segment;
}

function searchOf(query: unknown): string | undefined {
  if (!isObject(query)) return undefined;
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const pairs = given.map(([name, value]) => [name, [value].flat()] as const);
  if (!pairs.every(([, values]) => values.every(isScalar))) return undefined;
  const sent = pairs.flatMap(([name, values]) => values.map((value): [string, string] => [name, String(value)]));
  const search = new URLSearchParams(sent).toString();
  return search === '' ? '' : `?${search}`;
}

// RFC 9110 section 5.5. No connection would refuse other characters.
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names and values alternate. `undefined` if one cannot be sent. */
function fieldsOf(given: unknown, names: readonly string[]): string[] | undefined {
  if (!isObject(given)) return undefined;
  const fields = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  const isRight = fields.every(([name, value]) => names.includes(name) && isScalar(value) && FIELD_VALUE.test(String(value)));
  return isRight ? fields.flatMap(([name, value]) => [name, String(value)]) : undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function resultOf({ wrap, isNumber }: Tool, answer: NestedAnswer): ToolResult {
  const { status, body } = answer;
  const isError = status >= 400;
  const [type = ''] = (answer.field('content-type') ?? '').split(';');
  const content = [contentOf(answer, type), ...noteOf(answer)];
  if (body.length === 0) return { content, isError };
  if (/[/+]json$/.test(type)) return { content, structuredContent: structured(JSON.parse(body.toString()), isError ? undefined : wrap), isError };
  if (!type.startsWith('text/') || wrap === undefined || isError) return { content, isError };
  return { content, structuredContent: { [wrap]: isNumber ? numberIn(body.toString()) : body.toString() }, isError };
}

/** An id as the tools that take it want it. One that a number cannot hold stays a text: rounded, it would be that of another item. */
function numberIn(text: string): number | string {
  const number = Number(text);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : text;
}

function contentOf({ status, field, body }: NestedAnswer, type: string): object {
  if (body.length === 0) return textOf([String(status), field('location') ?? ''].join(' ').trim());
  if (/^(?:image|audio)\//.test(type)) return { type: type.slice(0, 5), data: body.toString('base64'), mimeType: type };
  if (type.startsWith('text/') || /[/+]json$/.test(type)) return textOf(body.toString());
  return { type: 'resource', resource: { uri: 'answer:body', mimeType: type, blob: body.toString('base64') } };
}

/** What the next call may need: the version of an item, and where the next page is. */
function noteOf({ field }: NestedAnswer): object[] {
  const lines = [['ETag', field('etag')], ['Link', field('link')]].filter(([, value]) => value !== undefined);
  return lines.length === 0 ? [] : [textOf(lines.map((line) => line.join(': ')).join('\n'))];
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
