/**
 * A promise where a value is expected: a logged 500 that says the fix, whether the promise resolves or rejects. No rejection is left that
 * nobody handles, since that would end the process.
 */
import { apiKey, bearer } from '../../../src/auth/index.ts';
import { events, mergePatch, ndjson, ranges } from '../../../src/formats/index.ts';
import { ApiError, created, defineFormat, integerId, problem, reply, stringId, type ApiServer, type ApiServerOptions } from '../../../src/index.ts';
import { idempotent, memoryIdempotencyStore, pages, rateLimit } from '../../../src/interceptors/index.ts';
import { openApiHandler } from '../../../src/openapi/index.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { makeServer } from '../../support/fetch-server.ts';
import { assert, suite } from '../../support/facts.ts';

interface Tried {
  /** The endpoint at `/it`. Not typed: the compiler rejects most of these. */
  readonly endpoint: object;
  readonly path?: string;
  readonly init?: RequestInit;
  readonly options?: object;
  readonly declare?: (server: ApiServer) => void;
}

/** `logs` is a part of the message in the log. */
type Row = readonly [what: string, logs: string, attempt: (make: () => Promise<any>) => Tried, status?: number];
const ASYNC = 'must not be async: it returned a promise';
const AWAIT = 'must not be a promise: await it';
const NOT_AWAITED = 'a promise, which is not awaited';
const LIST = 'the result must not be a list of promises: return Promise.all(list)';

const returnSame = (value: unknown): any => value;
const fail = (): never => { throw new Error('lost'); };
const WITH_TOKEN: RequestInit = { headers: { authorization: 'Bearer a' } };
const PATCH: RequestInit = { method: 'PATCH', headers: { 'content-type': 'application/merge-patch+json' }, body: '{"name":"Rex"}' };
const POST: RequestInit = { method: 'POST' };
const DOCUMENT = { title: 'Zoo', version: '1' };
const document = (options: object = {}) => (server: ApiServer): void => {
  server.mount('/openapi.json', openApiHandler(server, { info: DOCUMENT, ...options }));
};
const page = (options: object): object => ({ id: integerId, list: { use: pages({ cursor: ({ id }: { id: number }) => id, max: 1, ...options } as never), run: () => [{ id: 1 }, { id: 2 }] } });
const tryAround = (use: (call: any, run: any) => unknown): Tried => ({ endpoint: { use: { around: use }, get: () => 1 } });
const tryInterceptor = (use: object): Tried => ({ endpoint: { use, get: () => 1 } });
const results = (run: () => unknown, more: object = {}): Tried => ({ endpoint: { get: { ...more, run } } });

const FUNCTIONS: readonly Row[] = [
  ['context.unauthorized', `context.unauthorized ${ASYNC}`,
    (make) => ({ endpoint: { context: Object.assign(() => false, { unauthorized: make }), get: () => 1 } })],
  ['getScopes of bearer', `getScopes ${ASYNC}`,
    (make) => ({ endpoint: { context: bearer(() => ({}), { getScopes: make as never }), scopes: ['a'], get: () => 1 }, init: WITH_TOKEN })],
  ['getScopes of apiKey', `getScopes ${ASYNC}`,
    (make) => ({ endpoint: { context: apiKey('x-key', () => ({}), { getScopes: make as never }), scopes: ['a'], get: () => 1 }, init: { headers: { 'x-key': 'a' } } })],
  ['isInvalid after verify has thrown', `isInvalid ${ASYNC}`,
    (make) => ({ endpoint: { context: bearer(fail, { isInvalid: make as never }), get: () => 1 }, init: WITH_TOKEN })],
  ['isInvalid after verify has rejected', `isInvalid ${ASYNC}`,
    (make) => ({ endpoint: { context: bearer(async () => fail(), { isInvalid: make as never }), get: () => 1 }, init: WITH_TOKEN })],
  ['onStoreError after the store has thrown', `onStoreError ${ASYNC}`,
    (make) => tryInterceptor(rateLimit({ limit: 1, windowSeconds: 1, store: { take: fail }, onStoreError: make as never }))],
  ['onStoreError after the store has rejected', `onStoreError ${ASYNC}`,
    (make) => tryInterceptor(rateLimit({ limit: 1, windowSeconds: 1, store: { take: async () => fail() }, onStoreError: make as never }))],
  ['caller of idempotent', `caller ${ASYNC}`, (make) => ({
      endpoint: { context: () => 1, custom: { go: { use: idempotent(memoryIdempotencyStore(), { caller: make as never }), run: () => 1 } } },
      path: '/it/go', init: { ...POST, headers: { 'idempotency-key': '"a"' } },
    })],
  ['cursor of pages', `cursor ${ASYNC}`, (make) => ({ endpoint: page({ cursor: make }) })],
  ['codec.format of pages', `codec.format ${ASYNC}`, (make) => ({ endpoint: page({ codec: { parse: Number, format: make } }) })],
  ['codec.parse of pages', `parse of a codec ${ASYNC}`, (make) => ({ endpoint: page({ codec: { parse: make, format: String } }), path: '/it?after=1' })],
  ['format of a sort key', `sort.id.format ${ASYNC}`, (make) => ({ endpoint: page({ sort: { id: { parse: Number, format: make } } }), path: '/it?sort=id' })],
  ['parse of a sort key', `parse of a codec ${ASYNC}`, (make) => ({
      endpoint: page({ sort: { id: { parse: make, format: String } } }),
      path: `/it?sort=id&after=${Buffer.from('["id","1","1"]').toString('base64url')}`,
    })],
  ['parse of an id', `parse of a codec ${ASYNC}`, (make) => ({ endpoint: { id: { parse: make, format: String }, get: returnSame }, path: '/it/1' })],
  ['format of an id', `format of a codec must return a string: it returned ${NOT_AWAITED}`,
    (make) => ({ endpoint: { id: { parse: Number, format: make }, schema: returnSame, get: returnSame, create: () => 1 }, init: { ...POST, headers: { 'content-type': 'application/json' }, body: '1' } })],
  ['version', `version must return a string or a number: it returned ${NOT_AWAITED}`, (make) => ({ endpoint: { version: make, get: () => 1 } })],
  ['cors.origins', `cors.origins: cors.origins must return true or false: it returned ${NOT_AWAITED}`,
    (make) => ({ endpoint: { get: () => 1 }, init: { headers: { origin: 'https://a.example' } }, options: { cors: { origins: make } } }), 200],
  ['mapError', `lost (mapError must return an ApiError or undefined: it returned ${NOT_AWAITED})`, (make) => ({ endpoint: { mapError: make, get: fail } })],
  ['formatProblem', `formatProblem: formatProblem.format must return { status, headers, body }: it returned ${NOT_AWAITED}`,
    (make) => ({ endpoint: { get: () => undefined }, options: { formatProblem: make } }), 404],
  ['jsonSchema', 'body of itGo has no JSON Schema: a JSON Schema must not be a promise', (make) => ({
      endpoint: { custom: { go: { input: returnSame, run: () => 1 } } }, path: '/openapi.json', declare: document(), options: { jsonSchema: make },
    }), 200],
  ['transform of a document', `options.transform must return the document: ${NOT_AWAITED}`,
    (make) => ({ endpoint: { get: () => 1 }, path: '/openapi.json', declare: document({ transform: make }) })],
  ['jsonSchema of a format', `format.jsonSchema ${ASYNC}`,
    (make) => ({ endpoint: { get: { output: defineFormat({ types: ['a/b'], encode: String, jsonSchema: make as never }), run: () => 1 } }, path: '/openapi.json', declare: document() })],
];

const VALUES: readonly Row[] = [
  ['run(adds) of an interceptor', `the properties that an interceptor adds ${AWAIT}`, (make) => tryAround((_call, run) => run(make()))],
  ['the options of run', `options ${AWAIT}`, (make) => tryAround((_call, run) => run({}, make()))],
  ['the input of run', `options.input ${AWAIT}`, (make) => tryAround((_call, run) => run({}, { input: make() }))],
  ['call.addHeaders(headers)', `headers ${AWAIT}`, (make) => tryAround((call, run) => { call.addHeaders(make()); return run(); })],
  ['a value of call.addHeaders', `header X-A must be a string: ${NOT_AWAITED}`,
    (make) => tryAround((call, run) => { call.addHeaders({ 'X-A': make(), 'X-B': make() }); return run(); })],
  ['call.encode(result)', `the result that call.encode() takes ${AWAIT}`, (make) => tryAround((call) => call.encode(make()))],
  ['call.encode of a list of promises', LIST, (make) => tryAround((call) => call.encode([make(), make()]))],
  ['call.response(stored)', `the response that call.response() takes ${AWAIT}`, (make) => tryAround((call) => call.response(make()))],
  ['the body of call.response', `the body of a response ${AWAIT}`, (make) => tryAround((call) => call.response({ status: 200, headers: {}, body: make() }))],
  ['the body of a copied response', `the body of a response ${AWAIT}`,
    (make) => tryAround(async (call, run) => ({ ...await call.encode(await run()), body: make() }))],
  ['a header of onRequest', `header X-A must be a string: ${NOT_AWAITED}`, (make) => tryInterceptor({ onRequest: () => ({ 'X-A': make() }) })],
  ['change(item) of mergePatch', `the item that the function of mergePatch takes ${AWAIT}`,
    (make) => ({ endpoint: { get: () => 1, patch: { input: mergePatch(returnSame), run: async (change: any) => void await change(make()) } }, init: PATCH })],
  ['change(item) of mergePatch, that nothing waits for', 'the function of mergePatch returned a promise, and run did not wait for it: await change(item)',
    (make) => ({ endpoint: { get: () => 1, patch: { input: mergePatch(make), run: (change: any) => void { ...change({}) } } }, init: PATCH })],
  ['change(item) of mergePatch, that an async run does not wait for', 'the function of mergePatch returned a promise, and run did not wait for it: await change(item)',
    (make) => ({ endpoint: { id: stringId, get: returnSame, patch: { input: mergePatch(make), run: async (_id: string, change: any) => { change({}); await new Promise(setImmediate); } } }, path: '/it/1', init: PATCH })],
  ['the body of a reply', `the body of a reply ${AWAIT}`, (make) => results(() => reply(200, make() as never))],
  ['a header of a reply', `header X-A must be a string: ${NOT_AWAITED}`,
    (make) => results(() => reply(200, 1, { 'X-A': make() as never, 'X-B': make() as never }))],
  ['the id of created', `the id of created ${AWAIT}`, (make) => results(() => created(make() as never, {}))],
  ['an extension of an ApiError', `options.extensions.left ${AWAIT}`,
    (make) => results(() => { throw ApiError.status(409, 'no', { extensions: { left: make() } }); })],
  ['the extensions of an ApiError', `options.extensions ${AWAIT}`,
    (make) => results(() => { throw ApiError.status(409, 'no', { extensions: make() as never }); })],
  ['an extension of a problem', `extensions.left ${AWAIT}`, (make) => results(() => problem(409, 'no', { left: make() } as never))],
  ['the options of a problem', `options ${AWAIT}`, (make) => results(() => problem(409, 'no', {}, make() as never))],
  ['the size of ranges', 'size must be a whole number',
    (make) => results(() => reply(200, ranges({ size: make() as never, read: () => Buffer.from('a') }) as never))],
  ['a list of promises', LIST, (make) => results(() => [make(), make()])],
  ['a list of promises, with output', LIST, (make) => results(() => [make(), make()], { output: returnSame })],
  ['a list of promises in a reply', LIST, (make) => results(() => reply(200, [make(), make()] as never))],
  ['a list of promises of an operation whose result is not sent', LIST,
    (make) => ({ endpoint: { delete: () => [make(), make()] }, init: { method: 'DELETE' } })],
  ['a promise in a result that output rejects', 'the result does not match output: Bad arguments: lost',
    (make) => results(() => ({ list: [{ a: make() }] }), { output: fail })],
  ['a promise as an item of ndjson', `an item cannot be sent: an item ${AWAIT}`, (make) => results(() => [make(), make()], { output: ndjson(returnSame) })],
  ['the data of an event', 'an item cannot be sent: ', (make) => results(() => [{ data: make() }], { output: events(fail as never) })],
  ['a chunk of a stream', `a stream had a chunk of type ${NOT_AWAITED}: it must be a string or a Uint8Array`,
    (make) => results(() => reply(200, new ReadableStream({ start: (controller) => controller.enqueue(make()) })))],
  ['the body of formatProblem', `formatProblem: the body that formatProblem returns ${AWAIT}`,
    (make) => ({ endpoint: { get: () => undefined }, options: { formatProblem: () => ({ body: make() }) } }), 404],
  ['a header that is declared, after one that is decoded asynchronously', 'the result has no header X-B, but responseHeaders declares it',
    (make) => results(() => reply(200, 1, { 'X-A': '1' }), { responseHeaders: { 'X-A': make, 'X-B': returnSame } })],
];

async function assertLogged([, logs, attempt, expected = 500]: Row, make: () => Promise<unknown>): Promise<void> {
  const { endpoint, path = '/it', init, options, declare } = attempt(make);
  const { server, errors } = makeServer(options as ApiServerOptions);
  server.registerEndpoint('/it', endpoint as never);
  declare?.(server);
  let status: number | undefined;
  assert.equal(await captureUnhandled(async () => {
    const response = await server.fetch(path === '/openapi.json' ? path : `/v1${path}`, init);
    ({ status } = response);
    await response.text().catch(() => {});
  }), []);
  assert.equal([status, errors.length], [expected, 1]);
  assert.match(errors[0]?.message ?? '', logs);
}

const WAYS = [['rejects', async () => fail()], ['resolves', async () => 'a value']] as const;

const functions = suite('E10: a function that must not be async');
const values = suite('A10 E10: a promise as a value');
for (const [test, verb, rows] of [[functions, 'returns', FUNCTIONS], [values, 'is', VALUES]] as const) {
  for (const row of rows) {
    for (const [how, make] of WAYS) {
      test(`${row[0]} ${verb} a promise that ${how} -> ${row[3] ?? 500}, logged with the fix`, () => assertLogged(row, make));
    }
  }
}
