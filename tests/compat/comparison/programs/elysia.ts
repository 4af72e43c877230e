import type { Server } from 'node:net';
import { openapi } from '@elysiajs/openapi';
import { treaty } from '@elysiajs/eden';
import { node } from '@elysiajs/node';
import { Elysia, sse } from 'elysia';
import { z } from 'zod/v4';
import { made, running, SECRET, seen, TEXT, type Program, type Running, type Same, type TypedClient } from './program.js';

const Note = z.object({ text: z.string().min(1) });

const app = new Elysia({ adapter: node() })
  .get('/note/:id', () => ({ text: TEXT, at: new Date(0) }))
  .put('/note/:id', () => ({}), { body: Note })
  .post('/note', ({ body, status }) => {
    const { text } = body;
    true satisfies Same<typeof text, string>;
    if (text === 'taken') return status(409, { holder: 'Ann' });
    made.push(text);
    return status(201, { id: '2' });
  }, { body: Note })
  .post('/any', ({ body }) => {
    seen.push(body);
    return {};
  })
  .delete('/session', () => ({}))
  .get('/fail', () => { throw new Error(SECRET); })
  .get('/broken', () => JSON.parse('{"text":7}') as { text: string }, { response: z.object({ text: z.string() }) })
  .get('/ticks', function* () {
    yield sse({ data: { n: 1 } });
    yield sse({ data: { n: 2 } });
  });

/** The server of the adapter for Node, which Elysia's types do not have. */
interface Listening {
  readonly raw: { readonly node: { readonly server: Server } };
}

async function listen(options: object, scheme?: string): Promise<Running> {
  const { raw } = await new Promise<Listening>((done) => {
    app.listen({ hostname: '127.0.0.1', port: 0, ...options }, (listening) => done(listening as unknown as Listening));
  });
  return running(raw.node.server, scheme);
}

export const program: Program = {
  typed: 'yes',
  start: () => listen({}),
  startHttp2: (tls) => listen({ tls }, 'https'),
  inject: { named: 'handle', status: async () => (await app.handle(new Request('http://localhost/note/1'))).status },
  document: {
    named: '@elysiajs/openapi',
    make: async () => (await new Elysia({ adapter: node() }).use(openapi()).use(app).handle(new Request('http://localhost/openapi/json'))).json(),
  },
};

const of = (url: string, fetcher = fetch) => treaty<typeof app>(url, { fetcher });

export const client: TypedClient = {
  rejected: (url) => of(url).note.post({ text: 'taken' }),
  property: {
    by: 'status',
    holder: async (url) => {
      const { error } = await of(url).note.post({ text: 'taken' });
      if (error?.status !== 409) return undefined;
      const { holder } = error.value;
      true satisfies Same<typeof holder, 'Ann'>;
      return holder;
    },
  },
  note: {
    at: 'Date',
    read: async (url) => {
      const { data } = await of(url).note({ id: '1' }).get();
      true satisfies Same<typeof data, { text: string; at: Date } | null>;
      return data;
    },
  },
  broken: async (url) => (await of(url).broken.get()).status,
  two: {
    named: '',
    calls: (url, send) => {
      const api = of(url, send);
      return Promise.all([api.note({ id: '1' }).get(), api.note({ id: '1' }).get()]);
    },
  },
  repeated: { named: '', call: (url, send) => of(url, send).note({ id: '1' }).get() },
  ticks: async (url) => {
    const { data } = await of(url).ticks.get();
    const numbers: number[] = [];
    for await (const { data: { n } } of data ?? []) {
      true satisfies Same<typeof n, 1 | 2>;
      numbers.push(n);
    }
    return numbers;
  },
};
