/**
 * Values that throw when they are looked at, thrown by each function of the user. None ends the process, the client gets a response, or its
 * stream breaks off, and the place of the request is free.
 */
import { Readable } from 'node:stream';
import { bearer, firstOf } from '../../../src/auth/index.ts';
import { events, form, mergePatch, ndjson, ranges } from '../../../src/formats/index.ts';
import { ApiServer, bytes, created, defineFormat, integerId, reply, stringId, type ApiServerOptions } from '../../../src/index.ts';
import { idempotent, memoryIdempotencyStore, pages, rateLimit } from '../../../src/interceptors/index.ts';
import { mcpHandler } from '../../../src/mcp/index.ts';
import { captureUncaught, captureUnhandled } from '../../support/capture-unhandled.ts';
import { makeRevokedProxy } from '../../support/failing-operations.ts';
import { assert, suite, waitTwoTurns } from '../../support/facts.ts';

const refuse = (): never => { throw new Error('do not look'); };
const hostile = new Proxy({}, { get: refuse, getPrototypeOf: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse });

function makeHostileError(): Error {
  const error = new Error();
  // The engine formats it with the first access.
  void error.stack;
  for (const name of ['message', 'name', 'stack', 'cause', 'code', 'status', 'kind']) Object.defineProperty(error, name, { get: refuse });
  return error;
}

const VALUES: readonly (readonly [what: string, value: unknown])[] = [
  ['a revoked proxy', makeRevokedProxy()],
  ['a proxy whose traps throw', hostile],
  ['an error whose getters throw', makeHostileError()],
  ['an object that is not converted', { [Symbol.toPrimitive]: refuse, toString: refuse, toJSON: refuse, get then() { return refuse(); } }],
  ['null', null],
  ['undefined', undefined],
];

type Throw = () => never;
interface Hook {
  /** Declares `/a`, and returns the request. */
  readonly declare: (fail: Throw) => { readonly endpoint?: object; readonly options?: ApiServerOptions; readonly prepare?: (server: ApiServer) => unknown };
  readonly path?: string;
  readonly init?: RequestInit;
}

const any = (value: unknown): any => value;
const schemaOf = (validate: () => unknown): object => ({ '~standard': { version: 1, vendor: 'test', validate } });
const json = (method: string, body: string, headers: Record<string, string> = {}): RequestInit => ({ method, body, headers: { 'content-type': 'application/json', ...headers } });
const iterator = (steps: { next?: () => unknown; return?: () => unknown }): AsyncIterable<any> => {
  return { [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: 'a' }), ...steps }) as AsyncIterator<any> };
};
const later = (fail: Throw) => async (): Promise<never> => (await Promise.resolve(), fail());
const get = (run: (fail: Throw) => () => unknown, options: object = {}): Hook => ({ declare: (fail) => ({ endpoint: { get: { run: run(fail), ...options } } }) });
const around = (use: (fail: Throw) => object, init?: RequestInit): Hook => ({ ...(init && { init }), declare: (fail) => ({ endpoint: { get: { use: use(fail), run: () => 1 } } }) });
const server = (options: (fail: Throw) => object, endpoint: (fail: Throw) => object = () => ({ get: () => 1 }), init?: RequestInit): Hook => {
  return { ...(init && { init }), declare: (fail) => ({ endpoint: endpoint(fail), options: options(fail) }) };
};

const HOOKS: Readonly<Record<string, Hook>> = {
  run: get((fail) => fail),
  'async run': get(later),
  context: { declare: (fail) => ({ endpoint: { context: fail, get: () => 1 } }) },
  'async context': { declare: (fail) => ({ endpoint: { context: later(fail), get: () => 1 } }) },
  verify: { declare: (fail) => ({ endpoint: { context: firstOf(bearer(fail)), get: () => 1 } }), init: { headers: { authorization: 'Bearer a' } } },
  isInvalid: { declare: (fail) => ({ endpoint: { context: bearer(later(fail), { isInvalid: fail }), get: () => 1 } }), init: { headers: { authorization: 'Bearer a' } } },
  onRequest: around((fail) => ({ onRequest: fail })),
  'async onRequest': around((fail) => ({ onRequest: later(fail) })),
  around: around((fail) => ({ around: fail })),
  'around after run': around((fail) => ({ around: async (_call: unknown, run: () => unknown) => (await run(), fail()) })),
  'run, not awaited': { declare: (fail) => ({ endpoint: { get: { use: { around: (_call: unknown, run: () => unknown) => (void run(), 1) }, run: later(fail) } } }) },
  schema: { declare: (fail) => ({ endpoint: { custom: { go: { input: fail, run: () => 1 } } } }), path: '/a/go', init: json('POST', '1') },
  'validate': { declare: (fail) => ({ endpoint: { custom: { go: { input: schemaOf(later(fail)), run: () => 1 } } } }), path: '/a/go', init: json('POST', '1') },
  query: get(() => () => 1, { query: schemaOf(refuse) }),
  'parse of an id': { declare: (fail) => ({ endpoint: { id: { parse: fail, format: String }, get: () => 1 } }), path: '/a/1' },
  'format of an id': { declare: (fail) => ({ endpoint: { id: { parse: String, format: fail }, create: { run: () => 1 } } }), init: { method: 'POST' } },
  output: { declare: (fail) => ({ endpoint: { get: { output: fail, run: () => 1 } } }) },
  responseHeaders: { declare: (fail) => ({ endpoint: { get: { responseHeaders: { 'X-A': fail }, run: () => reply(200, 1, { 'X-A': 'a' }) } } }) },
  'errors of an operation': { declare: (fail) => ({ endpoint: { get: { errors: { 500: fail }, run: fail } } }) },
  toJSON: get((fail) => () => ({ toJSON: fail })),
  'a getter of the result': get((fail) => () => ({ get a() { return fail(); } })),
  version: { declare: (fail) => ({ endpoint: { version: fail, get: () => ({}) } }) },
  currentVersion: { declare: (fail) => ({ endpoint: { currentVersion: fail, version: () => 'a', get: () => ({}), delete: () => {} } }), init: { method: 'DELETE', headers: { 'if-match': '"a"' } } },
  'get for a condition': { declare: (fail) => ({ endpoint: { version: () => 'a', get: fail, delete: () => {} } }), init: { method: 'DELETE', headers: { 'if-match': '*' } } },
  mapError: server((fail) => ({ mapError: fail }), (fail) => ({ get: fail })),
  formatProblem: server((fail) => ({ formatProblem: fail }), (fail) => ({ get: fail })),
  requestId: server((fail) => ({ requestId: { generate: fail } })),
  'logger.error': server((fail) => ({ logger: { info() {}, error: fail } }), (fail) => ({ get: fail })),
  'async logger.error': server((fail) => ({ logger: { info() {}, error: later(fail) } }), (fail) => ({ get: fail })),
  'logger.child': server((fail) => ({ requestId: true, logger: { info() {}, error() {}, bindings: () => ({}), child: fail } }), (fail) => ({ get: fail })),
  'async logger.child': server((fail) => ({ requestId: true, logger: { info() {}, error() {}, bindings: () => ({}), child: later(fail) } }), (fail) => ({ get: fail })),
  middleware: { declare: (fail) => ({ endpoint: { get: () => 1 }, prepare: (api) => api.use(fail) }) },
  'async middleware': { declare: (fail) => ({ endpoint: { get: () => 1 }, prepare: (api) => api.use(later(fail)) }) },
  mount: { declare: (fail) => ({ prepare: (api) => api.mount('/a', fail) }) },
  'async mount': { declare: (fail) => ({ prepare: (api) => api.mount('/a', later(fail)) }) },
  'the context of mcpHandler': {
    declare: (fail) => ({ endpoint: { get: { tool: { description: 'a' }, run: () => 1 } }, prepare: (api) => api.mount('/mcp', mcpHandler(api, { info: { name: 'a', version: '1' }, context: later(fail) })) }),
    path: '/mcp', init: json('POST', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'),
  },
  cors: server((fail) => ({ cors: { origins: fail } }), undefined, { headers: { origin: 'https://a.example' } }),
  'next of a stream': get((fail) => () => reply(200, iterator({ next: fail }))),
  'async next of a stream': get((fail) => () => reply(200, iterator({ next: later(fail) }))),
  'a generator': get((fail) => () => reply(200, (async function* () { yield 'a'; fail(); })())),
  'return of a stream': get((fail) => () => reply(200, iterator({ return: fail }))),
  'async return of a stream': get((fail) => () => reply(200, iterator({ return: later(fail) }))),
  'return of ndjson': get((fail) => () => iterator({ return: fail }), { output: ndjson(any) }),
  'return of events': get((fail) => () => iterator({ next: async () => ({ done: false, value: { data: 1 } }), return: later(fail) }), { output: events(any) }),
  'return of a stream that is dropped': { declare: (fail) => ({ endpoint: { get: () => reply(200, iterator({ return: fail })) } }), init: { method: 'HEAD' } },
  'return of a stream in whose place another is sent': {
    declare: (fail) => ({ endpoint: { get: { use: { around: async (_call: unknown, run: () => unknown) => (await run(), 1) }, run: () => reply(200, iterator({ return: fail })) } } }),
  },
  'an item of ndjson': { declare: (fail) => ({ endpoint: { get: { output: ndjson(fail), run: () => [1] } } }) },
  'a stream of Node': get((fail) => () => {
    try {
      return fail();
    } catch (thrown) {
      return reply(200, new Readable({ read() { this.destroy(thrown as Error); } }));
    }
  }),
  'a web stream': get((fail) => () => reply(200, new ReadableStream({ pull: later(fail), cancel: fail }) as unknown as AsyncIterable<string>)),
  'read of ranges': get((fail) => () => reply(200, ranges({ size: 1, read: fail }))),
  'async read of ranges': get((fail) => () => reply(200, ranges({ size: 1, read: later(fail) }))),
  'close of ranges': get((fail) => () => reply(200, ranges({ size: 1, read: () => new Uint8Array(1), close: fail }))),
  'async close of ranges': get((fail) => () => reply(200, ranges({ size: 1, read: () => new Uint8Array(1), close: later(fail) }))),
  'decode of a format': { declare: (fail) => ({ endpoint: { custom: { go: { input: defineFormat({ types: ['a/b'], decode: later(fail) }), run: () => 1 } } } }), path: '/a/go', init: { method: 'POST', body: 'a', headers: { 'content-type': 'a/b' } } },
  'encode of a format': { declare: (fail) => ({ endpoint: { get: { output: defineFormat({ types: ['a/b'], encode: fail }), run: () => 1 } } }) },
  'a decoder of a form': { declare: (fail) => ({ endpoint: { custom: { go: { input: form(fail), run: () => 1 } } } }), path: '/a/go', init: { method: 'POST', body: new URLSearchParams('a=1') } },
  'a decoder of lines': { declare: (fail) => ({ endpoint: { custom: { go: { input: ndjson(fail), run: async (items: AsyncIterable<unknown>) => { for await (const _ of items); } } } } }), path: '/a/go', init: { method: 'POST', body: '1\n', headers: { 'content-type': 'application/x-ndjson' } } },
  'a decoder of mergePatch': { declare: (fail) => ({ endpoint: { get: () => 1, patch: { input: mergePatch(fail), run: async (merge: (item: object) => unknown) => void await merge({}) } } }), init: json('PATCH', '{}') },
  'an operation that iterates its body': { declare: (fail) => ({ endpoint: { custom: { go: { input: bytes(), run: async (body: AsyncIterable<unknown>) => { for await (const _ of body) fail(); } } } } }), path: '/a/go', init: { method: 'POST', body: 'a' } },
  'the body of the request': {
    declare: () => ({ endpoint: { custom: { go: { input: bytes(), run: async (body: AsyncIterable<unknown>) => { for await (const _ of body); } } } } }),
    path: '/a/go',
  },
  'a store of keys': { declare: (fail) => ({ endpoint: { custom: { go: { use: idempotent({ once: later(fail) } as never), run: () => 1 } } } }), path: '/a/go', init: { method: 'POST', headers: { 'idempotency-key': '"a"' } } },
  'an operation with a key': { declare: (fail) => ({ endpoint: { custom: { go: { use: idempotent(memoryIdempotencyStore()), run: fail } } } }), path: '/a/go', init: { method: 'POST', headers: { 'idempotency-key': '"a"' } } },
  'the key of rateLimit': around((fail) => rateLimit({ limit: 1, windowSeconds: 1, key: fail } as never)),
  'the store of rateLimit': around((fail) => rateLimit({ limit: 1, windowSeconds: 1, key: () => 'a', store: { take: later(fail) } } as never)),
  'the cursor of pages': { declare: (fail) => ({ endpoint: { id: integerId, list: { use: pages({ cursor: fail as () => string, codec: stringId, default: 1 }), run: () => [{}, {}] } } }) },
  'a change that throws after created': { declare: (fail) => ({ endpoint: { id: stringId, get: (id: string) => id, create: { run: () => (created('a'), fail()) } } }), init: { method: 'POST' } },
};

const throwing = suite('a value that throws when it is looked at, and that the user\'s code throws');
for (const [name, hook] of Object.entries(HOOKS)) {
  for (const [what, value] of VALUES) {
    throwing(`${name}: ${what}`, async () => {
      let thrown = 0;
      let logged = 0;
      const { endpoint, options, prepare } = hook.declare(() => {
        thrown += 1;
        throw value;
      });
      const api = new ApiServer('', { logger: { info() {}, error: () => (logged += 1) }, limits: { inFlight: 1 }, ...options });
      prepare?.(api);
      if (endpoint !== undefined) api.registerEndpoint('/a', endpoint as never);
      api.mount('/free', (_request, response) => void response.end(), { inFlight: true } as never);
      const body = name === 'the body of the request' ? { method: 'POST', duplex: 'half', body: new ReadableStream({ pull() { thrown += 1; throw value; } }) } : {};
      const lost = await captureUncaught(async () => {
        assert.equal(await captureUnhandled(async () => {
          const response = await api.fetch(hook.path ?? '/a', { ...body, ...hook.init } as RequestInit).catch((error: unknown) => {
            assert.is(name, 'the body of the request', String(error));
            return undefined;
          });
          if (/return|web stream/.test(name)) await response?.body?.cancel().catch(() => {});
          else await response?.text().catch(() => {});
          await waitTwoTurns();
        }), []);
      });
      assert.equal(lost, []);
      assert.ok(thrown > 0 || name === 'query', 'it was thrown');
      if (/^(async )?(return|close)/.test(name) && !name.includes('in whose place')) assert.is(logged, 1);
      assert.is((await api.fetch('/free')).status, name.includes('middleware') ? 500 : 200);
    });
  }
}
