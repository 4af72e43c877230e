import { PGlite } from '@electric-sql/pglite';
import { ApiError, ApiServer, defineEndpoint, stringId } from '../../../../dist/index.js';
import { bearer, cookie } from '../../../../dist/auth/index.js';
import { client as clientOf, ProblemError } from '../../../../dist/client/index.js';
import { events } from '../../../../dist/formats/index.js';
import { idempotent, pages } from '../../../../dist/interceptors/index.js';
import { mcpHandler } from '../../../../dist/mcp/index.js';
import { openApi } from '../../../../dist/openapi/index.js';
import { postgresIdempotencyStore, postgresTables } from '../../../../dist/postgres/index.js';
import { z } from 'zod/v4';
import { made, SECRET, seen, TEXT, type Program, type Same, type TypedClient } from './program.js';

const Note = z.object({ text: z.string().min(1) });

const db = new PGlite();

const notes = defineEndpoint({
  id: stringId,
  schema: Note,
  create: {
    use: idempotent(postgresIdempotencyStore(db)),
    errors: { 409: z.object({ holder: z.string() }) },
    run: ({ text }) => {
      true satisfies Same<typeof text, string>;
      if (text === 'taken') throw ApiError.status(409, 'The text is taken.', { extensions: { holder: 'Ann' } });
      made.push(text);
      return '2';
    },
  },
  get: { tool: true, run: () => ({ text: TEXT, at: new Date(0) }) },
  version: () => 1,
  update: () => {},
  list: {
    use: pages({ cursor: ({ n }: { n: number }) => n, codec: { parse: Number, format: String }, default: 1, sort: ['n'] }),
    run: ({ page: { take, after, descending } }) => {
      const numbers = descending ? [{ n: 2 }, { n: 1 }] : [{ n: 1 }, { n: 2 }];
      return numbers.filter(({ n }) => after === undefined || (descending ? n < after.id : n > after.id)).slice(0, take);
    },
  },
});

const byToken = bearer(() => ({ name: 'Ann' }), { resource: { authorizationServers: ['https://login.example'] } });

/** A server of this API. All of them share the database. */
function makeServer() {
  const server = new ApiServer('', { requestId: true });
  const api = server.registerEndpoints({
    '/note': notes,
    '/any': defineEndpoint({ get: { cache: { maxAgeSeconds: 60 }, etag: 'body', run: () => 'any' }, create: { input: z.unknown(), output: { 200: z.string() }, run: (json) => {
      seen.push(json);
      return 'seen';
    } } }),
    '/session': defineEndpoint({ context: cookie('session', () => ({ name: 'Ann' })), delete: () => {} }),
    '/me': defineEndpoint({ context: byToken, get: ({ context }) => context }),
    '/fail': defineEndpoint({ get: () => { throw new Error(SECRET); } }),
    '/broken': defineEndpoint({ get: { output: z.object({ text: z.string() }), run: () => JSON.parse('{"text":7}') } }),
    '/ticks': defineEndpoint({ get: { output: events({ tick: z.object({ n: z.number() }) }), run: async function* () {
      yield { event: 'tick', data: { n: 1 } } as const;
      yield { event: 'tick', data: { n: 2 } } as const;
    } } }),
  });
  server.mount('/mcp', mcpHandler(server, { info: { name: 'notes', version: '1.0.0' } }));
  return { server, api };
}

const { server } = makeServer();

export const program: Program = {
  typed: 'yes',
  async start() {
    await db.query(postgresTables());
    const { server } = makeServer();
    const started = await server.start('127.0.0.1:0');
    if (!started.ok) throw new Error(started.error);
    return { url: started.url, close: () => server.stop() };
  },
  inject: { named: 'fetch', status: async () => (await server.fetch('/note/1')).status },
  document: { named: 'restpoint/openapi', make: () => openApi(server, { info: { title: 'Notes', version: '1.0.0' }, webhooks: { 'note.created': { schema: Note } } }) },
};

const retries = { attempts: 1, maxDelayMs: 1 };
const of = (url: string, send = fetch) => clientOf<ReturnType<typeof makeServer>['api']>(url, { fetch: send, ...(send !== fetch && { retries }) });

export const client: TypedClient = {
  rejected: (url) => of(url)('/note').create({ text: 'taken' }),
  returned: { named: 'safe: true', call: (url) => of(url)('/note').create({ text: 'taken' }, { safe: true }) },
  property: {
    by: 'status',
    holder: async (url) => {
      const response = await of(url)('/note').create({ text: 'taken' }, { safe: true });
      if (response.ok || response.status !== 409) return undefined;
      const { holder } = response.problem;
      // The 409 of `idempotent` has none.
      if (typeof holder !== 'string') return undefined;
      true satisfies Same<typeof holder, string>;
      return holder;
    },
  },
  note: {
    at: 'string',
    read: async (url) => {
      const note = await of(url)('/note').get('1');
      true satisfies Same<typeof note.at, string>;
      true satisfies Same<typeof note.text, string>;
      return note;
    },
  },
  broken: async (url) => (await of(url).one('/broken').get({ safe: true })).status,
  two: {
    named: '',
    calls: (url, send) => {
      const api = of(url, send);
      return Promise.all([api('/note').get('1'), api('/note').get('1')]);
    },
  },
  repeated: { named: '`retries`', call: (url, send) => of(url, send)('/note').get('1') },
  ticks: async (url) => {
    const numbers: number[] = [];
    for await (const { data: { n } } of of(url).one('/ticks').get()) {
      true satisfies Same<typeof n, number>;
      numbers.push(n);
      if (n === 2) break;
    }
    return numbers;
  },
};

/** The properties of a list, which has a page for each. */
export async function pagesOf(url: string): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { n } of of(url)('/note').each()) numbers.push(n);
  return numbers;
}

/** Changes a note that somebody else changes meanwhile. Resolves to the `If-Match` of each attempt. */
export async function edited(url: string): Promise<(string | null)[]> {
  const sent: (string | null)[] = [];
  const send: typeof fetch = async (target, init) => {
    const condition = new Headers(init?.headers).get('if-match');
    if (init?.method !== 'PUT') return fetch(target, init);
    sent.push(condition);
    return sent.length === 1 ? new Response(null, { status: 412 }) : fetch(target, init);
  };
  await of(url, send)('/note').edit('1', ({ text }) => ({ text: `${text}, oats` }));
  return sent;
}

/** The names of the tools. */
export async function toolsOf(url: string): Promise<string[]> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const { result } = await response.json() as { readonly result: { readonly tools: readonly { readonly name: string }[] } };
  return result.tools.map(({ name }) => name);
}
