/**
 * The tools of a server: its operations with `tool`, as the document describes them.
 *
 *   get at /pet with tool: true   ->   petGet, { id } in, a pet out, read-only
 */
import type { Kind } from '../endpoint/kinds.ts';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { isBytes, JSON_TYPE } from '../openapi/content.ts';
import { componentName } from '../openapi/names.ts';
import { openApi } from '../openapi/open-api.ts';
import { operationIdOf, operationsOf } from '../openapi/operations.ts';
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
  /** The names of the arguments with the query and the body. `undefined` if there is none. */
  readonly query: string | undefined;
  readonly body: string | undefined;
  /** The media type of the body. */
  readonly bodyType: string;
  /** The member that results are wrapped in, by the output schema. `undefined` if they are objects, or have no schema. */
  readonly wrap: string | undefined;
  /** The header fields of the caller that are passed on. */
  readonly forwarded: readonly string[];
}

type Hints = Readonly<Record<'readOnlyHint' | 'destructiveHint' | 'idempotentHint', boolean>>;

const PROBLEM: JsonSchema = {
  type: 'object', required: ['title', 'status'],
  properties: { title: { type: 'string' }, status: { type: 'integer', minimum: 400 }, detail: { type: 'string' } },
};

/** All tools, sorted by name. Throws `TypeError` if two have one name, and as `openApi` does. */
export function toolsOf(server: DescribedServer, { info: { name: title, version }, jsonSchema }: McpOptions): Tool[] {
  const registered = server['~registered'];
  const operations = operationsOf(registered).filter(({ members: { tool } }) => tool !== undefined);
  const document = openApi(server, { info: { title, version }, ...(jsonSchema && { jsonSchema }) });
  const described = new Map(Object.values(document.paths).flatMap((item) => Object.values(item).map((each) => [each.operationId, each])));
  const schemas = new ToolSchemas(document.components?.schemas ?? {});
  const tools = new Map<string, Tool>();
  for (const operation of operations) {
    const tool = toolOf(operation, described.get(operationIdOf(operation)), schemas, registered.formatsProblems);
    const other = tools.get(tool.name);
    if (other !== undefined) throw new TypeError(`tool ${tool.name} is ${operationIdOf(other.operation)} and ${operationIdOf(operation)}: give one a name, by tool: { name }`);
    tools.set(tool.name, tool);
  }
  return [...tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function toolOf(operation: Operation, described: OperationObject | undefined, schemas: ToolSchemas, formatsProblems: boolean): Tool {
  const { tool } = operation.members;
  const own = tool === true || tool === undefined ? {} : tool;
  const { parameters = [], requestBody, summary, description, responses = {} } = described ?? {};
  const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const query = inQuery.length === 0 ? undefined : freeName('query', inPath);
  const body = requestBody === undefined ? undefined : freeName('body', inPath);
  const name = own.name ?? componentName(operationIdOf(operation)).slice(0, 128);
  const output = formatsProblems ? undefined : outputOf(operation, responses[operation.status], schemas);
  const listed = {
    name, title: summary, description: own.description ?? [summary, description].filter((text) => text !== undefined).join('\n\n'),
    inputSchema: schemas.alone(objectOf([
      ...parameters.filter((parameter) => parameter.in === 'path').map(({ name: each, schema }) => [each, schema, true] as const),
      ...(query === undefined ? [] : [[query, queryOf(inQuery), inQuery.some(({ required }) => required === true)] as const]),
      ...(body === undefined ? [] : [[body, bodyOf(operation, requestBody?.content), requestBody?.required === true] as const]),
    ])),
    ...(output && { outputSchema: output.schema }),
    annotations: { ...hintsOf(operation.kind), openWorldHint: false },
  };
  const forwarded = credentialFieldsOf(operation).filter((field) => field !== 'cookie');
  return { name, listed, operation, inPath, query, body, bodyType: bodyTypeOf(operation), wrap: output?.wrap, forwarded };
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

/** The document has a query that is no plain object as one parameter. */
function queryOf(parameters: readonly Parameter[]): JsonSchema {
  const [first] = parameters;
  if (first?.style === 'form') return first.schema;
  const described = parameters.map(({ name, schema, description, required }) => [name, description === undefined ? schema : { ...schema, description }, required === true] as const);
  return { ...objectOf(described), additionalProperties: {} };
}

function bodyOf({ input }: Operation, content: OperationContent = {}): JsonSchema {
  const [{ schema = {} } = {}] = Object.values(content);
  return isBytes(input) ? { type: 'string', contentEncoding: 'base64' } : schema;
}

type OperationContent = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

function bodyTypeOf({ input }: Operation): string {
  if (input === undefined || !isBytes(input)) return JSON_TYPE;
  return input.types?.find((type) => !type.includes('*')) ?? 'application/octet-stream';
}

/** The schema of what a call gives: an object, as older clients need it. They also compare problems with it. */
function outputOf({ status, members: { output } }: Operation, response: object | undefined, schemas: ToolSchemas): { readonly schema: JsonSchema; readonly wrap: string | undefined } | undefined {
  const { content = {} } = (response ?? {}) as { readonly content?: OperationContent };
  const isText = content['text/plain'] !== undefined;
  const schema = isText ? { type: 'string' } : content[JSON_TYPE]?.schema;
  const statuses = typeof output === 'object' && output !== null && !('~standard' in output) ? Object.keys(output).filter((each) => each < '300') : [String(status)];
  // Nothing is known of a result without a schema, and a result with another status may have another one.
  if (schema === undefined || Object.keys(schema).length === 0 || statuses.length !== 1) return undefined;
  const alone = schemas.alone(schema);
  const wrap = isText ? 'id' : alone['type'] === 'object' ? undefined : alone['type'] === 'array' ? 'items' : 'value';
  const whole = wrap === undefined ? schema : { type: 'object', required: [wrap], properties: { [wrap]: schema } };
  return { schema: schemas.alone({ type: 'object', anyOf: [whole, PROBLEM] }), wrap };
}

function hintsOf({ method, member }: Kind): Hints {
  const readOnlyHint = method === 'GET';
  return { readOnlyHint, destructiveHint: !readOnlyHint && member !== 'create', idempotentHint: readOnlyHint || member === 'update' || member === 'delete' };
}
