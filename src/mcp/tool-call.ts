/** Calls a tool: its arguments become a request of the operation, and the response becomes a result. */
import { chooseContentType, type FileField } from '../declaration/format.ts';
import type { NestedCall, NestedRequest, NestedResponse, OuterRequest } from '../endpoint/handler.ts';
import { makeProblem } from '../errors/problem.ts';
import { encodeForm } from '../openapi/content.ts';
import { findHeader } from '../http/head.ts';
import { isJsonObject } from '../http/json.ts';
import { RECEIVED_VALUE } from '../util/headers.ts';
import { parseMediaType } from '../http/media-type.ts';
import { fillTemplate } from '../router/pattern.ts';
import { decodeBase64 } from '../util/bytes.ts';
import { isInstance } from '../util/promises.ts';
import { ScopeError } from './json-rpc.ts';
import type { Tool } from './tools.ts';

/** The result of a call, as `tools/call` has it. */
export interface ToolResult {
  readonly content: readonly object[];
  readonly structuredContent?: object;
  readonly isError: boolean;
}

type Arguments = Readonly<Record<string, unknown>>;

/** An argument that is wrong. Its message is for the model, which gets it as the 400 of a request that the operation rejects. */
class ArgumentError extends Error {}

// A model cannot read more, and a client keeps all of it in memory.
const MAX_RESULT = 1024 * 1024;

/** The literal segments of all paths: an id with such a string must not lead to a different operation. */
export type PathLiterals = ReadonlySet<string>;

// With the metadata of the resource, a client can ask for more scopes. Without it, the 403 is a result for the model.
const SCOPES = ['error="insufficient_scope"', 'resource_metadata='];

/** Calls a tool. A model can read why the call failed. Rejects only with `ScopeError`: the client can ask its user for the scope. */
export async function callTool(
  send: NestedCall, tool: Tool, given: Arguments, literals: PathLiterals, outer: OuterRequest,
): Promise<ToolResult> {
  try {
    const response = await send(await makeRequest(tool, given, literals, outer.request, send.headBytes), outer, MAX_RESULT);
    if (response === undefined) return fail(`The response has more than ${MAX_RESULT} bytes. Ask for less.`);
    const challenge = response.status === 403 ? response.getHeader('www-authenticate') ?? '' : '';
    if (SCOPES.every((part) => challenge.includes(part))) throw new ScopeError(challenge);
    return makeToolResult(tool, response);
  } catch (thrown) {
    if (isInstance(thrown, ScopeError)) throw thrown;
    if (isInstance(thrown, ArgumentError)) return makeProblemResult(thrown);
    // The server has logged why the response is not whole.
    return fail('The operation did not send a complete response.');
  }
}

/** Picks headers by their names in lower case. Repeated headers stay: the operation rejects them, as it does over HTTP. */
function pickHeaders(rawHeaders: readonly string[], names: readonly string[]): string[] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 && names.includes(name.toLowerCase()) ? [name, rawHeaders[at + 1] ?? ''] : []));
}

/** Makes the request for the arguments. Throws `ArgumentError`. */
async function makeRequest(
  tool: Tool, given: Arguments, literals: PathLiterals, { rawHeaders }: OuterRequest['request'], maxHead: number,
): Promise<NestedRequest> {
  const { operation: { kind: { method } }, inPath, query, headers, body } = tool;
  const names = [...inPath, query, headers?.argument, body?.argument].filter((name) => name !== undefined);
  if (!Object.keys(given).every((name) => names.includes(name))) {
    throw new ArgumentError(`There is no such argument. Allowed: ${names.join(', ') || 'none'}.`);
  }
  const wrong = inPath.find((name) => !isScalar(given[name]) || given[name] === '');
  if (wrong !== undefined) throw new ArgumentError(`The argument ${wrong} must be a string or a number.`);
  // Checked first, since encoding a long string takes longer than rejecting it.
  checkHeadLength(inPath.map((name) => String(given[name])), maxHead);
  const search = query === undefined || given[query] === undefined ? '' : formatSearch(given[query], query, maxHead);
  const target = formatToolPath(tool, given, literals) + search;
  const forwarded = pickHeaders(rawHeaders, tool.forwarded);
  const [headersGiven, bodyGiven] = [headers, body].map((part) => part && given[part.argument]);
  const named = headers === undefined || headersGiven === undefined ? [] : listArgumentHeaders(headersGiven, headers, forwarded);
  const sent = body === undefined || bodyGiven === undefined ? undefined : await encodeBody(bodyGiven, body);
  const type = sent === undefined ? [] : ['content-type', sent.type];
  const headerLines = ['host', findHeader(rawHeaders, 'host') ?? 'localhost', ...forwarded, ...named, ...type];
  checkHeadLength([target, ...headerLines], maxHead);
  return { method, target, headers: headerLines, body: sent?.bytes };
}

/** The limit applies to the length of all strings together, as in Node's parser. */
function checkHeadLength(strings: readonly string[], maxHead: number): void {
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
  if (files !== undefined) return encodeForm(makeForm(value, argument, files));
  if (!isJson) {
    const bytes = typeof value === 'string' ? decodeBase64(value) : undefined;
    if (bytes === undefined) throw new ArgumentError(`The argument ${argument} must be a string in Base64.`);
    return { type, bytes };
  }
  return { type, bytes: Buffer.from(JSON.stringify(value)) };
}

/** Makes a form. A file is a string in Base64, and has no name of its own. */
function makeForm(value: unknown, argument: string, files: ReadonlyMap<string, FileField>): FormData {
  const fields = 'an object of strings, numbers, booleans, and lists of these. A file is a string in Base64.';
  const wrong = `The argument ${argument} must be ${fields}`;
  if (!isJsonObject(value)) throw new ArgumentError(wrong);
  const form = new FormData();
  for (const [name, given] of Object.entries(value)) {
    const file = files.get(name);
    for (const each of [given].flat().filter((each) => each !== undefined && each !== null)) {
      const bytes = typeof each === 'string' && file !== undefined ? decodeBase64(each) : undefined;
      if (file === undefined && isScalar(each)) form.append(name, String(each));
      else if (file !== undefined && bytes !== undefined) {
        form.append(name, new File([new Uint8Array(bytes)], name, { type: chooseContentType(file) }));
      } else throw new ArgumentError(wrong);
    }
  }
  return form;
}

function formatToolPath({ operation: { pattern }, inPath }: Tool, given: Arguments, literals: PathLiterals): string {
  const values = inPath.map((name) => String(given[name])).values();
  return fillTemplate(pattern.template, (_, isWildcard) => {
    const { value = '' } = values.next();
    // A wildcard has several segments.
    return (isWildcard ? value.split('/') : [value]).map((segment) => escapeLiteral(segment, literals)).join('/');
  });
}

/** Escapes an id that equals a literal segment of a path. Literals match byte for byte, so the escaped id does not. */
function escapeLiteral(value: string, literals: PathLiterals): string {
  const segment = encodeURIComponent(value.toWellFormed());
  return literals.has(segment) ? `%${segment.charCodeAt(0).toString(16).toUpperCase()}${segment.slice(1)}` : segment;
}

/** The query with its `?`. One that is too long is not read to its end. */
function formatSearch(given: unknown, argument: string, maxHead: number): string {
  const wrong = `The argument ${argument} must be an object of strings, numbers, booleans, and lists of these.`;
  if (!isJsonObject(given)) throw new ArgumentError(wrong);
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

/**
 * Names and values alternate. No connection rejects other characters in the values of a call. What the request with the call has itself
 * may have been set by a proxy, and a model must not replace it.
 */
function listArgumentHeaders(given: unknown, { argument, names }: NonNullable<Tool['headers']>, forwarded: readonly string[]): string[] {
  const entries = isJsonObject(given) ? Object.entries(given).filter(([, value]) => value !== undefined && value !== null) : undefined;
  const isRight = entries?.every(([name, value]) => names.includes(name) && isScalar(value) && RECEIVED_VALUE.test(String(value)));
  if (entries === undefined || isRight !== true) {
    throw new ArgumentError(`The argument ${argument} must be an object of strings, with ${names.join(', ')}.`);
  }
  return entries.flatMap(([name, value]) => (findHeader(forwarded, name.toLowerCase()) === undefined ? [name, String(value)] : []));
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function makeToolResult({ wrap, isNumber }: Tool, response: NestedResponse): ToolResult {
  const { status, body } = response;
  const isError = status >= 400;
  const type = parseMediaType(response.getHeader('content-type') ?? '') ?? '';
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

// What a model reads as it is.
const TEXT = /^text\/|[/+](?:json|xml|yaml)$|^application\/(?:(?:x-)?ndjson|jsonl|x-yaml|javascript)$/;

function makeContent({ status, getHeader: field, body }: NestedResponse, type: string): object {
  if (body.length === 0) return makeTextContent([String(status), field('location') ?? ''].join(' ').trim());
  if (/^(?:image|audio)\//.test(type)) return { type: type.slice(0, 5), data: body.toString('base64'), mimeType: type };
  const text = TEXT.test(type) ? body.toString() : undefined;
  // In any other charset than UTF-8, the string would be garbage.
  if (text !== undefined && Buffer.from(text).equals(body)) return makeTextContent(text);
  return { type: 'resource', resource: { uri: 'response:body', mimeType: type, blob: body.toString('base64') } };
}

/** The headers that the next call may need: the version of an item, and the link to the next page. */
function makeNote({ getHeader: field }: NestedResponse): object[] {
  const lines = [['ETag', field('etag')], ['Link', field('link')]].filter(([, value]) => value !== undefined);
  return lines.length === 0 ? [] : [makeTextContent(lines.map((line) => line.join(': ')).join('\n'))];
}

function structure(json: unknown, wrap: string | undefined): object {
  if (wrap !== undefined) return { [wrap]: json };
  return isJsonObject(json) ? json : { [Array.isArray(json) ? 'items' : 'value']: json };
}

function makeTextContent(text: string): object {
  return { type: 'text', text };
}

function makeProblemResult({ message }: ArgumentError): ToolResult {
  const problem = makeProblem(400, message);
  return { content: [makeTextContent(JSON.stringify(problem))], structuredContent: problem, isError: true };
}

function fail(reason: string): ToolResult {
  return { content: [makeTextContent(reason)], isError: true };
}
