/** Calls a tool: its arguments become a request of the operation, and the answer becomes a result. */
import type { IncomingMessage } from 'node:http';
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

/** An argument that is wrong. Its message is for the model. */
class ArgumentError extends Error {}

// A model cannot read more, and a client keeps all of it in memory.
const MAX_RESULT = 1024 * 1024;

/** The literal segments of all paths: an id with such a text must not lead to another operation. */
export type Literals = ReadonlySet<string>;

/** Sends the request of a call. Never rejects: a model can read why it failed. */
export async function callTool(send: NestedCall, tool: Tool, given: Arguments, literals: Literals, outer: Outer): Promise<ToolResult> {
  try {
    const answer = await send(requestOf(tool, given, literals, outer.request, send.headBytes), outer, MAX_RESULT);
    return answer === undefined ? failed(`The answer has more than ${MAX_RESULT} bytes. Ask for less.`) : resultOf(tool, answer);
  } catch (thrown) {
    // The server logs the cause of an answer that breaks off.
    return failed(thrown instanceof ArgumentError ? thrown.message : 'The operation gave no whole answer.');
  }
}

/** The header lines with these names, in lower case. Two lines of one name stay two: the operation rejects them as it does over HTTP. */
function linesOf(rawHeaders: readonly string[], names: readonly string[]): string[] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 && names.includes(name.toLowerCase()) ? [name, rawHeaders[at + 1] ?? ''] : []));
}

/** The request for some arguments. Throws `ArgumentError`. */
function requestOf(tool: Tool, given: Arguments, literals: Literals, { headers: { host = 'localhost' }, rawHeaders }: IncomingMessage, maxHead: number): NestedRequest {
  const { operation: { kind: { method } }, inPath, query, headers, body } = tool;
  const names = [...inPath, query, headers?.argument, body?.argument].filter((name) => name !== undefined);
  if (!Object.keys(given).every((name) => names.includes(name))) throw new ArgumentError(`There is no such argument: ${names.join(', ') || 'none'} can be given.`);
  const wrong = inPath.find((name) => !isScalar(given[name]) || given[name] === '');
  if (wrong !== undefined) throw new ArgumentError(`The argument ${wrong} must be a text or a number.`);
  // To encode a long string takes longer than to reject it.
  checkLength(inPath.map((name) => String(given[name])), maxHead);
  const target = pathOf(tool, given, literals) + (query === undefined || given[query] === undefined ? '' : searchOf(given[query], query, maxHead));
  const named = headers === undefined || given[headers.argument] === undefined ? [] : fieldsOf(given[headers.argument], headers);
  const sent = body === undefined || given[body.argument] === undefined ? undefined : { type: body.type, bytes: bytesOf(given[body.argument], body) };
  const fields = ['host', host, ...linesOf(rawHeaders, tool.forwarded), ...named, ...(sent === undefined ? [] : ['content-type', sent.type])];
  checkLength([target, ...fields], maxHead);
  return { method, target, fields, body: sent?.bytes };
}

/** The limit of a head holds for its strings together, as it does in Node's parser. */
function checkLength(strings: readonly string[], maxHead: number): void {
  if (strings.reduce((length, string) => length + string.length, 0) >= maxHead) throw tooLong(maxHead);
}

function tooLong(maxHead: number): ArgumentError {
  return new ArgumentError(`The arguments for the path, the query and the headers are too long: with the credentials, they must be shorter than ${maxHead} bytes.`);
}

function bytesOf(value: unknown, { argument, isJson }: NonNullable<Tool['body']>): Buffer {
  if (!isJson && typeof value !== 'string') throw new ArgumentError(`The argument ${argument} must be a text in Base64.`);
  if (!isJson) return Buffer.from(value as string, 'base64');
  try {
    return Buffer.from(JSON.stringify(value));
  } catch {
    // It has more levels than calls can have.
    throw new ArgumentError(`The argument ${argument} is nested too deeply.`);
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

/** The query with its `?`. One that is too long is not read to its end. */
function searchOf(given: unknown, argument: string, maxHead: number): string {
  const wrong = (): ArgumentError => new ArgumentError(`The argument ${argument} must be an object of texts, numbers, booleans, and lists of these.`);
  if (!isObject(given)) throw wrong();
  const search = new URLSearchParams();
  let length = 0;
  for (const [name, value] of Object.entries(given)) {
    for (const each of value === undefined || value === null ? [] : [value].flat()) {
      if (!isScalar(each)) throw wrong();
      length += name.length + String(each).length + 2;
      if (length > maxHead) throw tooLong(maxHead);
      search.append(name, String(each));
    }
  }
  return length === 0 ? '' : `?${search.toString()}`;
}

// RFC 9110 section 5.5. No connection would refuse other characters.
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names and values alternate. */
function fieldsOf(given: unknown, { argument, names }: NonNullable<Tool['headers']>): string[] {
  const fields = isObject(given) ? Object.entries(given).filter(([, value]) => value !== undefined && value !== null) : undefined;
  const isRight = fields?.every(([name, value]) => names.includes(name) && isScalar(value) && FIELD_VALUE.test(String(value)));
  if (fields === undefined || isRight !== true) throw new ArgumentError(`The argument ${argument} must be an object of texts, with ${names.join(', ')}.`);
  return fields.flatMap(([name, value]) => [name, String(value)]);
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
