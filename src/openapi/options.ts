/** The options of `openApi`. */
import { type Checked, functionOr, oneOf, option, required, type Shape, shape } from '../util/options.ts';
import type { OpenApiDocument } from './open-api.ts';
import type { SchemaConverter } from './schemas/conversion.ts';

/** The Info Object of OpenAPI. */
export interface OpenApiInfo {
  readonly title: string;
  /** The version of the API. */
  readonly version: string;
  readonly summary?: string;
  readonly description?: string;
  readonly termsOfService?: string;
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string };
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string };
  readonly [extension: `x-${string}`]: unknown;
}

/** The Server Object of OpenAPI. */
export interface OpenApiServerObject {
  /** Where the server is, without its root: the paths of the document have that. */
  readonly url: string;
  readonly description?: string;
  readonly variables?: Readonly<Record<string, OpenApiServerVariable>>;
  readonly [extension: `x-${string}`]: unknown;
}

/** The Server Variable Object of OpenAPI. */
export interface OpenApiServerVariable {
  readonly default: string;
  readonly enum?: readonly string[];
  readonly description?: string;
}

/** The Tag Object of OpenAPI. */
export interface OpenApiTag {
  /** The name of an endpoint, or one of the `tags` of an operation. */
  readonly name: string;
  readonly description?: string;
  readonly externalDocs?: { readonly url: string; readonly description?: string };
  readonly [extension: `x-${string}`]: unknown;
}

/** The parts of a document that no declaration has. An unknown name throws `TypeError`. */
export interface OpenApiOptions {
  readonly info: OpenApiInfo;
  readonly servers?: readonly OpenApiServerObject[];
  readonly tags?: readonly OpenApiTag[];
  /**
   * Returns the JSON Schema (draft 2020-12) of one side of a decoder, or `undefined`. Called for decoders without a Standard JSON Schema,
   * and for those whose own fails. If it returns `undefined`, the document has `{}`.
   */
  readonly jsonSchema?: SchemaConverter;
  /** The version of OpenAPI. Only 3.2 has QUERY and the items of a sequence. Default: `3.1`. */
  readonly version?: '3.1' | '3.2';
  /** The path, with the root of the server, at or below which operations are described, such as `/v2`. Default: all are. */
  readonly pathPrefix?: string;
  /** Returns the document as it is served: the one that it gets, which it may change, or a different one. It is copied as plain JSON. */
  readonly transform?: (document: OpenApiDocument) => OpenApiDocument;
  /**
   * Called for each schema that is `{}` because no source has it, for each response that is not known, for each operation that the document
   * cannot have, and if `pathPrefix` selects none. A test can throw here. Default: nothing happens.
   */
  readonly onWarning?: (message: string) => unknown;
}

/** The options after their check. `pathPrefix` is empty for all paths. */
export type CheckedOptions = Checked<OpenApiOptions, 'version' | 'pathPrefix' | 'onWarning'>;

const PREFIX = /^(?:\/[^/]+)+$/;

export const OPEN_API_OPTIONS: Shape<CheckedOptions> = shape({
  info: required(option('an object', checkInfo, undefined)),
  servers: option<OpenApiOptions['servers']>('a list', checkList, undefined),
  tags: option<OpenApiOptions['tags']>('a list', checkList, undefined),
  jsonSchema: functionOr(),
  version: oneOf(['3.1', '3.2']),
  pathPrefix: option('a path', checkPrefix, ''),
  transform: functionOr(),
  onWarning: functionOr((_message: string): unknown => undefined),
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

function checkPrefix(value: unknown, path: string): string {
  if (typeof value !== 'string' || !PREFIX.test(value)) throw new TypeError(`${path} must be a path such as /v2: ${String(value)}`);
  return value;
}
