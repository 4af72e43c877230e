/** The Paths Object: an item for each path, an operation for each of its methods. */
import { shapeOf } from '../router/pattern.ts';
import { requestBodyOf, type RequestBody } from './content.ts';
import type { DescribedOperation } from './described-endpoint.ts';
import { parametersOf, type Parameter } from './parameters.ts';
import { given } from './schemas/plain.ts';
import type { Problems } from './problems.ts';
import { responsesOf, type Responses } from './responses.ts';
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
}

/** The Path Item Object of OpenAPI: an operation for each method, in lower case. */
export type PathItem = Readonly<Record<string, OperationObject>>;

/** What the operations of a document share. */
export interface Shared {
  readonly schemas: Schemas;
  readonly problems: Problems;
  readonly security: SecuritySchemes;
}

interface Path {
  readonly template: string;
  /** Of its parameters, in order. */
  readonly names: readonly string[];
  readonly item: Record<string, OperationObject>;
}

/** In order of registration. Paths that differ only in the names of their parameters are one, with the names of the first. */
export function pathsOf(operations: readonly DescribedOperation[], shared: Shared): Record<string, PathItem> {
  const paths = new Map<string, Path>();
  for (const operation of operations) {
    const { pattern, kind: { method } } = operation;
    const shape = shapeOf(pattern);
    const path: Path = paths.get(shape) ?? { template: templateOf(pattern.text), names: pattern.parameters, item: {} };
    paths.set(shape, path);
    path.item[method.toLowerCase()] = operationObject(operation, path.names, shared);
  }
  return Object.fromEntries([...paths.values()].map(({ template, item }) => [template, item]));
}

/** `/zoo/{zoo}/pet` for `/zoo/:zoo/pet`. Braces of the path's own would be parameters, so they are escaped, as clients escape them. */
function templateOf(path: string): string {
  return path.replaceAll('{', '%7B').replaceAll('}', '%7D').replaceAll(/(?<=\/):([^/]+)/g, '{$1}');
}

function operationObject(operation: DescribedOperation, names: readonly string[], shared: Shared): OperationObject {
  const { schemas, problems, security } = shared;
  const { endpoint, operationId, members } = operation;
  const ownTags = endpoint.name === '' ? undefined : [endpoint.name];
  const { tags = ownTags, summary, description, deprecated } = members as Partial<OperationObject>;
  const requirements = security.requirementsOf(endpoint);
  const parameters = parametersOf(operation, names, schemas);
  const requestBody = requestBodyOf(operation, schemas);
  return {
    ...given({ tags: tags && [...tags], summary, description }),
    operationId,
    ...given({ deprecated, parameters: parameters.length === 0 ? undefined : parameters, requestBody }),
    responses: responsesOf(operation, requirements !== undefined && requirements.length > 0, schemas, problems),
    ...given({ security: requirements }),
  };
}
