/** The Paths Object: an item for each path, an operation for each of its methods. */
import { requestBodyOf, type RequestBody } from './content.ts';
import type { Operation } from '../endpoint/operation.ts';
import { nameOf, operationIdOf, summarize } from './operations.ts';
import { parametersOf, type Parameter } from './parameters.ts';
import { withoutUndefined } from './plain-json.ts';
import type { ResponseComponents, Responses } from './responses.ts';
import type { Schemas } from './schemas/schemas.ts';
import type { SecurityRequirements, SecuritySchemes } from './security.ts';

/** The Operation Object of OpenAPI. */
export interface OperationObject {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly operationId: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Responses;
  readonly security?: SecurityRequirements;
  readonly [extension: `x-${string}`]: unknown;
}

/** The Path Item Object of OpenAPI: an operation for each method, in lower case. */
export type PathItem = Readonly<Record<string, OperationObject>>;

/** The components of a document, which its operations refer to. */
export interface Referred {
  readonly schemas: Schemas;
  readonly responses: ResponseComponents;
  readonly security: SecuritySchemes;
}

interface Path {
  readonly template: string;
  /** Of its parameters, in order. */
  readonly names: readonly string[];
  readonly item: Record<string, OperationObject>;
}

/** In order of registration. Paths that differ only in the names of their parameters are one, with the names of the first. */
export function pathsOf(operations: readonly Operation[], referred: Referred): Record<string, PathItem> {
  const paths = new Map<string, Path>();
  for (const operation of operations) {
    const { pattern, kind: { method } } = operation;
    const shape = pattern.shape;
    const path: Path = paths.get(shape) ?? { template: templateOf(pattern.text), names: pattern.parameters, item: {} };
    paths.set(shape, path);
    path.item[method.toLowerCase()] = operationObject(operation, path.names, referred);
  }
  return Object.fromEntries([...paths.values()].map(({ template, item }) => [template, item]));
}

/** `/zoo/{zoo}/pet` for `/zoo/:zoo/pet`. Literal braces would be parameters, so they are escaped, as clients escape them. */
function templateOf(path: string): string {
  return path.replaceAll('{', '%7B').replaceAll('}', '%7D').replaceAll(/(?<=\/)[:*]([^/]+)/g, '{$1}');
}

function operationObject(operation: Operation, names: readonly string[], referred: Referred): OperationObject {
  const { schemas, responses, security } = referred;
  const { endpoint, members: { tags, summary, description, deprecated } } = operation;
  const name = nameOf(endpoint);
  const ownTags = name === '' ? undefined : [name];
  const requirements = security.requirementsOf(operation);
  const parameters = parametersOf(operation, names, schemas);
  return withoutUndefined<OperationObject>({
    tags: tags === undefined ? ownTags : [...tags],
    summary: summary ?? summarize(operation), description, operationId: operationIdOf(operation),
    deprecated: typeof deprecated === 'object' ? true : deprecated,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: requestBodyOf(operation, schemas),
    responses: responses.responsesOf(operation, requirements !== undefined && requirements.length > 0),
    security: requirements,
  });
}
