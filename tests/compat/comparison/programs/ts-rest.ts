import { createSecureServer } from 'node:http2';
import { serve, type ServerType } from '@hono/node-server';
import { initClient, initContract } from '@ts-rest/core';
import { generateOpenApi } from '@ts-rest/open-api';
import { createFetchHandler, tsr } from '@ts-rest/serverless/fetch';
import { z } from 'zod';
import { made, running, SECRET, seen, TEXT, type Program, type Same, type TypedClient } from './program.js';

const Note = z.object({ text: z.string().min(1) });

const contract = initContract().router({
  get: { method: 'GET', path: '/note/:id', responses: { 200: z.object({ text: z.string(), at: z.date() }) } },
  update: { method: 'PUT', path: '/note/:id', body: Note, responses: { 200: z.object({}) } },
  create: { method: 'POST', path: '/note', body: Note, responses: { 201: z.object({ id: z.string() }), 409: z.object({ holder: z.string() }) } },
  any: { method: 'POST', path: '/any', body: z.unknown(), responses: { 200: z.object({}) } },
  fail: { method: 'GET', path: '/fail', responses: { 200: z.object({}) } },
  broken: { method: 'GET', path: '/broken', responses: { 200: z.object({ text: z.string() }) } },
});

const router = tsr.router(contract, {
  get: async () => ({ status: 200, body: { text: TEXT, at: new Date(0) } }),
  update: async () => ({ status: 200, body: {} }),
  create: async ({ body: { text } }) => {
    true satisfies Same<typeof text, string>;
    if (text === 'taken') return { status: 409, body: { holder: 'Ann' } };
    made.push(text);
    return { status: 201, body: { id: '2' } };
  },
  any: async ({ body }) => {
    seen.push(body);
    return { status: 200, body: {} };
  },
  fail: async () => { throw new Error(SECRET); },
  broken: async () => ({ status: 200, body: JSON.parse('{"text":7}') }),
});
const handler = createFetchHandler(contract, router);
const strict = createFetchHandler(contract, router, { responseValidation: true });

// The handler makes another `Request` of its request, which the one of @hono/node-server does not allow.
const copied = ({ url, method, headers, body }: Request) => new Request(url, { method, headers, body, duplex: 'half' } as RequestInit);

const options = { fetch: (request: Request) => handler(copied(request)), hostname: '127.0.0.1', port: 0 };

export const program: Program = {
  typed: 'yes',
  start: () => running(serve(options) as ServerType),
  startHttp2: (serverOptions) => running(serve({ ...options, createServer: createSecureServer, serverOptions }), 'https'),
  inject: { named: 'handler', status: async () => (await handler(new Request('http://localhost/note/1'))).status },
  document: { named: '@ts-rest/open-api', make: () => generateOpenApi(contract, { info: { title: 'Notes', version: '1.0.0' } }) },
};

const of = (baseUrl: string, send = fetch) => {
  const api = async ({ path, method, headers, body }: { path: string; method: string; headers: Record<string, string>; body: any }) => {
    const response = await send(path, { method, headers, body });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  return initClient(contract, { baseUrl, ...(send !== fetch && { api }) });
};

export const client: TypedClient = {
  rejected: (url) => of(url).create({ body: { text: 'taken' } }),
  property: {
    by: 'status',
    holder: async (url) => {
      const response = await of(url).create({ body: { text: 'taken' } });
      if (response.status !== 409) return undefined;
      const { holder } = response.body;
      true satisfies Same<typeof holder, string>;
      return holder;
    },
  },
  note: {
    at: 'Date',
    read: async (url) => {
      const response = await of(url).get({ params: { id: '1' } });
      if (response.status !== 200) return undefined;
      true satisfies Same<typeof response.body, { text: string; at: Date }>;
      return response.body;
    },
  },
  broken: async (url) => (await of(url).broken()).status,
  strict: { named: 'responseValidation', status: async () => (await strict(new Request('http://localhost/broken'))).status },
  two: {
    named: '',
    calls: (url, send) => {
      const api = of(url, send);
      return Promise.all([api.get({ params: { id: '1' } }), api.get({ params: { id: '1' } })]);
    },
  },
  repeated: { named: '', call: (url, send) => of(url, send).get({ params: { id: '1' } }) },
};
