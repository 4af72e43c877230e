/** What a context sees of each kind of operation, and who decides whether caches may keep the answer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, ApiServer, integerId, reply, stringId, type ContextRequest } from '../../../src/index.ts';
import { message } from '../../support/messages.ts';
import { rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

const REQUIRED = 'endpoint.context is required by the server: () => undefined admits anyone';
const run = (): number => 1;
const KINDS = {
  list: run, get: run, delete: run, create: { run }, update: { run }, patch: { run }, custom: { count: { run } }, itemCustom: { feed: { run } },
} as const;

const seen = suite('what a context sees');
for (const [method, target, expected] of [
  ['GET', '/zoo/berlin/pet?a=1', [undefined, { zoo: 'berlin' }, 'a=1']],
  ['POST', '/zoo/berlin/pet', [undefined, { zoo: 'berlin' }, '']],
  ['GET', '/zoo/berlin/pet/5', [5, { zoo: 'berlin' }, '']],
  ['HEAD', '/zoo/berlin/pet/5', [5, { zoo: 'berlin' }, '']],
  ['PUT', '/zoo/berlin/pet/5', [5, { zoo: 'berlin' }, '']],
  ['PATCH', '/zoo/a%2Fb/pet/5', [5, { zoo: 'a/b' }, '']],
  ['DELETE', '/zoo/berlin/pet/5', [5, { zoo: 'berlin' }, '']],
  ['POST', '/zoo/berlin/pet/count', [undefined, { zoo: 'berlin' }, '']],
  ['POST', '/zoo/berlin/pet/5/feed', [5, { zoo: 'berlin' }, '']],
  ['GET', '/zoo/berlin/hours', [undefined, { zoo: 'berlin' }, '']],
  ['PATCH', '/zoo/berlin/hours', [undefined, { zoo: 'berlin' }, '']],
] as const) {
  seen(`of ${method} ${target}: ${JSON.stringify(expected)}`, async () => {
    const asked: unknown[] = [];
    const context = ({ itemId, params, query }: ContextRequest<{ readonly zoo: string }>): void => {
      asked.push([itemId, params, String(query)]);
    };
    const { list, itemCustom, ...single } = KINDS;
    await serving((server) => {
      server.registerEndpoint('/zoo/:zoo/pet', { id: integerId, params: { zoo: stringId }, context, ...KINDS });
      server.registerEndpoint('/zoo/:zoo/hours', { params: { zoo: stringId }, context, ...single });
    }, async ({ port }) => {
      assert.ok((await rawRequest(port, message(method, `/v1${target}`))).status < 300);
      assert.equal(asked, [expected]);
    });
  });
}
seen.run();

const PRIVATE = 'private, no-cache';
const OWN = { headers: { 'Cache-Control': 'max-age=3' } };
const declare = (server: ApiServer): void => {
  server.use(({ headers }, response, next) => {
    const cached = headers['x-cached'];
    if (typeof cached === 'string') response.setHeader('cache-control', cached);
    next();
  });
  server.registerEndpoint('/pet', {
    id: stringId,
    context: () => 'Ann',
    get: {
      run: (id) => {
        if (id === 'item') return { id };
        if (id === 'tagged') return reply(200, id, { ETag: '"1"' });
        if (id === 'own') return reply(200, id, OWN.headers);
        if (id === 'refused') throw ApiError.status(409, 'no');
        if (id === 'refused-own') throw ApiError.status(409, 'no', OWN);
        return undefined;
      },
    },
    update: { input: String, run },
  });
  server.registerEndpoint('/open', { id: stringId, get: (id) => id });
};

const cached = suite('Cache-Control of an endpoint with a context');
for (const [method, path, headers, status, expected] of [
  ['GET', '/pet/item', [], 200, PRIVATE],
  ['GET', '/pet/none', [], 404, PRIVATE],
  ['GET', '/pet/refused', [], 409, PRIVATE],
  ['GET', '/pet/tagged', ['If-None-Match: "1"'], 304, PRIVATE],
  ['PUT', '/pet/item', ['Content-Type: text/plain'], 415, PRIVATE],
  ['GET', '/pet/own', [], 200, 'max-age=3'],
  ['GET', '/pet/refused-own', [], 409, 'max-age=3'],
  ['GET', '/pet/item', ['X-Cached: no-store'], 200, 'no-store'],
  ['GET', '/pet/none', ['X-Cached: no-store'], 404, 'no-store'],
  ['GET', '/pet/tagged', ['X-Cached: no-store', 'If-None-Match: "1"'], 304, 'no-store'],
  ['GET', '/pet/own', ['X-Cached: no-store'], 200, 'max-age=3'],
  ['GET', '/open/item', [], 200, undefined],
] as const) {
  cached(`${method} ${path} ${headers.join(' ')} -> ${status}, ${expected}`, async () => {
    await serving(declare, async ({ port }) => {
      const answer = await rawRequest(port, message(method, `/v1${path}`, method === 'PUT' ? 'x' : '', [...headers]));
      assert.equal([answer.status, answer.headers.get('cache-control')], [status, expected]);
    });
  });
}
cached.run();

const required = suite('a server that requires a context');
for (const [why, declare, message] of [
  ['an endpoint with one', (server) => server.registerEndpoint('/pet', { id: integerId, context: () => undefined, get: run }), undefined],
  ['a singleton with one', (server) => server.registerEndpoint('/hours', { context: async () => 'Ann', get: run }), undefined],
  ['a mount', (server) => server.registerHandler('/health', (_request, response) => response.end()), undefined],
  ['an endpoint without one', (server) => server.registerEndpoint('/pet', { id: integerId, get: run }), REQUIRED],
  ['a singleton without one', (server) => server.registerEndpoint('/hours', { get: run }), REQUIRED],
] as readonly (readonly [string, (server: ApiServer) => void, string | undefined])[]) {
  required(`${why} is ${message === undefined ? 'registered' : 'refused, and nothing is added'}`, () => {
    const server = new ApiServer('/v1', { requireContext: true, logger: { info() {}, error() {} } });
    if (message === undefined) declare(server);
    else assert.throws(() => declare(server), (thrown: unknown) => thrown instanceof TypeError && thrown.message === message);
    assert.is(server.routes.length > 0, message === undefined);
  });
}
required.run();
