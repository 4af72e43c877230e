/**
 * Describes the operations of a server: routes, schemas, responses, security. The OpenAPI document, the tools of MCP and the checks are
 * made from this.
 */
import { listCredentialHeaders } from '../endpoint/context.ts';
import type { DescribedServer } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { fillTemplate } from '../router/pattern.ts';
import { describeBody } from './content.ts';
import type { Components, OperationObject, SecurityRequirements } from './document.ts';
import { listTags, nameOperation, summarize } from './names.ts';
import { describeParameters } from './parameters.ts';
import { copyPlain, isSame, omitEmpty, omitUndefined, sortByName } from './plain-json.ts';
import { ResponseComponents } from './responses.ts';
import { Schemas } from './schemas/schemas.ts';
import type { DescribedWebhook } from './webhooks.ts';

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

export interface Description {
  /** In order of registration. */
  readonly operations: readonly DescribedOperation[];
  readonly webhooks: Readonly<Record<string, { readonly post: OperationObject }>>;
  readonly components: Components;
}

/** Describes operations of a server, by default all, and webhooks. Throws `TypeError` as `openApi` does. */
export function describe(
  server: DescribedServer, operations: readonly Operation[] = listOperations(server), webhooks: readonly DescribedWebhook[] = [],
): Description {
  const { errorForm, jsonSchema, warn } = server[' internal'];
  checkOperationIds(operations, webhooks);
  const items = new Set([errorForm?.schema, ...operations.map(({ endpoint }) => endpoint.schema)]);
  const schemas = new Schemas(jsonSchema, warn, items);
  const describeAll = (): Description => {
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
    const sent = webhooks.map((webhook) => [webhook.name, { post: webhook.describe(schemas) }] as const);
    const components = omitEmpty({
      schemas: schemas.components, responses: responses.components, headers: responses.headers, securitySchemes: security.schemes,
    });
    return { operations: described, webhooks: Object.fromEntries(sent), components };
  };
  describeAll();
  schemas.nameComponents();
  return describeAll();
}

/** Lists the operations of a server, in order of registration. */
export function listOperations(server: DescribedServer): Operation[] {
  return server[' internal'].all.flatMap((each) => ('operations' in each ? each.operations : []));
}

/** Throws `TypeError` if two operations and webhooks have the same `operationId`. */
function checkOperationIds(operations: readonly Operation[], webhooks: readonly DescribedWebhook[]): void {
  const owners = new Map<string, string>();
  const add = (operationId: string, owner: string): void => {
    const other = owners.get(operationId);
    if (other !== undefined) throw new TypeError(`operationId ${operationId} is used by ${other} and by ${owner}`);
    owners.set(operationId, owner);
  };
  for (const operation of operations) add(nameOperation(operation), `${operation.kind.method} ${operation.pattern.template}`);
  for (const { name, operationId } of webhooks) add(operationId, `webhook ${name}`);
}

/** `/zoo/{zoo}/pet` for `/zoo/:zoo/pet`. Literal braces would be parameters, so they are escaped, as clients escape them. */
function toOpenApiPath(template: string): string {
  return fillTemplate(template.replaceAll('{', '%7B').replaceAll('}', '%7D'), (name) => `{${name}}`);
}

type OperationParts = { readonly [Name in 'parameters' | 'requestBody' | 'responses' | 'security']: OperationObject[Name] | undefined };

function describeOperation(operation: Operation, { parameters, requestBody, responses, security }: OperationParts): OperationObject {
  const { options: { summary, description, deprecated } } = operation;
  const tags = listTags(operation);
  return omitUndefined<OperationObject>({
    tags: tags.length === 0 ? undefined : [...tags],
    summary: summary ?? summarize(operation), description, operationId: nameOperation(operation),
    deprecated,
    parameters: parameters?.length === 0 ? undefined : parameters,
    requestBody, responses, security,
  });
}

// The names of components.
const NAME = /^[A-Za-z0-9._-]+$/;

/** The `security` of contexts, as the functions of `restpoint/auth` have it, and the scopes of operations. */
export class SecuritySchemes {
  readonly #schemes = new Map<string, object>();

  get schemes(): Readonly<Record<string, object>> {
    return sortByName(Object.fromEntries(this.#schemes));
  }

  /**
   * Lists the requirements of an operation: one for each way to authenticate, and an empty one if that is optional. `undefined` if its
   * `context` has no `security`. Throws `TypeError` for a `security` that is malformed, and for two schemes with the same name.
   */
  require({ context, scopes }: Operation): SecurityRequirements | undefined {
    if (context === undefined) return [];
    if (context.security === undefined) return undefined;
    const ways = [context.security].flat().map((security) => this.#check(security));
    const optional = ways.some((way) => way.optional === true) ? [{}] : [];
    return [...ways.map(({ name }) => ({ [name]: [...scopes] })), ...optional];
  }

  #check(security: unknown): { readonly name: string; readonly optional: unknown } {
    const { name, scheme, optional } = Object(security) as Readonly<Record<string, unknown>>;
    if (typeof name !== 'string' || !NAME.test(name) || typeof scheme !== 'object' || scheme === null) {
      const given = JSON.stringify(security);
      throw new TypeError(`endpoint.context.security must be { name, scheme }, with a name of A-Z a-z 0-9 . _ -: ${given}`);
    }
    const first = this.#schemes.get(name) ?? copyPlain(scheme);
    this.#schemes.set(name, first);
    if (isSame(first, scheme)) return { name, optional };
    throw new TypeError(`security scheme ${name} is declared twice, as ${JSON.stringify(first)} and as ${JSON.stringify(scheme)}`);
  }
}
