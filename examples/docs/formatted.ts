import { ApiServer, defineEndpoint, integerId } from 'restpoint';

const server = new ApiServer('/v1', {
  formatProblem: ({ status, title, detail, errors }) => ({ body: { error: { code: status, message: detail ?? title, errors } } }),
});
server.registerEndpoints({
  '/pet': defineEndpoint({ id: integerId, get: () => undefined }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
