export { mcpHandler } from './handler.ts';
export type { ListedTool, McpOptions } from './options.ts';
