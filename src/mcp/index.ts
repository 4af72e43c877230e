export { mcpHandler } from './mcp-handler.ts';
export type { ListedTool, McpOptions } from './mcp-options.ts';
