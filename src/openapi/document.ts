/** The types of a document, as OpenAPI names its objects. */
import type { JsonSchema } from '../endpoint/json-schema.ts';
import type { RequestBody } from './content.ts';
import type { Parameter } from './parameters.ts';
import type { Response, Responses } from './responses.ts';

/**
 * The Info Object of OpenAPI.
 *
 * @example
 * ```ts
 * const info: OpenApiInfo = { title: 'Pets', version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } };
 * openApi(server, { info });
 * ```
 */
export interface OpenApiInfo {
  /** The name of the API. */
  readonly title: string;
  /** The version of the API. */
  readonly version: string;
  /** A short summary. */
  readonly summary?: string;
  /** A description, in Markdown. */
  readonly description?: string;
  /** The URL of the terms of service. */
  readonly termsOfService?: string;
  /** Whom to ask. */
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  /** The license of the API. */
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
  readonly [extension: `x-${string}`]: unknown;
}

/**
 * The Server Object of OpenAPI.
 *
 * @example
 * ```ts
 * const url: OpenApiServerObject = { url: 'https://{region}.api.example', variables: { region: { default: 'eu', enum: ['eu', 'us'] } } };
 * openApi(server, { info: { title: 'Pets', version: '1.0.0' }, servers: [url] });
 * ```
 */
export interface OpenApiServerObject {
  /** Where the server is, without its root: the paths of the document have that. */
  readonly url: string;
  /** A description, in Markdown. */
  readonly description?: string;
  /** The variables in the URL, by name. */
  readonly variables?: Readonly<Record<string, OpenApiServerVariable>>;
  readonly [extension: `x-${string}`]: unknown;
}

/** The Server Variable Object of OpenAPI. */
export interface OpenApiServerVariable {
  /** The value that is used if none is chosen. */
  readonly default: string;
  /** The values that can be chosen. */
  readonly enum?: readonly string[];
  /** A description, in Markdown. */
  readonly description?: string;
}

/**
 * The Tag Object of OpenAPI.
 *
 * @example
 * ```ts
 * const tag: OpenApiTag = { name: 'pet', description: 'The pets of the zoo.' };
 * openApi(server, { info: { title: 'Pets', version: '1.0.0' }, tags: [tag] });
 * ```
 */
export interface OpenApiTag {
  /** The name of an endpoint, or one of the `tags` of an operation. */
  readonly name: string;
  /** A description, in Markdown. */
  readonly description?: string;
  /** Where more is written. */
  readonly externalDocs?: { readonly url: string; readonly description?: string };
  readonly [extension: `x-${string}`]: unknown;
}

/** A list of Security Requirement Objects. An empty list admits anyone. */
export type SecurityRequirements = readonly Readonly<Record<string, readonly string[]>>[];

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

/** The Components Object of OpenAPI. */
export interface Components {
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
  readonly responses?: Readonly<Record<string, Response>>;
  readonly headers?: Readonly<Record<string, object>>;
  readonly securitySchemes?: Readonly<Record<string, object>>;
}

/** The Path Item Object of OpenAPI: an operation for each method, in lower case. */
export type PathItem = Readonly<Record<string, OperationObject>>;

/** An OpenAPI document, as plain JSON. */
export interface OpenApiDocument {
  /** The version of OpenAPI, `3.1.0`. */
  readonly openapi: string;
  /** The title and the version of the API. */
  readonly info: OpenApiInfo;
  /** Where the API is served. */
  readonly servers?: readonly OpenApiServerObject[];
  /** The groups of operations. */
  readonly tags?: readonly OpenApiTag[];
  /** The operations, by path and method. */
  readonly paths: Readonly<Record<string, PathItem>>;
  /** The requests that the API sends, by name. */
  readonly webhooks?: Readonly<Record<string, PathItem>>;
  /** The schemas, responses and security schemes that the document refers to. */
  readonly components?: Components;
  readonly [extension: `x-${string}`]: unknown;
}
