/** The options of `mcpHandler`. */
import type { ContextFunction } from '../endpoint/context.ts';
import type { ContextRequest } from '../endpoint/request.ts';
import { functionFrom, knownMembersOf, MAX_BYTES, numberFrom, textFrom, textsFrom } from '../util/options.ts';
import type { SchemaSource } from '../openapi/schemas/conversion.ts';

/** What a server of tools needs to know besides the declarations. An unknown name throws `TypeError`. */
export interface McpOptions {
  /** The name and the version of this server, which clients show. */
  readonly info: { readonly name: string; readonly version: string };
  /**
   * The origins of the pages that may send requests, such as `https://chat.example`. Default: none. A request without `Origin` comes from no page.
   */
  readonly origins?: readonly string[];
  /** As in `openApi`: the JSON Schema of decoders that have none. */
  readonly jsonSchema?: SchemaSource;
  /**
   * Authenticates the caller of every message before its body is read: a caller whom it rejects gets 401 or 403, as from the `context` of an
   * endpoint. Without it, a message is read before the operation of the tool authenticates its caller. The operation still does so. Its
   * `request` has no `itemId` and no `params`. Default: none.
   *
   * @example
   * ```ts
   * server.registerHandler('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' }, context: signedIn }));
   * ```
   */
  readonly context?: (request: ContextRequest) => unknown;
  /** The longest message, in bytes. A longer one gets 413. @default 1,048,576 (1 MiB) */
  readonly bodyBytes?: number;
}

/** The options with their defaults. */
export interface CheckedOptions extends Required<Pick<McpOptions, 'info' | 'origins' | 'bodyBytes'>>, Pick<McpOptions, 'jsonSchema'> {
  readonly context: ContextFunction | undefined;
}

// More than the arguments of a model.
const BODY_BYTES = 2 ** 20;

const NAMES: readonly string[] = ['info', 'origins', 'jsonSchema', 'context', 'bodyBytes'] satisfies (keyof McpOptions)[];

/** Throws `TypeError` that names the wrong option. */
export function checkedOptions(options: McpOptions): CheckedOptions {
  knownMembersOf(options, 'options', NAMES);
  const { info, origins = [], jsonSchema, context, bodyBytes = BODY_BYTES } = options;
  const { name, version } = knownMembersOf(info, 'options.info', ['name', 'version']);
  for (const [member, value] of Object.entries({ name, version })) {
    if (textFrom(value, `options.info.${member}`) === undefined) throw new TypeError(`options.info.${member} is missing`);
  }
  functionFrom(jsonSchema, 'options.jsonSchema');
  numberFrom(bodyBytes, 'options.bodyBytes', [1, MAX_BYTES]);
  for (const origin of textsFrom(origins, 'options.origins')) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    throw new TypeError(`options.origins must be origins, such as https://chat.example: ${JSON.stringify(origin)}`);
  }
  return { info, origins, bodyBytes, context: functionFrom(context, 'options.context'), ...(jsonSchema && { jsonSchema }) };
}
