/** The options of a server of tools. */
import type { ContextFunction } from '../endpoint/context.ts';
import type { ContextRequest } from '../endpoint/request.ts';
import { checkStrings, functionOr, integer, MAX_BYTES, option, required, type Shape, shape, string } from '../util/options.ts';
import type { SchemaConverter } from '../openapi/schemas/conversion.ts';

/**
 * The options of `mcpHandler`. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const options: McpOptions = { info: { name: 'zoo', version: '1.0.0' }, allowedOrigins: ['https://chat.example'] };
 * server.mount('/mcp', mcpHandler(server, options));
 * ```
 */
export interface McpOptions {
  /** The name and the version of this server, which clients show. */
  readonly info: { readonly name: string; readonly version: string };
  /**
   * The origins of the pages that may send requests, such as `https://chat.example`, in addition to the origins of the server's option
   * `cors`. Default: none. A request without `Origin` comes from no page.
   */
  readonly allowedOrigins?: readonly string[];
  /** As in `openApi`: the JSON Schema of decoders that have none. */
  readonly jsonSchema?: SchemaConverter | undefined;
  /**
   * Authenticates the caller of every message before its body is read: a caller whom it rejects gets 401 or 403, as from the `context` of
   * an endpoint. Without it, a message is read before the operation of the tool authenticates its caller. The operation still does so. Its
   * `request` has no `itemId` and no `params`. Default: none.
   *
   * @example
   * ```ts
   * server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' }, context: signedIn }));
   * ```
   */
  readonly context?: (request: ContextRequest) => unknown;
  /** The longest message, in bytes. A longer one gets 413. @default 1,048,576 (1 MiB) */
  readonly bodyBytes?: number;
}

/** The options after their check. */
export interface CheckedOptions extends Required<Pick<McpOptions, 'info' | 'allowedOrigins' | 'bodyBytes'>> {
  readonly jsonSchema: SchemaConverter | undefined;
  readonly context: ContextFunction | undefined;
}

export const MCP_OPTIONS: Shape<CheckedOptions> = shape({
  info: required(shape({ name: required(string()), version: required(string()) })),
  allowedOrigins: option('a list of origins', checkOrigins, []),
  jsonSchema: functionOr(),
  context: functionOr<ContextFunction>(),
  // More than a model sends.
  bodyBytes: integer(1, MAX_BYTES, 2 ** 20),
});

function checkOrigins(value: unknown, path: string): readonly string[] {
  const origins = checkStrings(value, path);
  const wrong = origins.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (wrong === undefined) return origins;
  throw new TypeError(`${path} must be origins, such as https://chat.example: ${JSON.stringify(wrong)}`);
}
