/** The listener as Connect middleware, with the router of Fastify's `@fastify/middie`: below a path, and at the root. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import middie from '@fastify/middie';
import Fastify from 'fastify';
import * as restpoint from '../../dist/index.js';
import { checking } from './checks.js';
import { checkRequests } from './wire.js';
import { zooServer } from './zoo.js';

async function appWith(mount) {
  const app = Fastify();
  await app.register(middie);
  mount(app);
  app.get('/page', () => 'a page');
  app.post('/api/page', ({ body }) => body);
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

await checking('Connect (@fastify/middie)', async (check) => {
  const atRoot = await appWith((app) => app.use(zooServer(restpoint).requestListener));
  const [{ port }] = atRoot.addresses();
  // Fastify responds to an unknown path itself.
  await checkRequests(check, port, { how: 'at the root', inPieces: false, isServed: ({ name }) => name !== 'an unknown path -> 404' });
  await check('a path that is not served goes on to Fastify', async () => {
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/page`)).text(), 'a page');
    assert.equal((await fetch(`http://127.0.0.1:${port}/nothing`)).status, 404);
  });
  await atRoot.close();

  const below = await appWith((app) => app.use('/api', zooServer(restpoint).requestListener));
  const base = `http://127.0.0.1:${below.addresses()[0].port}`;
  const headers = { 'Content-Type': 'application/json' };
  await check('Location of a Create below a path leads to the item', async () => {
    const created = await fetch(`${base}/api/v1/pet`, { method: 'POST', headers, body: '{"name":"Rex","legs":4}' });
    assert.equal(created.headers.get('location'), '/api/v1/pet/1');
    assert.deepEqual(await (await fetch(base + created.headers.get('location'))).json(), { name: 'Rex', legs: 4 });
  });
  await check('a body that goes on is read by Fastify', async () => {
    const response = await fetch(`${base}/api/page`, { method: 'POST', headers, body: '{"a":1}' });
    assert.deepEqual(await response.json(), { a: 1 });
  });
  await below.close();
});
