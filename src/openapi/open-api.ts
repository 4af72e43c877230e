/**
 * Describes the endpoints of a server as an OpenAPI document, of version 3.1 or 3.2. All of it follows from the declarations, the same that routes,
 * discovery and decoding follow from:
 *
 *   get at /pet with an integerId   ->   paths["/v1/pet/{id}"].get, operationId petGet, 200, 400, 404 and any other problem
 */
import type { DescribedServer } from '../endpoint/endpoint.ts';
import type { Operation } from '../endpoint/operation.ts';
import { disown, nameOf } from '../util/promises.ts';
import { operationsOf } from './operations.ts';
import { OPEN_API_OPTIONS, type OpenApiInfo, type OpenApiOptions, type OpenApiServerObject, type OpenApiTag } from './options.ts';
import { pathsOf, type PathItem } from './paths.ts';
import { plainCopy, withoutUndefined } from './plain-json.ts';
import { ResponseComponents, type Response } from './responses.ts';
import type { JsonSchema } from './schemas/json-schema.ts';
import { Schemas } from './schemas/schemas.ts';
import { SecuritySchemes } from './security.ts';

/** An OpenAPI document, as plain JSON. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: OpenApiInfo;
  readonly servers?: readonly OpenApiServerObject[];
  readonly tags?: readonly OpenApiTag[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components?: {
    readonly schemas?: Readonly<Record<string, JsonSchema>>;
    readonly responses?: Readonly<Record<string, Response>>;
    readonly securitySchemes?: Readonly<Record<string, object>>;
  };
  readonly [extension: `x-${string}`]: unknown;
}

/**
 * Makes the document. It is the same for the same registrations: paths in order of registration, components sorted by name.
 *
 * Throws `TypeError` for an invalid option; for two operations with one `operationId`; for two components or two security schemes with
 * one name; and if `transform` returns no document. An error of `transform` or `onProblem` is thrown on.
 */
export function openApi(server: DescribedServer, options: OpenApiOptions): OpenApiDocument {
  const registered = server[' registered'];
  const { errorForm } = registered;
  const { info, servers, tags, version, only, jsonSchema, transform, onProblem } = OPEN_API_OPTIONS.check(options, 'options');
  const described = withoutUndefined<Pick<OpenApiOptions, 'info' | 'servers' | 'tags'>>({ info, servers, tags });
  const isCurrent = version === '3.2';
  const operations = operationsOf(registered, only).filter((operation) => isCurrent || !isQuery(operation, onProblem));
  if (only !== '' && operations.length === 0) onProblem(`no operation is at or below ${only}`);
  const items = new Set([errorForm?.schema, ...operations.map(({ endpoint }) => endpoint.members['schema'])]);
  const schemas = new Schemas(jsonSchema, onProblem, items, isCurrent);
  const responses = new ResponseComponents(schemas, errorForm);
  const security = new SecuritySchemes();
  const paths = pathsOf(operations, { schemas, responses, security });
  const components = nonEmpty({ schemas: schemas.finish(), responses: responses.components, securitySchemes: security.schemes });
  const document = { openapi: `${version}.0`, ...plainCopy(described), paths, ...nonEmpty({ components }) };
  return transform === undefined ? document : plainCopy(checkedDocument(transform(document)));
}

function checkedDocument(document: unknown): OpenApiDocument {
  disown(document);
  if (typeof Object(document).openapi === 'string') return document as OpenApiDocument;
  throw new TypeError(`options.transform must return the document: ${nameOf(document)}`);
}

/** Whether an operation has a method that OpenAPI 3.1 does not know. */
function isQuery(operation: Operation, onProblem: (message: string) => unknown): boolean {
  const { kind: { method }, pattern: { text } } = operation;
  if (method !== 'QUERY') return false;
  onProblem(`${method} ${text} cannot be in a document of OpenAPI 3.1: it can in one of version 3.2`);
  return true;
}

function nonEmpty<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => Object.keys(value).length > 0)) as Partial<T>;
}
