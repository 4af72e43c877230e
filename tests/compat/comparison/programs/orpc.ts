import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createORPCClient, safe } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import { BatchLinkPlugin, ClientRetryPlugin, type ClientRetryPluginContext } from '@orpc/client/plugins';
import { OpenAPIGenerator } from '@orpc/openapi';
import { OpenAPIHandler } from '@orpc/openapi/node';
import { call, os, type RouterClient } from '@orpc/server';
import { RPCHandler } from '@orpc/server/node';
import { BatchHandlerPlugin } from '@orpc/server/plugins';
import { ZodToJsonSchemaConverter } from '@orpc/zod/zod4';
import { z } from 'zod/v4';
import { made, running, SECRET, seen, TEXT, type Program, type Same, type TypedClient } from './program.js';

const Note = z.object({ text: z.string().min(1) });
const Stored = z.object({ text: z.string(), at: z.date() });
const Taken = z.object({ holder: z.string() });
const ofId = z.object({ id: z.string() });

const router = {
  get: os.route({ method: 'GET', path: '/note/{id}' }).input(ofId).output(Stored).handler(() => ({ text: TEXT, at: new Date(0) })),
  update: os.route({ method: 'PUT', path: '/note/{id}' }).input(ofId.extend(Note.shape)).handler(() => {}),
  create: os.route({ method: 'POST', path: '/note', successStatus: 201 }).input(Note).errors({ CONFLICT: { data: Taken } })
    .handler(({ input: { text }, errors }) => {
      true satisfies Same<typeof text, string>;
      if (text === 'taken') throw errors.CONFLICT({ data: { holder: 'Ann' } });
      made.push(text);
      return { id: '2' };
    }),
  any: os.route({ method: 'POST', path: '/any' }).input(z.unknown()).handler(({ input }) => void seen.push(input)),
  fail: os.route({ method: 'GET', path: '/fail' }).handler(() => { throw new Error(SECRET); }),
  broken: os.output(z.object({ text: z.string() })).handler(() => JSON.parse('{"text":7}')),
  ticks: os.handler(async function* () {
    yield { n: 1 };
    yield { n: 2 };
  }),
};

const rest = new OpenAPIHandler(router);
const rpc = new RPCHandler(router, { plugins: [new BatchHandlerPlugin()] });

async function listener(request: IncomingMessage, response: ServerResponse) {
  const { matched } = await rpc.handle(request, response, { prefix: '/rpc' });
  if (!matched && !(await rest.handle(request, response)).matched) response.writeHead(404).end();
}

export const program: Program = {
  typed: 'yes',
  start: () => running(createServer(listener).listen(0, '127.0.0.1')),
  startHttp2: (certificate) => running(createSecureServer(certificate, listener as never).listen(0, '127.0.0.1'), 'https'),
  inject: { named: 'call', status: async () => ((await call(router.get, { id: '1' })).text === TEXT ? 200 : 500) },
  document: {
    named: '@orpc/openapi',
    make: () => new OpenAPIGenerator({ schemaConverters: [new ZodToJsonSchemaConverter()] }).generate(router),
  },
};

type Api = RouterClient<typeof router, ClientRetryPluginContext>;

const of = (url: string, send = fetch): Api => createORPCClient(new RPCLink({
  url: `${url}/rpc`,
  fetch: send,
  plugins: [new ClientRetryPlugin(), new BatchLinkPlugin({ groups: [{ condition: () => send !== fetch, context: {} }] })],
}));

export const client: TypedClient = {
  rejected: (url) => of(url).create({ text: 'taken' }),
  returned: { named: 'safe', call: (url) => safe(of(url).create({ text: 'taken' })) },
  property: {
    by: 'code',
    holder: async (url) => {
      const { error, isDefined } = await safe(of(url).create({ text: 'taken' }));
      if (!isDefined || error.code !== 'CONFLICT') return undefined;
      const { holder } = error.data;
      true satisfies Same<typeof holder, string>;
      return holder;
    },
  },
  note: {
    at: 'Date',
    read: async (url) => {
      const note = await of(url).get({ id: '1' });
      true satisfies Same<typeof note, { text: string; at: Date }>;
      return note;
    },
  },
  broken: async (url) => {
    const { error } = await safe(of(url).broken());
    return (error as { readonly status?: number } | null)?.status ?? 200;
  },
  two: {
    named: 'with a plugin',
    calls: (url, send) => {
      const api = of(url, send);
      return Promise.all([api.get({ id: '1' }), api.get({ id: '1' })]);
    },
  },
  repeated: {
    named: 'with a plugin',
    call: (url, send) => of(url, send).get({ id: '1' }, { context: { retry: 1, retryDelay: 1 } }),
  },
  ticks: async (url) => {
    const numbers: number[] = [];
    for await (const { n } of await of(url).ticks()) {
      true satisfies Same<typeof n, number>;
      numbers.push(n);
    }
    return numbers;
  },
};
