/** The options of `restpoint/mcp`. Compiling this file is the test. */
import { bearer } from '../../src/auth/index.ts';
import { ApiServer, type ContextRequest } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { same } from './schemas.ts';

const server = new ApiServer('');
const info = { name: 'zoo', version: '1' };

server.mount('/mcp', mcpHandler(server, { info }));
server.mount('/mcp', mcpHandler(server, { info, context: bearer((token) => token), bodyBytes: 2 ** 16 }));
mcpHandler(server, { info, context: (request) => same<typeof request, ContextRequest>(true) });
mcpHandler(server, { info, context: async ({ raw }) => raw.headers['x-admin'] === 'yes' });
mcpHandler(server, { info, context: bearer((token) => ({ token })), tools: (tool, user) => same<typeof user, { token: string }>(true) && tool.annotations.readOnlyHint });
mcpHandler(server, { info, context: async ({ raw }) => (raw.headers['x-admin'] === 'yes' ? { isAdmin: true } : false), tools: ({ scopes, tags }, { isAdmin }) => isAdmin || scopes.length + tags.length === 0 });
mcpHandler(server, { info, tools: ({ name }, user) => same<typeof user, unknown>(true) && name === 'petGet' });
// @ts-expect-error a promise would be any tool
mcpHandler(server, { info, tools: async () => true });
// @ts-expect-error no function
mcpHandler(server, { info, context: 'ann' });
// @ts-expect-error no number
mcpHandler(server, { info, bodyBytes: '1mb' });
// @ts-expect-error a misspelt option
mcpHandler(server, { info, bodyByte: 1 });
