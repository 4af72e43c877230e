/** The methods that clients call. */
import type { OuterRequest } from '../endpoint/nested.ts';
import { splitTemplate } from '../router/pattern.ts';
import { isObject, LEGACY, type Message, META, REVISIONS, RpcError } from './messages.ts';
import type { ServerWithTools } from './handler.ts';
import type { McpOptions } from './options.ts';
import { callTool, type Literals } from './tool-call.ts';
import { listTools, type Tool } from './tools.ts';

// Some clients ask only for the first page.
const PAGE = 200;
// How long a client may keep the list of tools, in milliseconds. Only a registration changes the list.
const TTL = { ttlMs: 60_000, cacheScope: 'private' };
const CAPABILITIES = { tools: {} };

/** The tools of a server, until the next registration. */
interface Listed {
  readonly registered: number;
  readonly tools: readonly Tool[];
  readonly byName: ReadonlyMap<string, Tool>;
  readonly literals: Literals;
}

export class Methods {
  readonly #server: ServerWithTools;
  readonly #options: Pick<McpOptions, 'info' | 'jsonSchema'>;
  #listed: Listed | undefined;

  constructor(server: ServerWithTools, options: Pick<McpOptions, 'info' | 'jsonSchema'>) {
    this.#server = server;
    this.#options = options;
  }

  /** The result of a request. Throws `RpcError`. */
  async call(message: Message, isModern: boolean, outer: OuterRequest): Promise<object> {
    const result = await this.#handle(message, isModern, outer);
    return isModern ? { resultType: 'complete', ...result, _meta: { [`${META}serverInfo`]: this.#options.info } } : result;
  }

  #handle({ method, params }: Message, isModern: boolean, outer: OuterRequest): object | Promise<object> {
    if (method === 'tools/list') return { ...this.#list(params), ...(isModern && TTL) };
    if (method === 'tools/call') return this.#callTool(params, outer);
    if (isModern && method === 'server/discover') return { supportedVersions: REVISIONS, capabilities: CAPABILITIES, ...TTL };
    if (!isModern && method === 'ping') return {};
    if (!isModern && method === 'initialize') return this.#initialize(params);
    throw new RpcError('unknownMethod', 'There is no such method.');
  }

  /** A client that asks for any other revision gets the newest, and may disconnect. */
  #initialize({ protocolVersion }: Message['params']): object {
    if (typeof protocolVersion !== 'string') throw new RpcError('params', 'The protocolVersion must be a string.');
    const revision = LEGACY.find((each) => each === protocolVersion) ?? LEGACY[0];
    return { protocolVersion: revision, capabilities: CAPABILITIES, serverInfo: this.#options.info };
  }

  #list({ cursor }: Message['params']): object {
    const { tools, byName } = this.#tools();
    const last = typeof cursor === 'string' ? byName.get(Buffer.from(cursor, 'base64url').toString()) : undefined;
    if (cursor !== undefined && last === undefined) throw new RpcError('params', 'The cursor is not from this list.');
    const start = last === undefined ? 0 : tools.indexOf(last) + 1;
    const page = tools.slice(start, start + PAGE);
    const end = page.at(-1);
    const hasMore = end !== undefined && start + PAGE < tools.length;
    return { tools: page.map(({ listed }) => listed), ...(hasMore && { nextCursor: Buffer.from(end.name).toString('base64url') }) };
  }

  #callTool({ name, arguments: given = {} }: Message['params'], outer: OuterRequest): Promise<object> {
    const { byName, literals } = this.#tools();
    if (typeof name !== 'string') throw new RpcError('params', 'The name of the tool must be a string.');
    const tool = byName.get(name);
    if (tool === undefined) throw new RpcError('params', 'There is no such tool.');
    if (!isObject(given)) throw new RpcError('params', 'The arguments must be an object.');
    return callTool(this.#server[' nested'], tool, given, literals, outer);
  }

  #tools(): Listed {
    const { all } = this.#server[' registered'];
    if (this.#listed?.registered === all.length) return this.#listed;
    const tools = listTools(this.#server, this.#options);
    const paths = all.flatMap((each) => ('operations' in each ? each.operations.map(({ pattern }) => pattern.template) : []));
    const literals = new Set(paths.flatMap((path) => splitTemplate(path).flatMap(({ raw, name }) => (name === undefined ? [raw] : []))));
    return (this.#listed = { registered: all.length, tools, byName: new Map(tools.map((tool) => [tool.name, tool])), literals });
  }
}
