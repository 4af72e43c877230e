/**
 * The tools of a server: its operations with `tool`, as the document describes them.
 *
 *   get at /pet with tool: true   ->   petGet, { id } in, a pet out, read-only
 */
import type { OperationKind } from '../declaration/kinds.ts';
import { ANY_CREDENTIALS } from '../endpoint/context.ts';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import type { FileField } from '../declaration/format.ts';
import { isSchema, type JsonSchema, mapKeyword } from '../endpoint/json-schema.ts';
import type { ToolAnnotations } from '../declaration/operation-forms.ts';
import type { Operation } from '../endpoint/operation.ts';
import { FRAMING_HEADERS, PROXY_HEADERS } from '../util/headers.ts';
import { isJsonType } from '../http/media-type.ts';
import { type Content, findJsonType } from '../openapi/content.ts';
import { describe, type DescribedOperation, listOperations } from '../openapi/describe.ts';
import { toComponentName } from '../openapi/names.ts';
import { findCodec, type Parameter } from '../openapi/parameters.ts';
import { listOutputs } from '../openapi/responses.ts';
import type { ListedTool } from './mcp-options.ts';

/** A tool, and how its arguments become a request. */
export interface Tool {
  readonly name: string;
  /** As the option `tools` gets it. */
  readonly described: ListedTool;
  /** As `tools/list` has it. */
  readonly listed: object;
  readonly operation: Operation;
  /** The arguments for the parameters of the path, in their order. */
  readonly inPath: readonly string[];
  /** The name of the argument with the query. `undefined` if there is none. */
  readonly query: string | undefined;
  /** The argument with headers, and their names. */
  readonly headers: { readonly argument: string; readonly names: readonly string[] } | undefined;
  /** The argument with the body, and its media type. A form has `files`. Any other body that is not JSON is a string in Base64. */
  readonly body: ToolBody & { readonly argument: string } | undefined;
  /** The property that results are wrapped in, by the output schema. `undefined` if they are objects, or have no schema. */
  readonly wrap: string | undefined;
  /** Whether the result is the id of a new item, which the response has as a string, and the other tools take as a number. */
  readonly isNumber: boolean;
  /** The headers of the caller that are passed on. */
  readonly forwarded: readonly string[];
}

interface ToolBody {
  readonly type: string;
  readonly isJson: boolean;
  readonly files: ReadonlyMap<string, FileField> | undefined;
}

const PROBLEM: JsonSchema = {
  type: 'object', required: ['title', 'status'],
  properties: { title: { type: 'string' }, status: { type: 'integer', minimum: 400 }, detail: { type: 'string' } },
};

/** Lists the tools, sorted by name. Throws `TypeError` if two have the same name, and as `openApi` does. */
export function listTools(server: DescribedServer): Tool[] {
  const withTool = listOperations(server).filter(({ options: { tool } }) => tool !== undefined);
  const { operations, components } = describe(server, withTool);
  const schemas = new ToolSchemas(components.schemas ?? {});
  const formatsProblems = server[' internal'].errorForm !== undefined;
  const tools = new Map<string, Tool>();
  const ids = new Map<string, string>();
  for (const described of operations) {
    const tool = makeTool(described, schemas, formatsProblems);
    const other = ids.get(tool.name);
    if (other !== undefined) {
      throw new TypeError(`two tools are named ${tool.name}: ${other} and ${described.operationId}. Rename one by tool: { name }`);
    }
    tools.set(tool.name, tool);
    ids.set(tool.name, described.operationId);
  }
  return [...tools.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function makeTool(
  { operation, operationId, object, credentials }: DescribedOperation, schemas: ToolSchemas, formatsProblems: boolean,
): Tool {
  const { tool } = operation.options;
  const own = tool === true || tool === undefined ? {} : tool;
  const { parameters = [], requestBody, summary, description, responses } = object;
  const forwarded = [...new Set(credentials)].filter((name) => name !== 'cookie');
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const declared = parameters.filter(isNamedHeader);
  const offered = [...ALWAYS_OFFERED, ...(own.headers ?? []).map((name) => checkOffered(name, declared, forwarded, operationId))];
  const inHeaders = declared.filter(({ name }) => offered.includes(name.toLowerCase()) && isFree(name, forwarded));
  const taken = inPath.map(({ name }) => name);
  const query = inQuery.length === 0 ? undefined : makeFreeName('query', taken);
  const headerNames = inHeaders.map(({ name }) => name);
  const headers = inHeaders.length === 0 ? undefined : { argument: makeFreeName('headers', taken), names: headerNames };
  const body = requestBody === undefined ? undefined : { argument: makeFreeName('body', taken), ...chooseBodyType(operation) };
  const bodySchema = body && describeToolBody(body, requestBody?.content);
  const output = formatsProblems ? undefined : describeOutput(operation, responses[operation.status], schemas);
  const name = own.name ?? toComponentName(operationId).slice(0, 128);
  const annotations = makeAnnotations(operation.kind, own.annotations);
  const listed = {
    name, title: summary, description: own.description ?? [summary, description].filter((each) => each !== undefined).join('\n\n'),
    inputSchema: schemas.resolve(makeObject([
      ...inPath.map(({ name: each, schema }) => [each, schema, true] as const),
      ...(query === undefined ? [] : [[query, describeQuery(inQuery), inQuery.some(isRequired)] as const]),
      ...(headers === undefined ? [] : [[headers.argument, makeObject(inHeaders.map(toProperty)), inHeaders.some(isRequired)] as const]),
      ...(body && bodySchema ? [[body.argument, bodySchema, requestBody?.required === true] as const] : []),
    ])),
    ...(output && { outputSchema: output.schema }),
    annotations,
  };
  const described = { name, scopes: operation.scopes, tags: operation.options.tags ?? [], annotations };
  const { wrap, isNumber = false } = output ?? {};
  return {
    name, described, listed, operation, inPath: taken, query, headers, body, wrap, isNumber,
    forwarded: [...forwarded, ...PROXY_HEADERS, ...declared.map(({ name: each }) => each.toLowerCase()).filter(isForwardable)],
  };
}

// What the server reads of any operation that has it. Of all others only the operation knows whether a proxy sets them.
const ALWAYS_OFFERED = ['if-match', 'if-none-match', 'idempotency-key'];
// Headers of the connection, of the body, and of who is calling.
const RESERVED: ReadonlySet<string> = new Set([...FRAMING_HEADERS, ...ANY_CREDENTIALS, 'expect', 'host', 'origin']);
const RESERVED_PREFIX = /^(?:content-|proxy-)/;

/** Whether a declared header of the request with the call is passed on. In lower case. */
function isForwardable(name: string): boolean {
  return !RESERVED.has(name) && !RESERVED_PREFIX.test(name);
}

/** Whether a model may choose a header. */
function isFree(name: string, credentials: readonly string[]): boolean {
  const lowerCase = name.toLowerCase();
  return isForwardable(lowerCase) && !PROXY_HEADERS.some((each) => each === lowerCase) && !credentials.includes(lowerCase);
}

/** Headers that are not a plain object are one parameter, which is not a header. */
function isNamedHeader({ in: where, style }: Parameter): boolean {
  return where === 'header' && style === undefined;
}

/** The name in lower case. Throws `TypeError` if the operation does not declare it, or if a model must not choose it. */
function checkOffered(name: string, declared: readonly Parameter[], credentials: readonly string[], operation: string): string {
  const lowerCase = name.toLowerCase();
  if (declared.some((each) => each.name.toLowerCase() === lowerCase) && isFree(name, credentials)) return lowerCase;
  throw new TypeError(`tool.headers of ${operation} must be headers that it declares, without credentials: ${JSON.stringify(name)}`);
}

function isRequired({ required }: Parameter): boolean {
  return required === true;
}

/** Finds a name that no parameter of the path has: one may be called `query`. */
function makeFreeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? makeFreeName(`${name}_`, taken) : name;
}

function makeObject(properties: readonly (readonly [name: string, schema: JsonSchema, isRequired: boolean])[]): JsonSchema {
  const required = properties.filter(([, , isRequired]) => isRequired).map(([name]) => name);
  const schemas = Object.fromEntries(properties.map(([name, schema]) => [name, schema]));
  return { type: 'object', properties: schemas, ...(required.length > 0 && { required }), additionalProperties: false };
}

/** The query of a decoder that is not a plain object is one parameter, beside the parameters of interceptors. */
function describeQuery(parameters: readonly Parameter[]): JsonSchema {
  const whole = parameters.find(({ style }) => style === 'form')?.schema ?? {};
  const named = parameters.filter(({ style }) => style !== 'form');
  const isKnown = Object.keys(whole).length > 0;
  if (isKnown && named.length === 0) return whole;
  // Operations ignore other names.
  const { additionalProperties: _, ...open } = makeObject(named.map(toProperty));
  return isKnown ? { ...open, allOf: [whole] } : open;
}

function toProperty({ name, schema, description, required }: Parameter): readonly [string, JsonSchema, boolean] {
  return [name, description === undefined ? schema : { ...schema, description }, required === true];
}

function describeToolBody({ isJson, files }: ToolBody, content: Content = {}): JsonSchema {
  const [{ schema = {} } = {}] = Object.values(content);
  if (files !== undefined) return describeForm(schema, files);
  return isJson ? schema : { type: 'string', contentEncoding: 'base64' };
}

/** A file of a form is a string in Base64. */
function describeForm(schema: JsonSchema, files: ReadonlyMap<string, FileField>): JsonSchema {
  const properties = Object.entries(Object(schema['properties']) as Readonly<Record<string, JsonSchema>>).map(([name, each]) => {
    const { items, format: _binary, ...others } = each as { readonly items?: JsonSchema; readonly format?: unknown };
    const { format: _itemBinary, ...item } = Object(items) as { readonly format?: unknown };
    const encoded = { contentEncoding: 'base64' };
    const file = files.get(name);
    if (file === undefined) return [name, each];
    return [name, file.isList ? { ...others, items: { ...item, ...encoded } } : { ...others, ...encoded }];
  });
  return files.size === 0 ? schema : { ...schema, properties: Object.fromEntries(properties) as JsonSchema };
}

function chooseBodyType({ format, bodyTypes }: Operation): ToolBody {
  if (format === undefined) return { type: String(bodyTypes[0]), isJson: true, files: undefined };
  const { types = [] } = format;
  const json = types.find(isJsonType);
  const type = json ?? types.find((each) => !each.includes('*')) ?? 'application/octet-stream';
  return { type, isJson: json !== undefined, files: format[' internal'].files };
}

/** Describes the result of a call, or a problem: older clients compare both with it, and need an object. */
function describeOutput(
  operation: Operation, response: object | undefined, schemas: ToolSchemas,
): (Pick<Tool, 'wrap' | 'isNumber'> & { readonly schema: JsonSchema }) | undefined {
  const { content = {} } = (response ?? {}) as { readonly content?: Content };
  const text = content['text/plain'];
  const isId = text !== undefined && operation.resultKind === 'id';
  const number = isId ? findNumber(findCodec(operation.endpoint, 'id').schema) : undefined;
  const schema = text === undefined ? content[findJsonType(content)]?.schema : number ?? text.schema ?? { type: 'string' };
  const successes = listOutputs(operation)?.filter(([status]) => status < 300) ?? [undefined];
  // A result without a schema is unknown, and each status may have its own schema.
  if (schema === undefined || Object.keys(schema).length === 0 || successes.length !== 1) return undefined;
  const type = schemas.findType(schema);
  const wrap = isId ? 'id' : type === 'object' ? undefined : type === 'array' ? 'items' : 'value';
  const whole = wrap === undefined ? schema : { type: 'object', required: [wrap], properties: { [wrap]: schema } };
  return { schema: schemas.resolve({ type: 'object', anyOf: [whole, PROBLEM] }), wrap, isNumber: number !== undefined };
}

/** The schema of an id that other tools take as a number, by the schema of its codec. `undefined` if they take a string. */
function findNumber(codec: unknown): JsonSchema | undefined {
  const { type } = Object(codec) as JsonSchema;
  return type === 'integer' || type === 'number' ? { type } : undefined;
}

/** All annotations of a tool: its own, and for the others what its kind says. */
function makeAnnotations(kind: OperationKind, own: ToolAnnotations = {}): Required<ToolAnnotations> {
  const { readOnlyHint = kind.reads } = own;
  const {
    destructiveHint = !readOnlyHint && kind.result !== 'id', openWorldHint = false,
    idempotentHint = readOnlyHint || (!kind.reads && kind.repeats),
  } = own;
  return { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
}

type ComponentSchemas = Readonly<Record<string, JsonSchema>>;

const PREFIX = '#/components/schemas/';
// It asks clients to repeat an argument in a header of this name, for proxies. Calls are not compared with it, so no client may rely on it.
const OF_HEADERS = 'x-mcp-header';
// A keyword of OpenAPI, whose references lead into the document.
const LEFT_OUT: ReadonlySet<string> = new Set([OF_HEADERS, 'discriminator']);
// In characters of JSON. A schema that is written out many times can grow without a bound.
const MAX_WRITTEN = 10_000;

/**
 * The schemas of tools. A model reads each by itself, so the components of the document are written where they are referred to. Only
 * components that refer to themselves, and large ones, stay definitions of the tool.
 */
export class ToolSchemas {
  readonly #components: ComponentSchemas;
  readonly #written = new Map<string, JsonSchema | undefined>();
  readonly #open = new Set<string>();
  // Whether a component has stayed a definition.
  #hasDefinitions = false;

  constructor(components: ComponentSchemas) {
    this.#components = components;
  }

  /** Resolves the references of a schema to the document. */
  resolve(schema: JsonSchema): JsonSchema {
    const written = this.#write(schema);
    if (!this.#hasDefinitions) return written;
    const names = new Set<string>();
    collectNames(written, names);
    // The loop also visits what it adds.
    const definitions: Record<string, JsonSchema> = {};
    for (const name of names) {
      definitions[name] = this.#writeParts(this.#components[name] ?? {});
      collectNames(definitions[name], names);
    }
    return names.size === 0 ? written : { ...written, $defs: definitions };
  }

  /** Finds the type of a schema's values, if it states one. */
  findType({ $ref: reference, type }: JsonSchema): unknown {
    if (typeof reference !== 'string' || !reference.startsWith(PREFIX)) return type;
    return this.#components[reference.slice(PREFIX.length)]?.['type'];
  }

  #write(schema: JsonSchema): JsonSchema {
    const { $ref: reference, ...others } = schema;
    if (typeof reference !== 'string' || !reference.startsWith(PREFIX)) return this.#writeParts(schema);
    const name = reference.slice(PREFIX.length);
    const component = this.#writeComponent(name);
    const parts = this.#writeParts(others);
    if (component === undefined) return { $ref: `#/$defs/${name}`, ...parts };
    return Object.keys(parts).length === 0 ? component : { allOf: [component], ...parts };
  }

  #writeParts(schema: JsonSchema): JsonSchema {
    const write = (part: JsonSchema): JsonSchema => this.#write(part);
    const { prefixItems, items } = schema;
    // Clients that read draft 7 compare each item of a tuple with `items`.
    const all = Array.isArray(prefixItems) && isSchema(items) ? { ...schema, items: { anyOf: [...prefixItems, items] } } : schema;
    const kept = Object.entries(all).filter(([keyword]) => !LEFT_OUT.has(keyword));
    return Object.fromEntries(kept.map(([keyword, value]) => [keyword, mapKeyword(keyword, value, write)]));
  }

  /** `undefined` if the component must stay a definition. */
  #writeComponent(name: string): JsonSchema | undefined {
    if (this.#written.has(name)) return this.#written.get(name);
    if (this.#open.has(name)) {
      // It refers to itself.
      this.#keep(name);
      return undefined;
    }
    this.#open.add(name);
    const written = this.#writeParts(this.#components[name] ?? {});
    this.#open.delete(name);
    if (JSON.stringify(written).length > MAX_WRITTEN) this.#keep(name);
    if (!this.#written.has(name)) this.#written.set(name, written);
    return this.#written.get(name);
  }

  #keep(name: string): void {
    this.#hasDefinitions = true;
    this.#written.set(name, undefined);
  }
}

const DEFINITION = '#/$defs/';

function collectNames(value: unknown, names: Set<string>): void {
  if (Array.isArray(value)) for (const each of value) collectNames(each, names);
  if (!isSchema(value)) return;
  const { $ref: reference } = value;
  if (typeof reference === 'string' && reference.startsWith(DEFINITION)) names.add(reference.slice(DEFINITION.length));
  for (const part of Object.values(value)) collectNames(part, names);
}
