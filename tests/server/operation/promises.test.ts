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

interface Row {
  readonly what: string;
  /** A part of the message in the log. */
  readonly logs: string;
  readonly try: (promised: () => Promise<any>) => Tried;
  /** 500 by default. */
  readonly status?: number;
}

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
  { what: 'context.unauthorized', logs: 'context.unauthorized must not be async: it returned a promise',
    try: (promised) => ({ endpoint: { context: Object.assign(() => false, { unauthorized: promised }), get: () => 1 } }) },
  { what: 'getScopes of bearer', logs: 'getScopes must not be async: it returned a promise',
    try: (promised) => ({ endpoint: { context: bearer(() => ({}), { getScopes: promised as never }), scopes: ['a'], get: () => 1 }, init: WITH_TOKEN }) },
  { what: 'getScopes of apiKey', logs: 'getScopes must not be async: it returned a promise',
    try: (promised) => ({ endpoint: { context: apiKey('x-key', () => ({}), { getScopes: promised as never }), scopes: ['a'], get: () => 1 }, init: { headers: { 'x-key': 'a' } } }) },
  { what: 'isInvalid after verify has thrown', logs: 'isInvalid must not be async: it returned a promise',
    try: (promised) => ({ endpoint: { context: bearer(fail, { isInvalid: promised as never }), get: () => 1 }, init: WITH_TOKEN }) },
  { what: 'isInvalid after verify has rejected', logs: 'isInvalid must not be async: it returned a promise',
    try: (promised) => ({ endpoint: { context: bearer(async () => fail(), { isInvalid: promised as never }), get: () => 1 }, init: WITH_TOKEN }) },
  { what: 'onStoreError after the store has thrown', logs: 'onStoreError must not be async: it returned a promise',
    try: (promised) => tryInterceptor(rateLimit({ limit: 1, windowSeconds: 1, store: { take: fail }, onStoreError: promised as never })) },
  { what: 'onStoreError after the store has rejected', logs: 'onStoreError must not be async: it returned a promise',
    try: (promised) => tryInterceptor(rateLimit({ limit: 1, windowSeconds: 1, store: { take: async () => fail() }, onStoreError: promised as never })) },
  { what: 'caller of idempotent', logs: 'caller must not be async: it returned a promise',
    try: (promised) => ({
      endpoint: { context: () => 1, custom: { go: { use: idempotent(memoryIdempotencyStore(), { caller: promised as never }), run: () => 1 } } },
      path: '/it/go', init: { ...POST, headers: { 'idempotency-key': '"a"' } },
    }) },
  { what: 'cursor of pages', logs: 'cursor must not be async: it returned a promise', try: (promised) => ({ endpoint: page({ cursor: promised }) }) },
  { what: 'codec.format of pages', logs: 'codec.format must not be async: it returned a promise',
    try: (promised) => ({ endpoint: page({ codec: { parse: Number, format: promised } }) }) },
  { what: 'codec.parse of pages', logs: 'parse of a codec must not be async: it returned a promise',
    try: (promised) => ({ endpoint: page({ codec: { parse: promised, format: String } }), path: '/it?after=1' }) },
  { what: 'format of a sort key', logs: 'sort.id.format must not be async: it returned a promise',
    try: (promised) => ({ endpoint: page({ sort: { id: { parse: Number, format: promised } } }), path: '/it?sort=id' }) },
  { what: 'parse of a sort key', logs: 'parse of a codec must not be async: it returned a promise',
    try: (promised) => ({
      endpoint: page({ sort: { id: { parse: promised, format: String } } }),
      path: `/it?sort=id&after=${Buffer.from('["id","1","1"]').toString('base64url')}`,
    }) },
  { what: 'parse of an id', logs: 'parse of a codec must not be async: it returned a promise',
    try: (promised) => ({ endpoint: { id: { parse: promised, format: String }, get: returnSame }, path: '/it/1' }) },
  { what: 'format of an id', logs: 'format of a codec must return a string: it returned a promise, which is not awaited',
    try: (promised) => ({ endpoint: { id: { parse: Number, format: promised }, schema: returnSame, get: returnSame, create: () => 1 }, init: { ...POST, headers: { 'content-type': 'application/json' }, body: '1' } }) },
  { what: 'version', logs: 'version must return a string or a number: it returned a promise, which is not awaited',
    try: (promised) => ({ endpoint: { version: promised, get: () => 1 } }) },
  { what: 'cors.origins', logs: 'cors.origins: cors.origins must return true or false: it returned a promise, which is not awaited', status: 200,
    try: (promised) => ({ endpoint: { get: () => 1 }, init: { headers: { origin: 'https://a.example' } }, options: { cors: { origins: promised } } }) },
  { what: 'mapError', logs: 'lost (mapError must return an ApiError or undefined: it returned a promise, which is not awaited)',
    try: (promised) => ({ endpoint: { mapError: promised, get: fail } }) },
  { what: 'formatProblem', logs: 'formatProblem: formatProblem.format must return { status, headers, body }: it returned a promise, which is not awaited', status: 404,
    try: (promised) => ({ endpoint: { get: () => undefined }, options: { formatProblem: promised } }) },
  { what: 'jsonSchema', logs: 'body of itGo has no JSON Schema: a JSON Schema must not be a promise', status: 200,
    try: (promised) => ({
      endpoint: { custom: { go: { input: returnSame, run: () => 1 } } }, path: '/openapi.json', declare: document(), options: { jsonSchema: promised },
    }) },
  { what: 'transform of a document', logs: 'options.transform must return the document: a promise, which is not awaited',
    try: (promised) => ({ endpoint: { get: () => 1 }, path: '/openapi.json', declare: document({ transform: promised }) }) },
  { what: 'jsonSchema of a format', logs: 'format.jsonSchema must not be async: it returned a promise',
    try: (promised) => ({ endpoint: { get: { output: defineFormat({ types: ['a/b'], encode: String, jsonSchema: promised as never }), run: () => 1 } }, path: '/openapi.json', declare: document() }) },
];

const VALUES: readonly Row[] = [
  { what: 'run(adds) of an interceptor', logs: 'the properties that an interceptor adds must not be a promise: await it', try: (promised) => tryAround((_call, run) => run(promised())) },
  { what: 'the options of run', logs: 'options must not be a promise: await it', try: (promised) => tryAround((_call, run) => run({}, promised())) },
  { what: 'the input of run', logs: 'options.input must not be a promise: await it', try: (promised) => tryAround((_call, run) => run({}, { input: promised() })) },
  { what: 'call.addHeaders(headers)', logs: 'headers must not be a promise: await it', try: (promised) => tryAround((call, run) => { call.addHeaders(promised()); return run(); }) },
  { what: 'a value of call.addHeaders', logs: 'header X-A must be a string: a promise, which is not awaited',
    try: (promised) => tryAround((call, run) => { call.addHeaders({ 'X-A': promised(), 'X-B': promised() }); return run(); }) },
  { what: 'call.encode(result)', logs: 'the result that call.encode() takes must not be a promise: await it', try: (promised) => tryAround((call) => call.encode(promised())) },
  { what: 'call.encode of a list of promises', logs: 'the result must not be a list of promises: return Promise.all(list)', try: (promised) => tryAround((call) => call.encode([promised(), promised()])) },
  { what: 'call.response(stored)', logs: 'the response that call.response() takes must not be a promise: await it', try: (promised) => tryAround((call) => call.response(promised())) },
  { what: 'the body of call.response', logs: 'the body of a response must not be a promise: await it', try: (promised) => tryAround((call) => call.response({ status: 200, headers: {}, body: promised() })) },
  { what: 'the body of a copied response', logs: 'the body of a response must not be a promise: await it',
    try: (promised) => tryAround(async (call, run) => ({ ...await call.encode(await run()), body: promised() })) },
  { what: 'a header of onRequest', logs: 'header X-A must be a string: a promise, which is not awaited', try: (promised) => tryInterceptor({ onRequest: () => ({ 'X-A': promised() }) }) },
  { what: 'change(item) of mergePatch', logs: 'the item that the function of mergePatch takes must not be a promise: await it',
    try: (promised) => ({ endpoint: { get: () => 1, patch: { input: mergePatch(returnSame), run: async (change: any) => void await change(promised()) } }, init: PATCH }) },
  { what: 'change(item) of mergePatch, that nothing waits for', logs: 'the function of mergePatch returned a promise, and run did not wait for it: await change(item)',
    try: (promised) => ({ endpoint: { get: () => 1, patch: { input: mergePatch(promised), run: (change: any) => void { ...change({}) } } }, init: PATCH }) },
  { what: 'change(item) of mergePatch, that an async run does not wait for', logs: 'the function of mergePatch returned a promise, and run did not wait for it: await change(item)',
    try: (promised) => ({ endpoint: { id: stringId, get: returnSame, patch: { input: mergePatch(promised), run: async (_id: string, change: any) => { change({}); await new Promise(setImmediate); } } }, path: '/it/1', init: PATCH }) },
  { what: 'the body of a reply', logs: 'the body of a reply must not be a promise: await it', try: (promised) => results(() => reply(200, promised() as never)) },
  { what: 'a header of a reply', logs: 'header X-A must be a string: a promise, which is not awaited', try: (promised) => results(() => reply(200, 1, { 'X-A': promised() as never, 'X-B': promised() as never })) },
  { what: 'the id of created', logs: 'the id of created must not be a promise: await it', try: (promised) => results(() => created(promised() as never, {})) },
  { what: 'an extension of an ApiError', logs: 'options.extensions.left must not be a promise: await it', try: (promised) => results(() => { throw ApiError.status(409, 'no', { extensions: { left: promised() } }); }) },
  { what: 'the extensions of an ApiError', logs: 'options.extensions must not be a promise: await it', try: (promised) => results(() => { throw ApiError.status(409, 'no', { extensions: promised() as never }); }) },
  { what: 'an extension of a problem', logs: 'extensions.left must not be a promise: await it', try: (promised) => results(() => problem(409, 'no', { left: promised() } as never)) },
  { what: 'the options of a problem', logs: 'options must not be a promise: await it', try: (promised) => results(() => problem(409, 'no', {}, promised() as never)) },
  { what: 'the size of ranges', logs: 'size must be a whole number', try: (promised) => results(() => reply(200, ranges({ size: promised() as never, read: () => Buffer.from('a') }) as never)) },
  { what: 'a list of promises', logs: 'the result must not be a list of promises: return Promise.all(list)', try: (promised) => results(() => [promised(), promised()]) },
  { what: 'a list of promises, with output', logs: 'the result must not be a list of promises: return Promise.all(list)', try: (promised) => results(() => [promised(), promised()], { output: returnSame }) },
  { what: 'a list of promises in a reply', logs: 'the result must not be a list of promises: return Promise.all(list)', try: (promised) => results(() => reply(200, [promised(), promised()] as never)) },
  { what: 'a list of promises of an operation whose result is not sent', logs: 'the result must not be a list of promises: return Promise.all(list)',
    try: (promised) => ({ endpoint: { delete: () => [promised(), promised()] }, init: { method: 'DELETE' } }) },
  { what: 'a promise in a result that output rejects', logs: 'the result does not match output: Bad arguments: lost',
    try: (promised) => results(() => ({ list: [{ a: promised() }] }), { output: fail }) },
  { what: 'a promise as an item of ndjson', logs: 'an item cannot be sent: an item must not be a promise: await it', try: (promised) => results(() => [promised(), promised()], { output: ndjson(returnSame) }) },
  { what: 'the data of an event', logs: 'an item cannot be sent: ', try: (promised) => results(() => [{ data: promised() }], { output: events(fail as never) }) },
  { what: 'a chunk of a stream', logs: 'a stream had a chunk of type a promise, which is not awaited: it must be a string or a Uint8Array',
    try: (promised) => results(() => reply(200, new ReadableStream({ start: (controller) => controller.enqueue(promised()) }))) },
  { what: 'the body of formatProblem', logs: 'formatProblem: the body that formatProblem returns must not be a promise: await it', status: 404,
    try: (promised) => ({ endpoint: { get: () => undefined }, options: { formatProblem: () => ({ body: promised() }) } }) },
  { what: 'a header that is declared, after one that is decoded asynchronously', logs: 'the result has no header X-B, but responseHeaders declares it',
    try: (promised) => results(() => reply(200, 1, { 'X-A': '1' }), { responseHeaders: { 'X-A': promised, 'X-B': returnSame } }) },
];

async function assertLogged({ logs, status: expected = 500, ...row }: Row, promised: () => Promise<unknown>): Promise<void> {
  const { endpoint, path = '/it', init, options, declare } = row.try(promised);
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
for (const row of FUNCTIONS) {
  for (const [how, promised] of WAYS) {
    functions(`${row.what} returns a promise that ${how} -> ${row.status ?? 500}, logged with the fix`, () => assertLogged(row, promised));
  }
}

const values = suite('A10 E10: a promise as a value');
for (const row of VALUES) {
  for (const [how, promised] of WAYS) {
    values(`${row.what} is a promise that ${how} -> ${row.status ?? 500}, logged with the fix`, () => assertLogged(row, promised));
  }
}
