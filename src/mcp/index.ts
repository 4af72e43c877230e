export { mcpHandler, type ServerWithTools } from './handler.ts';
export type { ListedTool, McpOptions } from './options.ts';
