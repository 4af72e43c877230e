import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { Broadcast, makeSchema, MESSAGE } from './common.js';

const run = (context) => context.json(1);

export async function open(_, { endpoints = 0 } = {}) {
  const app = new Hono();
  const broadcast = new Broadcast();
  const data = JSON.stringify(MESSAGE);
  app.get('/v1/event', (context) => streamSSE(context, async (stream) => {
    for await (const event of broadcast.read()) await stream.writeSSE(event);
  }));
  app.post('/v1/vector/length', async (context) => context.json((await context.req.json()).length));
  for (let at = 0; at < endpoints; at += 1) {
    const path = `/v1/resource${at}`;
    app.post(path, run).get(`${path}/:id`, run).put(`${path}/:id`, run).delete(`${path}/:id`, run).post(`${path}/feed`, run);
  }
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  await once(server, 'listening');
  return { port: server.address().port, close: () => server.close(), emit: () => broadcast.emit({ data }) };
}

export function prepareDocument(endpoints) {
  const app = new OpenAPIHono();
  const params = z.object({ id: z.coerce.number().int() });
  for (let at = 0; at < endpoints; at += 1) {
    const path = `/v1/resource${at}`;
    const content = { 'application/json': { schema: makeSchema(at) } };
    const add = (method, suffix, request, status, response) => {
      const responses = { [status]: { description: 'Done', ...response } };
      app.openapi(createRoute({ method, path: path + suffix, request, responses }), run);
    };
    add('post', '', { body: { content } }, 201);
    add('get', '/{id}', { params }, 200, { content });
    add('put', '/{id}', { params, body: { content } }, 204);
    add('delete', '/{id}', { params }, 204);
    add('post', '/feed', {}, 200);
  }
  return () => app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'Growth', version: '1.0.0' } });
}
