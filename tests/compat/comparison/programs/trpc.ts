import { createSecureServer } from 'node:http2';
import { createTRPCClient, httpBatchLink, httpLink, httpSubscriptionLink, retryLink, TRPCClientError } from '@trpc/client';
import { initTRPC, TRPCError } from '@trpc/server';
import { createHTTP2Handler, createHTTPServer } from '@trpc/server/adapters/standalone';
import { EventSource } from 'eventsource';
import { z } from 'zod/v4';
import { made, running, SECRET, seen, TEXT, type Program, type Same, type TypedClient } from './program.js';

const Note = z.object({ text: z.string().min(1) });
const t = initTRPC.create();

const router = t.router({
  get: t.procedure.query(() => ({ text: TEXT, at: new Date(0) })),
  update: t.procedure.input(Note).mutation(() => {}),
  create: t.procedure.input(Note).mutation(({ input: { text } }) => {
    true satisfies Same<typeof text, string>;
    if (text === 'taken') throw new TRPCError({ code: 'CONFLICT' });
    made.push(text);
    return { id: '2' };
  }),
  any: t.procedure.input(z.unknown()).mutation(({ input }) => void seen.push(input)),
  fail: t.procedure.query(() => { throw new Error(SECRET); }),
  broken: t.procedure.output(z.object({ text: z.string() })).query(() => JSON.parse('{"text":7}')),
  ticks: t.procedure.subscription(async function* () {
    yield { n: 1 };
    yield { n: 2 };
  }),
});

export const program: Program = {
  typed: 'yes',
  start: () => running(createHTTPServer({ router }).listen(0, '127.0.0.1')),
  startHttp2: (certificate) => running(createSecureServer(certificate, createHTTP2Handler({ router })).listen(0, '127.0.0.1'), 'https'),
  inject: { named: 'createCaller', status: async () => ((await router.createCaller({}).get()).text === TEXT ? 200 : 500) },
};

const of = (url: string, send = fetch) => createTRPCClient<typeof router>({ links: [httpLink({ url, fetch: send })] });

// @ts-expect-error an error has a type for the router, and none for a procedure
export type CreateError = TRPCClientError<typeof router.create>;

export const client: TypedClient = {
  rejected: (url) => of(url).create.mutate({ text: 'taken' }),
  note: {
    at: 'string',
    read: async (url) => {
      const note = await of(url).get.query();
      true satisfies Same<typeof note, { text: string; at: string }>;
      return note;
    },
  },
  broken: async (url) => of(url).broken.query().then(() => 200, (error: TRPCClientError<typeof router>) => error.data?.httpStatus ?? 200),
  two: {
    named: '`httpBatchLink`',
    calls: (url, send) => {
      const api = createTRPCClient<typeof router>({ links: [httpBatchLink({ url, fetch: send })] });
      return Promise.all([api.get.query(), api.get.query()]);
    },
  },
  repeated: {
    named: '`retryLink`',
    call: (url, send) => {
      const again = retryLink<typeof router>({ retry: ({ attempts }) => attempts < 2 });
      return createTRPCClient<typeof router>({ links: [again, httpLink({ url, fetch: send })] }).get.query();
    },
  },
  ticks: (url) => new Promise((done, failed) => {
    const api = createTRPCClient<typeof router>({ links: [httpSubscriptionLink({ url, EventSource })] });
    const numbers: number[] = [];
    api.ticks.subscribe(undefined, {
      onData: ({ n }) => {
        true satisfies Same<typeof n, number>;
        numbers.push(n);
      },
      onComplete: () => done(numbers),
      onError: failed,
    });
  }),
};
