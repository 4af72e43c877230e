export { mcpHandler, type ServerWithTools } from './handler.ts';
export type { McpOptions } from './options.ts';
