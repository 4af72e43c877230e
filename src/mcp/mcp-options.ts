/** The options of a server of tools. */
import type { AnyContextFunction } from '../endpoint/context.ts';
import type { ToolAnnotations } from '../declaration/operation-forms.ts';
import type { ContextRequest } from '../declaration/request.ts';
import {
  checkStrings, functionOr, integer, MAX_BYTES, option, required, type Shape, shape, string, type UserFunction,
} from '../util/options.ts';

/**
 * A tool, as the option `tools` of `mcpHandler` gets it.
 *
 * @example
 * ```ts
 * const isForGuests = ({ annotations }: ListedTool): boolean => annotations.readOnlyHint;
 * ```
 */
export interface ListedTool {
  /** The name, such as `petGet`. */
  readonly name: string;
  /** The scopes that its operation needs. */
  readonly scopes: readonly string[];
  /** The tags of its operation. */
  readonly tags: readonly string[];
  /** What clients may assume about its calls. */
  readonly annotations: Required<ToolAnnotations>;
}

/**
 * The options of `mcpHandler`. An unknown name throws `TypeError`.
 *
 * @example
 * ```ts
 * const options: McpOptions = { info: { name: 'zoo', version: '1.0.0' }, allowedOrigins: ['https://chat.example'] };
 * server.mount('/mcp', mcpHandler(server, options));
 * ```
 */
export interface McpOptions<Context = unknown> {
  /** The name and the version of this server, which clients show. */
  readonly info: { readonly name: string; readonly version: string };
  /**
   * The origins of the pages that may send requests, such as `https://chat.example`, in addition to the origins of the server's option
   * `cors`. Default: none. A request without `Origin` comes from no page.
   */
  readonly allowedOrigins?: readonly string[];
  /**
   * Authenticates the caller of every message before its body is read: a caller whom it rejects gets 401 or 403, as from the `context` of
   * an endpoint. Without it, a message is read before the operation of the tool authenticates its caller. The operation still does so. Its
   * `request` has no `itemId` and no `params`. It has `limits.operationMs` of the server: after that, the message gets 503, and the
   * request's `signal` aborts. Default: none.
   *
   * @example
   * ```ts
   * server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' }, context: signedIn }));
   * ```
   */
  readonly context?: (request: ContextRequest) => Context;
  /**
   * Whether a caller has a tool. `context` is the result of the option `context`. A tool that a caller does not have is not listed, and a
   * call of it fails as if it did not exist. The operation still authenticates its caller. A result that is not a boolean is a logged 500.
   * Default: every caller has all tools.
   *
   * @example
   * ```ts
   * server.mount('/mcp', mcpHandler(server, {
   *   info: { name: 'zoo', version: '1' },
   *   context: signedIn,
   *   tools: ({ scopes }, user) => scopes.every((scope) => user.scopes.some((each) => each === scope)),
   * }));
   * ```
   */
  readonly tools?: (tool: ListedTool, context: Exclude<Awaited<Context>, false>) => boolean;
  /** The longest message, in bytes. A longer one gets 413. @default 1,048,576 (1 MiB) */
  readonly bodyBytes?: number;
}

/** The options after their check. */
export interface CheckedMcpOptions extends Required<Pick<McpOptions, 'info' | 'allowedOrigins' | 'bodyBytes'>> {
  readonly context: AnyContextFunction | undefined;
  readonly tools: UserFunction | undefined;
}

/** `mcpHandler(server, options)`: {@link McpOptions}. */
export const MCP_OPTIONS: Shape<CheckedMcpOptions> = shape({
  info: required(shape({ name: required(string()), version: required(string()) })),
  allowedOrigins: option('a list of origins', checkAllowedOrigins, []),
  context: functionOr<AnyContextFunction>(),
  tools: functionOr(),
  // More than a model sends.
  bodyBytes: integer(1, MAX_BYTES, 2 ** 20),
});

function checkAllowedOrigins(value: unknown, path: string): readonly string[] {
  const origins = checkStrings(value, path);
  const wrong = origins.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (wrong === undefined) return origins;
  throw new TypeError(`${path} must be origins, such as https://chat.example: ${JSON.stringify(wrong)}`);
}
