/** An Express 5 app that mounts the listener: at its root, below a path, and in a router. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import express from 'express';
import * as restpoint from '../../dist/index.js';
import { openApiHandler, swaggerUiHandler } from '../../dist/openapi/index.js';
import { checking } from './checks.js';
import { listening } from './middleware.js';
import { checkRequests, WireClient } from './wire.js';
import { zooServer } from './zoo.js';

/** A zoo below `/api` and, in a router, below `/deep/er`; pages of Express around it. */
function appWithZoo() {
  const app = express();
  const router = express.Router();
  const inRouter = zooServer(restpoint);
  router.use('/er', inRouter.requestListener);
  app.use('/api', zooServer(restpoint).requestListener);
  app.use('/deep', router);
  app.post('/api/page', express.json(), (request, response) => response.json({ base: request.baseUrl, got: request.body }));
  app.get('/boom', () => {
    throw Object.assign(new Error('boom'), { status: 418 });
  });
  app.use((request, response) => response.status(404).send(`no page ${request.originalUrl}`));
  app.use((error, _request, response, _next) => response.status(error.status ?? 500).send(`handled ${error.message}`));
  return app;
}

const json = { 'Content-Type': 'application/json' };
const rex = JSON.stringify({ name: 'Rex', legs: 4 });

await checking('Express', async (check) => {
  await listening(createServer(express().use(zooServer(restpoint).requestListener)), async (port) => {
    // Express responds to an unknown path itself.
    const isServed = ({ name }) => name !== 'an unknown path -> 404';
    await checkRequests(check, port, { how: 'at the root', inPieces: false, isServed });
  });
  await listening(createServer(appWithZoo()), async (port) => {
    const at = (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init);
    for (const prefix of ['/api', '/deep/er', '/API']) {
      await check(`Location of a Create below ${prefix} leads to the item`, async () => {
        const created = await at(`${prefix}/v1/pet`, { method: 'POST', headers: json, body: rex });
        assert.equal(created.status, 201);
        const location = created.headers.get('location');
        assert.equal(location, `${prefix}/v1/pet/${await created.text()}`);
        assert.deepEqual(await (await at(location)).json(), { name: 'Rex', legs: 4 });
      });
    }
    await check('an unknown path goes on, with its body unread', async () => {
      const response = await at('/api/page', { method: 'POST', headers: json, body: rex });
      assert.deepEqual(await response.json(), { base: '', got: { name: 'Rex', legs: 4 } });
    });
    await check('an unknown path that Express does not know is its 404', async () => {
      const response = await at('/api/v1/nothing');
      assert.deepEqual([response.status, await response.text()], [404, 'no page /api/v1/nothing']);
    });
    await check('a method that a path lacks is our 405, and its discovery is ours', async () => {
      const [lacking, discovery] = [await at('/api/v1/pet', { method: 'DELETE' }), await at('/api/v1/pet/1', { method: 'OPTIONS' })];
      assert.deepEqual([lacking.status, lacking.headers.get('allow')], [405, 'POST, OPTIONS']);
      assert.deepEqual([discovery.status, discovery.headers.get('allow')], [200, 'GET, PUT, DELETE']);
    });
    await check('an error of an operation is our problem, and not for the error handlers of Express', async () => {
      const response = await at('/api/v1/pet/fail', { method: 'POST', headers: json });
      assert.deepEqual([response.status, response.headers.get('content-type')], [500, 'application/problem+json']);
      assert.equal(await (await at('/boom')).text(), 'handled boom');
    });
    await check('a body that Express has parsed is a 500, and no hang', async () => {
      const server = zooServer(restpoint);
      await listening(createServer(express().use(express.json()).use(server.requestListener)), async (other) => {
        const response = await fetch(`http://127.0.0.1:${other}/v1/pet`, { method: 'POST', headers: json, body: rex });
        assert.equal(response.status, 500);
      });
    });
    await check('pipelined requests for both get their responses in order', async () => {
      const client = await WireClient.connect(port);
      const line = (path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
      client.write(line('/api/v1/pet/9') + line('/page') + line('/api/health') + line('/boom'));
      const statuses = [];
      for (let count = 0; count < 4; count += 1) statuses.push((await client.response('GET')).status);
      assert.deepEqual(statuses, [404, 404, 200, 418]);
      client.destroy();
    });
  });

  await check('below a path of the app, the document and its page lead to the operations', async () => {
    const server = new restpoint.ApiServer('/v1');
    server.registerEndpoint('/pet', { id: restpoint.integerId, get: (id) => ({ id }) });
    server.mount('/openapi.json', openApiHandler(server, { info: { title: 'Pets', version: '1' }, servers: [{ url: '/api' }] }));
    server.mount('/docs', swaggerUiHandler({ url: '/api/openapi.json', assets: import.meta.resolve('swagger-ui-dist/package.json') }));
    await listening(createServer(express().use('/api', server.requestListener)), async (port) => {
      const get = async (path) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        assert.equal(response.status, 200, path);
        return response.text();
      };
      const { servers: [{ url }], paths } = JSON.parse(await get('/api/openapi.json'));
      const [path] = Object.keys(paths);
      assert.equal(await get(url + path.replace('{id}', '7')), '{"id":7}');
      const [, script] = /<script src="([^"]*page\.js)"/.exec(await get('/api/docs')) ?? [];
      assert.match(await get(script), /"\/api\/openapi\.json"/);
    });
  });
  await check('a context takes the user whom the app has identified', async () => {
    const server = new restpoint.ApiServer('/v1');
    server.registerEndpoint('/me', { context: ({ raw }) => raw.user ?? false, get: ({ context }) => context });
    const app = express();
    app.use((request, _response, next) => {
      if (request.headers.authorization === 'Bearer secret') request.user = { name: 'Ann' };
      next();
    });
    await listening(createServer(app.use('/api', server.requestListener)), async (port) => {
      const me = (headers) => fetch(`http://127.0.0.1:${port}/api/v1/me`, { headers });
      assert.equal((await me({})).status, 403);
      assert.equal(await (await me({ Authorization: 'Bearer secret' })).text(), '{"name":"Ann"}');
    });
  });
});
