export { mcpHandler, type McpServer } from './handler.ts';
export type { McpOptions } from './options.ts';
