import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { openApiHandler } from 'restpoint/openapi';

const admin = bearer((token) => token === 'letmein');
const info = { title: 'Zoo', version: '1.0.0' };

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({ id: integerId, get: (id) => ({ id, name: 'Rex' }) }),
  '/admin/log': defineEndpoint({ context: admin, get: () => [] }),
});
server.mount('/openapi.json', openApiHandler(server, { info, include: ({ path }) => !path.startsWith('/v1/admin/') }));
server.mount('/admin/openapi.json', openApiHandler(server, { info }), { context: admin });
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
