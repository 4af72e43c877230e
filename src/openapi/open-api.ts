/**
 * Describes the endpoints of a server as an OpenAPI 3.1 document. All of it follows from the declarations, the same that routes,
 * discovery and decoding follow from:
 *
 *   get at /pet with an integerId   ->   paths["/v1/pet/{id}"].get, operationId petGet, 200, 400, 404 and any other problem
 */
import type { DescribedServer } from '../endpoint/model/endpoint.ts';
import { describedOperations } from './described-endpoint.ts';
import { given, plainCopy } from './schemas/plain.ts';
import { checkedOptions, type OpenApiInfo, type OpenApiOptions, type OpenApiServerObject, type OpenApiTag } from './options.ts';
import { pathsOf, type PathItem } from './paths.ts';
import { Problems, type Response } from './problems.ts';
import { sortedEntries, type JsonSchema } from './schemas/json-schema.ts';
import { Schemas } from './schemas/schemas.ts';
import { SecuritySchemes } from './security.ts';

/** An OpenAPI 3.1 document, as plain JSON. */
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
}

/**
 * Makes the document. It is the same for the same registrations: paths in order of registration, components sorted by name.
 *
 * Throws `TypeError` for an invalid option; for two operations with one `operationId`; for two components or two security schemes with
 * one name. Throws what `onProblem` throws.
 */
export function openApi(server: DescribedServer, options: OpenApiOptions): OpenApiDocument {
  const { info, servers, tags, jsonSchema, onProblem } = checkedOptions(options);
  const registered = server['~registered'];
  const problems = new Problems(registered.formatsProblems);
  const security = new SecuritySchemes();
  const operations = describedOperations(registered);
  const schemas = new Schemas(jsonSchema, onProblem, operations.length === 0 ? {} : problems.schemas);
  const paths = pathsOf(operations, { schemas, problems, security });
  const components = {
    ...filled('schemas', Object.fromEntries(sortedEntries(schemas.finish()))),
    ...filled('responses', problems.responses),
    ...filled('securitySchemes', security.schemes),
  };
  return { openapi: '3.1.0', ...plainCopy(given({ info, servers, tags })), paths, ...filled('components', components) };
}

function filled(name: string, members: object): object {
  return Object.keys(members).length === 0 ? {} : { [name]: members };
}
