import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { openApiHandler, swaggerUiHandler } from 'restpoint/openapi';

const server = new ApiServer('/v1');
server.registerEndpoints({ '/pet': defineEndpoint({ id: integerId, get: { summary: 'One pet', run: (id) => ({ id, name: 'Rex' }) } }) });
server.mount('/openapi.json', openApiHandler(server, { info: { title: 'Zoo', version: '1.0.0' } }));

const assets = import.meta.resolve('swagger-ui-dist/package.json');
server.mount('/docs', swaggerUiHandler({ url: '/openapi.json', assets }));

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
console.log(`the page is at ${started.url}/docs`);
