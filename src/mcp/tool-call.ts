/** Calls a tool: its arguments become a request of the operation, and the response becomes a result. */
import type { IncomingMessage } from 'node:http';
import type { FileField } from '../endpoint/format.ts';
import type { NestedResponse, NestedCall, NestedRequest, OuterRequest } from '../endpoint/nested.ts';
import { encodeForm } from '../http/form-data.ts';
import { fillTemplate } from '../router/pattern.ts';
import { isObject, ScopeError } from './messages.ts';
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

/** The literal segments of all paths: an id with such a string must not lead to a different operation. */
export type Literals = ReadonlySet<string>;

// With the metadata of the resource, a client can ask for more scopes. Without it, the 403 is a result for the model.
const SCOPES = /error="insufficient_scope".*resource_metadata=/;

/** Calls a tool. A model can read why the call failed. Rejects only with `ScopeError`: the client can ask its user for the scope. */
export async function callTool(send: NestedCall, tool: Tool, given: Arguments, literals: Literals, outer: OuterRequest): Promise<ToolResult> {
  try {
    const response = await send(await makeRequest(tool, given, literals, outer.request, send.headBytes), outer, MAX_RESULT);
    if (response === undefined) return fail(`The response has more than ${MAX_RESULT} bytes. Ask for less.`);
    const challenge = response.status === 403 ? response.getHeader('www-authenticate') ?? '' : '';
    if (SCOPES.test(challenge)) throw new ScopeError(challenge);
    return makeResult(tool, response);
  } catch (thrown) {
    if (thrown instanceof ScopeError) throw thrown;
    // The server has logged why the response is not whole.
    return fail(thrown instanceof ArgumentError ? thrown.message : 'The operation did not send a complete response.');
  }
}

/** Picks headers by their names in lower case. Repeated headers stay: the operation rejects them, as it does over HTTP. */
function pickHeaders(rawHeaders: readonly string[], names: readonly string[]): string[] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 && names.includes(name.toLowerCase()) ? [name, rawHeaders[at + 1] ?? ''] : []));
}

/** Makes the request for the arguments. Throws `ArgumentError`. */
async function makeRequest(
  tool: Tool, given: Arguments, literals: Literals, { headers: { host = 'localhost' }, rawHeaders }: IncomingMessage, maxHead: number,
): Promise<NestedRequest> {
  const { operation: { kind: { method } }, inPath, query, headers, body } = tool;
  const names = [...inPath, query, headers?.argument, body?.argument].filter((name) => name !== undefined);
  if (!Object.keys(given).every((name) => names.includes(name))) {
    throw new ArgumentError(`There is no such argument. Allowed: ${names.join(', ') || 'none'}.`);
  }
  const wrong = inPath.find((name) => !isScalar(given[name]) || given[name] === '');
  if (wrong !== undefined) throw new ArgumentError(`The argument ${wrong} must be a string or a number.`);
  // Checked first, since encoding a long string takes longer than rejecting it.
  checkLength(inPath.map((name) => String(given[name])), maxHead);
  const search = query === undefined || given[query] === undefined ? '' : formatSearch(given[query], query, maxHead);
  const target = formatPath(tool, given, literals) + search;
  const named = headers === undefined || given[headers.argument] === undefined ? [] : listHeaders(given[headers.argument], headers);
  const sent = body === undefined || given[body.argument] === undefined ? undefined : await encodeBody(given[body.argument], body);
  const type = sent === undefined ? [] : ['content-type', sent.type];
  const headerLines = ['host', host, ...pickHeaders(rawHeaders, tool.forwarded), ...named, ...type];
  checkLength([target, ...headerLines], maxHead);
  return { method, target, headers: headerLines, body: sent?.bytes };
}

/** The limit applies to the length of all strings together, as in Node's parser. */
function checkLength(strings: readonly string[], maxHead: number): void {
  if (strings.reduce((length, string) => length + string.length, 0) >= maxHead) throw tooLong(maxHead);
}

function tooLong(maxHead: number): ArgumentError {
  const limit = `with the credentials, they must be shorter than ${maxHead} bytes.`;
  return new ArgumentError(`The arguments for the path, the query and the headers are too long: ${limit}`);
}

interface EncodedBody {
  readonly type: string;
  readonly bytes: Buffer;
}

function encodeBody(value: unknown, { argument, type, isJson, files }: NonNullable<Tool['body']>): EncodedBody | Promise<EncodedBody> {
  if (files !== undefined) return encodeForm(makeFields(value, argument, files));
  if (!isJson && typeof value !== 'string') throw new ArgumentError(`The argument ${argument} must be a string in Base64.`);
  if (!isJson) return { type, bytes: Buffer.from(value as string, 'base64') };
  try {
    return { type, bytes: Buffer.from(JSON.stringify(value)) };
  } catch {
    // `JSON.stringify` has overflowed the stack.
    throw new ArgumentError(`The argument ${argument} is nested too deeply.`);
  }
}

/** Makes the fields of a form. A file is a string in Base64, and has no name of its own. */
function makeFields(value: unknown, argument: string, files: ReadonlyMap<string, FileField>): object {
  const fields = 'an object of strings, numbers, booleans, and lists of these. A file is a string in Base64.';
  const wrong = `The argument ${argument} must be ${fields}`;
  if (!isObject(value)) throw new ArgumentError(wrong);
  return Object.fromEntries(Object.entries(value).map(([name, given]) => {
    const file = files.get(name);
    const values = [given].flat().filter((each) => each !== undefined && each !== null);
    if (!values.every((each) => (file === undefined ? isScalar(each) : typeof each === 'string'))) throw new ArgumentError(wrong);
    const type = file?.types?.find((each) => !each.endsWith('/*')) ?? 'application/octet-stream';
    return [name, file === undefined ? values : values.map((each) => new File([Buffer.from(String(each), 'base64')], name, { type }))];
  }));
}

function formatPath({ operation: { pattern }, inPath }: Tool, given: Arguments, literals: Literals): string {
  const values = inPath.map((name) => String(given[name])).values();
  return fillTemplate(pattern.template, (_, isWildcard) => {
    const { value = '' } = values.next();
    // A wildcard has several segments.
    return (isWildcard ? value.split('/') : [value]).map((segment) => escapeSegment(segment, literals)).join('/');
  });
}

/** Escapes an id that equals a literal segment of a path. Literals match byte for byte, so the escaped id does not. */
function escapeSegment(value: string, literals: Literals): string {
  const segment = encodeURIComponent(value.toWellFormed());
  return literals.has(segment) ? `%${segment.charCodeAt(0).toString(16).toUpperCase()}${segment.slice(1)}` : segment;
}

/** The query with its `?`. One that is too long is not read to its end. */
function formatSearch(given: unknown, argument: string, maxHead: number): string {
  const wrong = `The argument ${argument} must be an object of strings, numbers, booleans, and lists of these.`;
  if (!isObject(given)) throw new ArgumentError(wrong);
  const search = new URLSearchParams();
  let length = 0;
  for (const [name, value] of Object.entries(given)) {
    for (const each of value === undefined || value === null ? [] : [value].flat()) {
      if (!isScalar(each)) throw new ArgumentError(wrong);
      length += name.length + String(each).length + 2;
      if (length > maxHead) throw tooLong(maxHead);
      search.append(name, String(each));
    }
  }
  return length === 0 ? '' : `?${search.toString()}`;
}

// RFC 9110 section 5.5. Checked here, since no connection rejects other characters of a call.
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Names and values alternate. */
function listHeaders(given: unknown, { argument, names }: NonNullable<Tool['headers']>): string[] {
  const entries = isObject(given) ? Object.entries(given).filter(([, value]) => value !== undefined && value !== null) : undefined;
  const isRight = entries?.every(([name, value]) => names.includes(name) && isScalar(value) && HEADER_VALUE.test(String(value)));
  if (entries === undefined || isRight !== true) {
    throw new ArgumentError(`The argument ${argument} must be an object of strings, with ${names.join(', ')}.`);
  }
  return entries.flatMap(([name, value]) => [name, String(value)]);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function makeResult({ wrap, isNumber }: Tool, response: NestedResponse): ToolResult {
  const { status, body } = response;
  const isError = status >= 400;
  const [type = ''] = (response.getHeader('content-type') ?? '').split(';');
  const content = [makeContent(response, type), ...makeNote(response)];
  if (body.length === 0) return { content, isError };
  if (/[/+]json$/.test(type)) {
    return { content, structuredContent: structure(JSON.parse(body.toString()), isError ? undefined : wrap), isError };
  }
  if (!type.startsWith('text/') || wrap === undefined || isError) return { content, isError };
  return { content, structuredContent: { [wrap]: isNumber ? parseNumber(body.toString()) : body.toString() }, isError };
}

/** Parses an id. An id that a number cannot hold exactly stays a string: rounded, it would be the id of a different item. */
function parseNumber(digits: string): number | string {
  const number = Number(digits);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : digits;
}

function makeContent({ status, getHeader: field, body }: NestedResponse, type: string): object {
  if (body.length === 0) return makeText([String(status), field('location') ?? ''].join(' ').trim());
  if (/^(?:image|audio)\//.test(type)) return { type: type.slice(0, 5), data: body.toString('base64'), mimeType: type };
  if (type.startsWith('text/') || /[/+]json$/.test(type)) return makeText(body.toString());
  return { type: 'resource', resource: { uri: 'response:body', mimeType: type, blob: body.toString('base64') } };
}

/** The headers that the next call may need: the version of an item, and the link to the next page. */
function makeNote({ getHeader: field }: NestedResponse): object[] {
  const lines = [['ETag', field('etag')], ['Link', field('link')]].filter(([, value]) => value !== undefined);
  return lines.length === 0 ? [] : [makeText(lines.map((line) => line.join(': ')).join('\n'))];
}

function structure(json: unknown, wrap: string | undefined): object {
  if (wrap !== undefined) return { [wrap]: json };
  return isObject(json) ? json : { [Array.isArray(json) ? 'items' : 'value']: json };
}

function makeText(text: string): object {
  return { type: 'text', text };
}

function fail(reason: string): ToolResult {
  return { content: [makeText(reason)], isError: true };
}
