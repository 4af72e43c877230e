/** The options of `mcpHandler`. */
import { functionFrom, knownMembersOf, textFrom, textsFrom } from '../errors/members.ts';
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
}

const NAMES: readonly string[] = ['info', 'origins', 'jsonSchema'] satisfies (keyof McpOptions)[];

/** Throws `TypeError` that names the wrong option. */
export function checkedOptions(options: McpOptions): Required<Pick<McpOptions, 'info' | 'origins'>> & Pick<McpOptions, 'jsonSchema'> {
  knownMembersOf(options, 'options', NAMES);
  const { info, origins = [], jsonSchema } = options;
  const { name, version } = knownMembersOf(info, 'options.info', ['name', 'version']);
  for (const [member, value] of Object.entries({ name, version })) {
    if (textFrom(value, `options.info.${member}`) === undefined) throw new TypeError(`options.info.${member} is missing`);
  }
  functionFrom(jsonSchema, 'options.jsonSchema');
  for (const origin of textsFrom(origins, 'options.origins')) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue;
    throw new TypeError(`options.origins must be origins, such as https://chat.example: ${JSON.stringify(origin)}`);
  }
  return { info, origins, ...(jsonSchema && { jsonSchema }) };
}
