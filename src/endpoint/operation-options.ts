/** The options of an operation. */
import {
  anything, boolean, type Checked, checkString, functionOr, oneOf, option, optional, required, type Shape, shape, string, strings,
  type UserFunction,
} from '../util/options.ts';
import { CACHE_OPTIONS, type CacheOptions } from '../declaration/cache-options.ts';
import { NAMED_METHODS } from '../declaration/kinds.ts';
import type { AnyContextFunction } from './context.ts';

/** The options after their check. Documents, clients and tools read the last ones, and requests do not need them. */
export interface CheckedOperationOptions {
  readonly run: UserFunction;
  readonly method: string;
  readonly input: unknown;
  readonly query: unknown;
  readonly lists: readonly string[];
  readonly headers: unknown;
  readonly optional: boolean;
  readonly output: unknown;
  readonly errors: unknown;
  readonly responseHeaders: unknown;
  readonly context: AnyContextFunction | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly use: unknown;
  readonly limits: unknown;
  readonly cache: Checked<CacheOptions> | undefined;
  readonly etag: 'body' | undefined;
  readonly deprecated: true | undefined;
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly string[] | undefined;
  readonly operationId: string | undefined;
  readonly hidden: boolean | undefined;
  readonly tool: unknown;
}

const HINT = optional(boolean());
const TOOL_OPTIONS = shape({
  name: option('a name', checkToolName, undefined),
  description: string(),
  headers: strings(),
  annotations: optional(shape({ readOnlyHint: HINT, destructiveHint: HINT, idempotentHint: HINT, openWorldHint: HINT })),
});

/** `an operation`: {@link OperationOptions}, {@link QueryingOptions}, {@link OptionsWithBody}, {@link NamedOptions}. */
export const OPERATION_OPTIONS: Shape<CheckedOperationOptions> = shape({
  run: required(functionOr()),
  method: option("`'GET'` or `'POST'`", checkMethod, 'POST'),
  input: anything('a decoder'),
  query: anything('a decoder'),
  lists: strings([]),
  headers: anything('a decoder'),
  optional: boolean(),
  output: anything('a decoder'),
  errors: anything('decoders by status'),
  responseHeaders: anything('decoders by name'),
  context: functionOr<AnyContextFunction>(),
  scopes: strings(),
  use: anything('interceptors'),
  limits: anything('limits'),
  cache: optional(CACHE_OPTIONS),
  etag: option<'body' | undefined>("`'body'`", checkEtag, undefined),
  summary: string(),
  description: string(),
  tags: strings(),
  deprecated: optional(oneOf([true])),
  operationId: option<string | undefined>('a string', checkOperationId, undefined),
  hidden: optional(boolean()),
  tool: option('`true`, or `{ name, description, headers, annotations }`', checkTool, undefined),
});

function checkMethod(value: unknown, path: string): string {
  if (NAMED_METHODS.includes(value as string)) return value as string;
  throw new TypeError(`${path} must be one of ${NAMED_METHODS.join(', ')}: ${String(value)}`);
}

function checkEtag(value: unknown, path: string): 'body' {
  if (value === 'body') return value;
  throw new TypeError(`${path} must be 'body': ${String(value)}`);
}

// Code generators make names from an id.
function checkOperationId(value: unknown, path: string): string {
  if (value === '') throw new TypeError(`${path} must not be empty`);
  return checkString(value, path);
}

function checkTool(value: unknown, path: string): unknown {
  if (value === true) return value;
  if (typeof value !== 'object') {
    throw new TypeError(`${path} must be true, or an object with name, description, headers or annotations: ${String(value)}`);
  }
  return TOOL_OPTIONS.check(value, path);
}

// The names of tools that all clients of the Model Context Protocol take.
const TOOL_NAME = /^[A-Za-z0-9._-]{1,128}$/;

function checkToolName(value: unknown, path: string): string | undefined {
  if (TOOL_NAME.test(checkString(value, path))) return value as string;
  throw new TypeError(`${path} must be 1 to 128 characters of A-Z a-z 0-9 . _ -: ${JSON.stringify(value)}`);
}
