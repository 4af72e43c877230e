import { createSecureServer } from 'node:http2';
import { serve, type ServerType } from '@hono/node-server';
import { sValidator } from '@hono/standard-validator';
import { Hono } from 'hono';
import { hc } from 'hono/client';
import { csrf } from 'hono/csrf';
import { requestId } from 'hono/request-id';
import { describeRoute, generateSpecs, validator } from 'hono-openapi';
import { z } from 'zod/v4';
import { made, running, SECRET, seen, TEXT, type Program, type Same, type TypedClient } from './program.js';

const Note = z.object({ text: z.string().min(1) });

const app = new Hono()
  .get('/note/:id', requestId(), (c) => c.json({ text: TEXT, at: new Date(0) }))
  .put('/note/:id', sValidator('json', Note), (c) => c.body(null, 204))
  .post('/note', sValidator('json', Note), (c) => {
    const { text } = c.req.valid('json');
    true satisfies Same<typeof text, string>;
    if (text === 'taken') return c.json({ holder: 'Ann' }, 409);
    made.push(text);
    return c.json({ id: '2' }, 201);
  })
  .post('/any', async (c) => {
    seen.push(await c.req.json());
    return c.json({});
  })
  .delete('/session', csrf(), (c) => c.body(null, 204))
  .get('/fail', () => { throw new Error(SECRET); });

const options = { fetch: app.fetch, hostname: '127.0.0.1', port: 0 };
const described = new Hono().post('/note', describeRoute({}), validator('json', Note), (c) => c.json(c.req.valid('json')));

export const program: Program = {
  typed: 'yes',
  start: () => running(serve(options) as ServerType),
  startHttp2: (serverOptions) => running(serve({ ...options, createServer: createSecureServer, serverOptions }), 'https'),
  inject: { named: 'request', status: async () => (await app.request('/note/1')).status },
  document: { named: 'hono-openapi', make: () => generateSpecs(described) },
};

const of = (url: string, send = fetch) => hc<typeof app>(url, { fetch: send });

export const client: TypedClient = {
  rejected: (url) => of(url).note.$post({ json: { text: 'taken' } }),
  property: {
    by: 'status',
    holder: async (url) => {
      const response = await of(url).note.$post({ json: { text: 'taken' } });
      if (response.status !== 409) return undefined;
      const { holder } = await response.json();
      true satisfies Same<typeof holder, string>;
      return holder;
    },
  },
  note: {
    at: 'string',
    read: async (url) => {
      const note = await (await of(url).note[':id'].$get({ param: { id: '1' } })).json();
      true satisfies Same<typeof note, { text: string; at: string }>;
      return note;
    },
  },
  two: {
    named: '',
    calls: (url, send) => {
      const api = of(url, send);
      return Promise.all([api.note[':id'].$get({ param: { id: '1' } }), api.note[':id'].$get({ param: { id: '1' } })]);
    },
  },
  repeated: { named: '', call: (url, send) => of(url, send).note[':id'].$get({ param: { id: '1' } }) },
};
