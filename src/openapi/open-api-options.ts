/** The options of `openApi`. */
import type { AnyDecoder } from '../declaration/decoder.ts';
import type { Route } from '../declaration/request.ts';
import {
  type Checked, checkObject, functionOr, oneOf, option, optional, required, type Shape, shape, string, strings,
} from '../util/options.ts';
import type { OpenApiDocument, OpenApiInfo, OpenApiServerObject, OpenApiTag } from './document.ts';
import { describeType } from '../util/promises.ts';
import { omitUndefined } from './plain-json.ts';

/**
 * A webhook that the API sends.
 *
 * @example
 * ```ts
 * const created: OpenApiWebhook = { schema: Pet, summary: 'A pet was created.' };
 * openApi(server, { info: { title: 'Pets', version: '1.0.0' }, webhooks: { 'pet.created': created } });
 * ```
 */
export interface OpenApiWebhook {
  /** The schema of its body. It is only described: your own code makes and sends the webhook. */
  readonly schema: AnyDecoder;
  /** A short description. Default: the words of its name. */
  readonly summary?: string;
  /** A long description, in CommonMark. */
  readonly description?: string;
  /** The names of tags that it is listed under. */
  readonly tags?: readonly string[];
  /** Its unique name in generated code. Default: `petCreatedWebhook` for `pet.created`. */
  readonly operationId?: string;
  /** Whether receivers should no longer rely on it. */
  readonly deprecated?: true;
}

/**
 * An operation, as the option `include` of `openApi` gets it.
 *
 * @example
 * ```ts
 * const isPublic = ({ tags }: OpenApiOperation): boolean => !tags.includes('admin');
 * ```
 */
export interface OpenApiOperation extends Route {
  /** The name, such as `petGet`. */
  readonly operationId: string;
  /** Its `tags`, or else the name of its endpoint. */
  readonly tags: readonly string[];
  /** The scopes that a caller needs. */
  readonly scopes: readonly string[];
}

/**
 * The parts of a document that no declaration has. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const options: OpenApiOptions = { info: { title: 'Pets', version: '1.0.0' }, servers: [{ url: 'https://api.example' }] };
 * console.log(openApi(server, options).paths);
 * server.mount('/openapi.json', openApiHandler(server, options));
 * ```
 */
export interface OpenApiOptions {
  /** The title and the version of the API. */
  readonly info: OpenApiInfo;
  /** Where the API is served. */
  readonly servers?: readonly OpenApiServerObject[];
  /** Descriptions of the groups of operations. */
  readonly tags?: readonly OpenApiTag[];
  /**
   * The webhooks that the API sends, by name. Each is described as a POST with the headers of Standard Webhooks: `webhook-id`,
   * `webhook-timestamp` and `webhook-signature`.
   *
   * @example
   * ```ts
   * openApi(server, {
   *   info: { title: 'Zoo', version: '1' },
   *   webhooks: { 'pet.created': { schema: Pet, summary: 'A pet was created' } },
   * });
   * ```
   */
  readonly webhooks?: Readonly<Record<string, OpenApiWebhook>>;
  /**
   * Whether the document has an operation. One that it leaves out is still served. It also leaves out what only these have: their
   * schemas, security schemes and `tags`. Operations with `hidden` are in no document. A result that is not a boolean is a `TypeError`.
   * Default: it has all others.
   *
   * @example
   * ```ts
   * const info = { title: 'Pets', version: '1.0.0' };
   * server.mount('/openapi.json', openApiHandler(server, { info, include: ({ tags }) => !tags.includes('admin') }));
   * server.mount('/admin/openapi.json', openApiHandler(server, { info }), { context: signedIn });
   * ```
   */
  readonly include?: (operation: OpenApiOperation) => boolean;
  /** Returns the document as it is served: the one that it gets, which it may change, or a different one. It is copied as plain JSON. */
  readonly transform?: (document: OpenApiDocument) => OpenApiDocument;
}

/** The options after their check. */
export type CheckedOpenApiOptions = Checked<OpenApiOptions, 'webhooks'>;

/** `webhooks: a webhook`: {@link OpenApiWebhook}. */
export const WEBHOOK_OPTIONS: Shape<Checked<OpenApiWebhook, 'schema'>> = shape({
  schema: required(option('a schema', checkWebhookSchema, undefined)),
  summary: string(),
  description: string(),
  tags: optional(strings()),
  operationId: string(),
  deprecated: optional(oneOf([true])),
});

/** `openApi(server, options)`: {@link OpenApiOptions}. */
export const OPEN_API_OPTIONS: Shape<CheckedOpenApiOptions> = shape({
  info: required(option('an object', checkInfo, undefined)),
  servers: option<OpenApiOptions['servers']>('a list', checkList, undefined),
  tags: option<OpenApiOptions['tags']>('a list', checkList, undefined),
  webhooks: option('webhooks by name', checkWebhooks, {}),
  include: functionOr(),
  transform: functionOr(),
});

function checkInfo(value: unknown, path: string): OpenApiInfo {
  const { title, version } = Object(value) as Partial<Record<keyof OpenApiInfo, unknown>>;
  if (typeof title !== 'string' || typeof version !== 'string') throw new TypeError(`${path} must have a title and a version`);
  return value as OpenApiInfo;
}

function checkList<T>(value: unknown, path: string): readonly T[] {
  if (!Array.isArray(value)) throw new TypeError(`${path} must be a list: ${typeof value}`);
  return value as readonly T[];
}

function checkWebhooks(value: unknown, path: string): Readonly<Record<string, OpenApiWebhook>> {
  const webhooks = Object.entries(checkObject(value, path));
  return Object.fromEntries(webhooks.map(([name, webhook]) => [name, omitUndefined(WEBHOOK_OPTIONS.check(webhook, `${path}.${name}`))]));
}

function checkWebhookSchema(value: unknown, path: string): AnyDecoder {
  if (typeof value === 'function' || '~standard' in Object(value)) return value as AnyDecoder;
  throw new TypeError(`${path} must be a schema, or a function: ${describeType(value)}`);
}
