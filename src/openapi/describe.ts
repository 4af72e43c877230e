/**
 * Describes the operations of a server: routes, schemas, responses, security. The OpenAPI document, the tools of MCP and the checks are
 * made from this.
 */
import { listCredentialHeaders } from '../endpoint/context.ts';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { fillTemplate } from '../router/pattern.ts';
import { describeBody, type RequestBody } from './content.ts';
import { nameEndpoint, nameOperation, summarize } from './names.ts';
import type { OpenApiWebhook } from './options.ts';
import { describeParameters, type Parameter } from './parameters.ts';
import { omitEmpty, omitUndefined } from './plain-json.ts';
import { type Response, ResponseComponents, type Responses } from './responses.ts';
import type { SchemaConverter } from './schemas/conversion.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import { Schemas } from './schemas/schemas.ts';
import { type SecurityRequirements, SecuritySchemes } from './security.ts';
import { describeWebhook, nameWebhook } from './webhooks.ts';

/** The Operation Object of OpenAPI. */
export interface OperationObject {
  /** The groups of the operation, such as the name of its endpoint. */
  readonly tags?: readonly string[];
  /** A short summary. */
  readonly summary?: string;
  /** A description, in Markdown. */
  readonly description?: string;
  /** The name of the operation, which is unique in the document. */
  readonly operationId: string;
  /** Whether clients should stop using it. */
  readonly deprecated?: boolean;
  /** Its parameters in the path, the query, headers and cookies. */
  readonly parameters?: readonly Parameter[];
  /** Its body. */
  readonly requestBody?: RequestBody;
  /** Its responses, by status. */
  readonly responses: Responses;
  /** The security schemes of which a caller needs one. */
  readonly security?: SecurityRequirements;
  readonly [extension: `x-${string}`]: unknown;
}

/** An operation, with its part of the document. */
export interface DescribedOperation {
  readonly operation: Operation;
  readonly operationId: string;
  /** Its path, as the document has it: `/zoo/{zoo}/pet`. Paths that differ only in the names of parameters have the names of the first. */
  readonly template: string;
  readonly object: OperationObject;
  /** The headers with the credentials of a caller, in lower case. */
  readonly credentials: readonly string[];
}

/** The Components Object of OpenAPI. */
export interface Components {
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  readonly responses?: Readonly<Record<string, Response>>;
  readonly securitySchemes?: Readonly<Record<string, object>>;
}

export interface Description {
  /** In order of registration. */
  readonly operations: readonly DescribedOperation[];
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: Components;
}

type Webhooks = Readonly<Record<string, OpenApiWebhook>>;

export interface DescribeOptions {
  /** OpenAPI 3.1 has neither QUERY nor the items of a sequence. Default: `3.2`. */
  readonly version?: '3.1' | '3.2';
  readonly pathPrefix?: string;
  readonly webhooks?: Webhooks;
  readonly jsonSchema?: SchemaConverter | undefined;
  readonly onWarning?: (message: string) => unknown;
}

/** Describes the operations at or below a path. Throws `TypeError` as `openApi` does. */
export function describe(
  server: DescribedServer, { version = '3.2', pathPrefix = '', webhooks = {}, jsonSchema, onWarning = () => {} }: DescribeOptions,
): Description {
  const { errorForm } = server[' registered'];
  const hasQuery = version === '3.2';
  const operations = listOperations(server, pathPrefix, webhooks).filter((operation) => hasQuery || !isQuery(operation, onWarning));
  if (pathPrefix !== '' && operations.length === 0) onWarning(`no operation is at or below ${pathPrefix}`);
  const items = new Set([errorForm?.schema, ...operations.map(({ endpoint }) => endpoint.declared['schema'])]);
  const schemas = new Schemas(jsonSchema, onWarning, items, hasQuery);
  const responses = new ResponseComponents(schemas, errorForm);
  const security = new SecuritySchemes();
  const firsts = new Map<string, Operation>();
  const described = operations.map((operation): DescribedOperation => {
    const { pattern } = firsts.get(operation.pattern.shape) ?? operation;
    if (pattern === operation.pattern) firsts.set(pattern.shape, operation);
    const requirements = security.require(operation);
    const credentials = requirements?.length === 0 ? [] : listCredentialHeaders(operation);
    const object = describeOperation(operation, {
      security: requirements,
      parameters: describeParameters(operation, pattern.parameters, schemas),
      requestBody: describeBody(operation, schemas),
      responses: responses.describe(operation, requirements !== undefined && requirements.length > 0),
    });
    return { operation, operationId: object.operationId, template: toOpenApiPath(pattern.template), object, credentials };
  });
  const sent = Object.entries(webhooks).map(([name, webhook]) => [name, { post: describeWebhook(name, webhook, schemas) }] as const);
  const components = omitEmpty({ schemas: schemas.finish(), responses: responses.components, securitySchemes: security.schemes });
  return { operations: described, webhooks: Object.fromEntries(sent), components };
}

/**
 * Lists the operations of a server at or below a path, in order of registration. Throws `TypeError` if two of them and of the webhooks have
 * the same `operationId`. Versions of an API may share them, where `path` is the path of one version.
 */
function listOperations(server: DescribedServer, path: string, webhooks: Webhooks): Operation[] {
  const operations = server[' registered'].all.flatMap((each) => ('operations' in each ? each.operations : []))
    .filter(({ pattern: { template } }) => template === path || template.startsWith(`${path}/`));
  const owners = new Map<string, string>();
  const add = (operationId: string, owner: string): void => {
    const other = owners.get(operationId);
    if (other !== undefined) throw new TypeError(`operationId ${operationId} is used by ${other} and by ${owner}`);
    owners.set(operationId, owner);
  };
  for (const operation of operations) add(nameOperation(operation), `${operation.kind.method} ${operation.pattern.template}`);
  for (const [name, webhook] of Object.entries(webhooks)) add(nameWebhook(name, webhook), `webhook ${name}`);
  return operations;
}

/** Whether an operation has a method that OpenAPI 3.1 does not know. */
function isQuery(operation: Operation, onWarning: (message: string) => unknown): boolean {
  const { kind: { method }, pattern: { template } } = operation;
  if (method !== 'QUERY') return false;
  onWarning(`${method} ${template} is left out: OpenAPI 3.1 has no method QUERY. Use version: '3.2'`);
  return true;
}

/** `/zoo/{zoo}/pet` for `/zoo/:zoo/pet`. Literal braces would be parameters, so they are escaped, as clients escape them. */
function toOpenApiPath(template: string): string {
  return fillTemplate(template.replaceAll('{', '%7B').replaceAll('}', '%7D'), (name) => `{${name}}`);
}

interface OperationParts {
  readonly parameters: readonly Parameter[];
  readonly requestBody: RequestBody | undefined;
  readonly responses: Responses;
  readonly security: SecurityRequirements | undefined;
}

function describeOperation(operation: Operation, { parameters, requestBody, responses, security }: OperationParts): OperationObject {
  const { endpoint, options: { tags, summary, description, deprecated } } = operation;
  const name = nameEndpoint(endpoint);
  const ownTags = name === '' ? undefined : [name];
  return omitUndefined<OperationObject>({
    tags: tags === undefined ? ownTags : [...tags],
    summary: summary ?? summarize(operation), description, operationId: nameOperation(operation),
    deprecated: typeof deprecated === 'object' ? true : deprecated,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody, responses, security,
  });
}
