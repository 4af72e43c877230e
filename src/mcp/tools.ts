/**
 * The tools of a server: its operations with `tool`, as the document describes them.
 *
 *   get at /pet with tool: true   ->   petGet, { id } in, a pet out, read-only
 */
import type { OperationKind } from '../endpoint/kinds.ts';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { isJsonType } from '../http/media-type.ts';
import { JSON_TYPE, type Content } from '../openapi/content.ts';
import { componentName } from '../openapi/names.ts';
import { openApi } from '../openapi/open-api.ts';
import { codecSchemaOf, operationIdOf, operationsOf, outputsOf } from '../openapi/operations.ts';
import type { Parameter } from '../openapi/parameters.ts';
import type { OperationObject } from '../openapi/paths.ts';
import { credentialFieldsOf } from '../openapi/security.ts';
import type { JsonSchema } from '../openapi/schemas/json-schema.ts';
import type { McpOptions } from './options.ts';
import { ToolSchemas } from './tool-schemas.ts';

/** A tool, and how its arguments become a request. */
export interface Tool {
  readonly name: string;
  /** As `tools/list` has it. */
  readonly listed: object;
  readonly operation: Operation;
  /** The arguments for the parameters of the path, in their order. */
  readonly inPath: readonly string[];
  /** The name of the argument with the query. `undefined` if there is none. */
  readonly query: string | undefined;
  /** The argument with header fields, and the names of these. */
  readonly headers: { readonly argument: string; readonly names: readonly string[] } | undefined;
  /** The argument with the body, and the media type of that. What is no JSON is a text in Base64. */
  readonly body: { readonly argument: string; readonly type: string; readonly isJson: boolean } | undefined;
  /** The member that results are wrapped in, by the output schema. `undefined` if they are objects, or have no schema. */
  readonly wrap: string | undefined;
  /** Whether the result is the id of a new item that is a number as an argument. The answer has it as a text. */
  readonly isNumber: boolean;
  /** The header fields of the caller that are passed on. */
  readonly forwarded: readonly string[];
}

type Hints = Readonly<Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint', boolean>>;

const PROBLEM: JsonSchema = {
  type: 'object', required: ['title', 'status'],
  properties: { title: { type: 'string' }, status: { type: 'integer', minimum: 400 }, detail: { type: 'string' } },
};

/** All tools, sorted by name. Throws `TypeError` if two have one name, and as `openApi` does. */
export function toolsOf(server: DescribedServer, { info: { name: title, version }, jsonSchema }: Pick<McpOptions, 'info' | 'jsonSchema'>): Tool[] {
  const registered = server[' registered'];
  const operations = operationsOf(registered).filter(({ members: { tool } }) => tool !== undefined);
  // Version 3.1 has no QUERY.
  const document = openApi(server, { info: { title, version }, version: '3.2', ...(jsonSchema && { jsonSchema }) });
  const described = new Map(Object.values(document.paths).flatMap((item) => Object.values(item).map((each) => [each.operationId, each])));
  const schemas = new ToolSchemas(document.components?.schemas ?? {});
  const tools = new Map<string, Tool>();
  for (const operation of operations) {
    const tool = toolOf(operation, described.get(operationIdOf(operation)), schemas, registered.errorForm !== undefined);
    const other = tools.get(tool.name);
    if (other !== undefined) throw conflictOf(tool, other);
    tools.set(tool.name, tool);
  }
  return [...tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function conflictOf({ name, operation }: Tool, other: Tool): TypeError {
  const ids = `${operationIdOf(other.operation)} and ${operationIdOf(operation)}`;
  return new TypeError(`tool ${name} is ${ids}: give one a name, by tool: { name }`);
}

function toolOf(operation: Operation, described: OperationObject | undefined, schemas: ToolSchemas, formatsProblems: boolean): Tool {
  const { tool } = operation.members;
  const own = tool === true || tool === undefined ? {} : tool;
  const { parameters = [], requestBody, summary, description, responses = {} } = described ?? {};
  const forwarded = [...new Set(credentialFieldsOf(operation))].filter((field) => field !== 'cookie');
  const [inPath, inQuery] = ['path', 'query'].map((place) => parameters.filter((parameter) => parameter.in === place)) as [Parameter[], Parameter[]];
  const inHeaders = parameters.filter((parameter) => parameter.in === 'header' && isFree(parameter, forwarded));
  const taken = inPath.map(({ name }) => name);
  const query = inQuery.length === 0 ? undefined : freeName('query', taken);
  const headers = inHeaders.length === 0 ? undefined : { argument: freeName('headers', taken), names: inHeaders.map(({ name }) => name) };
  const body = requestBody === undefined ? undefined : { argument: freeName('body', taken), ...bodyTypeOf(operation) };
  const output = formatsProblems ? undefined : outputOf(operation, responses[operation.status], schemas);
  const name = own.name ?? componentName(operationIdOf(operation)).slice(0, 128);
  const listed = {
    name, title: summary, description: own.description ?? [summary, description].filter((text) => text !== undefined).join('\n\n'),
    inputSchema: schemas.alone(objectOf([
      ...inPath.map(({ name: each, schema }) => [each, schema, true] as const),
      ...(query === undefined ? [] : [[query, queryOf(inQuery), inQuery.some(isRequired)] as const]),
      ...(headers === undefined ? [] : [[headers.argument, objectOf(inHeaders.map(memberOf)), inHeaders.some(isRequired)] as const]),
      ...(body === undefined ? [] : [[body.argument, bodyOf(body.isJson, requestBody?.content), requestBody?.required === true] as const]),
    ])),
    ...(output && { outputSchema: output.schema }),
    annotations: { ...hintsOf(operation.kind), openWorldHint: false },
  };
  return { name, listed, operation, inPath: taken, query, headers, body, wrap: output?.wrap, isNumber: output?.isNumber === true, forwarded };
}

// Those of the connection, and those that say who is calling: a model must not choose them.
const OF_CONNECTION = /^(?:connection|content-.*|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i;
const OF_CALLER = /^(?:authorization|cookie|forwarded|origin|proxy-.*|x-forwarded-.*)$/i;

/** Whether a header field can be an argument. Header fields that are no plain object are one parameter, and not a field. */
function isFree({ name, style }: Parameter, forwarded: readonly string[]): boolean {
  return style === undefined && !OF_CONNECTION.test(name) && !OF_CALLER.test(name) && !forwarded.includes(name.toLowerCase());
}

function isRequired({ required }: Parameter): boolean {
  return required === true;
}

/** A parameter of the path may be called `query`. */
function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`${name}_`, taken) : name;
}

function objectOf(members: readonly (readonly [name: string, schema: JsonSchema, isRequired: boolean])[]): JsonSchema {
  const required = members.filter(([, , isRequired]) => isRequired).map(([name]) => name);
  const properties = Object.fromEntries(members.map(([name, schema]) => [name, schema]));
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false };
}

/** The document has the query of a decoder that is no plain object as one parameter, beside those of interceptors. */
function queryOf(parameters: readonly Parameter[]): JsonSchema {
  const whole = parameters.find(({ style }) => style === 'form')?.schema ?? {};
  const named = parameters.filter(({ style }) => style !== 'form');
  const isKnown = Object.keys(whole).length > 0;
  if (isKnown && named.length === 0) return whole;
  // Operations ignore other names.
  const { additionalProperties: _, ...open } = objectOf(named.map(memberOf));
  return isKnown ? { ...open, allOf: [whole] } : open;
}

function memberOf({ name, schema, description, required }: Parameter): readonly [string, JsonSchema, boolean] {
  return [name, description === undefined ? schema : { ...schema, description }, required === true];
}

function bodyOf(isJson: boolean, content: Content = {}): JsonSchema {
  const [{ schema = {} } = {}] = Object.values(content);
  return isJson ? schema : { type: 'string', contentEncoding: 'base64' };
}

function bodyTypeOf({ format }: Operation): { readonly type: string; readonly isJson: boolean } {
  if (format === undefined) return { type: JSON_TYPE, isJson: true };
  const { types = [] } = format;
  const json = types.find(isJsonType);
  return { type: json ?? types.find((type) => !type.includes('*')) ?? 'application/octet-stream', isJson: json !== undefined };
}

/** The schema of what a call gives: an object, as older clients need it. They also compare problems with it. */
function outputOf(operation: Operation, response: object | undefined, schemas: ToolSchemas): OutputSchema | undefined {
  const { content = {} } = (response ?? {}) as { readonly content?: Content };
  const text = content['text/plain'];
  const isId = text !== undefined && operation.answer === 'id';
  const number = isId ? numberOf(codecSchemaOf(operation.endpoint, 'id')) : undefined;
  const schema = text === undefined ? content[JSON_TYPE]?.schema : number ?? text.schema ?? { type: 'string' };
  const successes = outputsOf(operation)?.filter(([status]) => status < 300) ?? [undefined];
  // Nothing is known of a result without a schema, and a result with another status may have another one.
  if (schema === undefined || Object.keys(schema).length === 0 || successes.length !== 1) return undefined;
  const type = schemas.typeOf(schema);
  const wrap = isId ? 'id' : type === 'object' ? undefined : type === 'array' ? 'items' : 'value';
  const whole = wrap === undefined ? schema : { type: 'object', required: [wrap], properties: { [wrap]: schema } };
  return { schema: schemas.alone({ type: 'object', anyOf: [whole, PROBLEM] }), wrap, isNumber: number !== undefined };
}

/** The schema of an id that other tools take as a number, by the schema of its codec. `undefined` if they take a text. */
function numberOf(codec: unknown): JsonSchema | undefined {
  const { type } = Object(codec) as JsonSchema;
  return type === 'integer' || type === 'number' ? { type } : undefined;
}

interface OutputSchema {
  readonly schema: JsonSchema;
  /** See `Tool`. */
  readonly wrap: string | undefined;
  readonly isNumber: boolean;
}

function hintsOf({ method, result }: OperationKind): Hints {
  const readOnlyHint = method === 'GET' || method === 'QUERY';
  const idempotentHint = readOnlyHint || method === 'PUT' || method === 'DELETE';
  return { readOnlyHint, destructiveHint: !readOnlyHint && result !== 'id', idempotentHint };
}
