/** Decoders that fail: they throw something else than a rejection, or return undefined. */
import { mergePatch, ndjson } from '../../../src/formats/index.ts';
import { ApiError, defineEndpoint, defineFormat, stringId, type Decoder } from '../../../src/index.ts';
import { checkDecoder, makeCallableSchema, makeSchema, SCHEMA_MAKERS } from '../../support/serve-decoder.ts';
import { assert, facts, suite } from '../../support/facts.ts';

const gone = Object.assign(new Error('no such table'), { code: 'P2025' });

async function collect(items: AsyncIterable<unknown>): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Throws as `parse` of a schema of Zod or of Valibot does. */
function reject(): never {
  const issues = [{ message: 'too short', path: ['owner', { key: 'names' }, 0] }, { message: 'no legs' }];
  throw Object.assign(new Error(JSON.stringify(issues)), { name: 'ZodError', issues });
}

const NOTHING = 'Internal error: the decoder returned undefined: it must return a value, or throw';

const nothing = suite('B8: a function that returns undefined');
for (const [why, decode] of [
  ['returns nothing', () => {}],
  ['promises nothing', async () => {}],
  ['returns a thenable that resolves to undefined', () => ({ then: (resolve: () => void) => resolve() })],
  ['is a schema of another library, which can be called', Object.assign(() => undefined, { parse: (json: unknown) => json })],
] as readonly (readonly [string, Decoder<unknown>])[]) {
  nothing(`and ${why} -> 500, logged, and the operation is not invoked`, () => checkDecoder(decode, '500', { body: '{"legs":6}', logged: NOTHING }));
}
for (const value of [null, 0, false, '']) {
  nothing(`a function that returns ${JSON.stringify(value)} has not failed`, async () => {
    for (const decode of [() => value, async () => value]) await checkDecoder(decode, undefined, { received: [value, value, value] });
  });
}
for (const [kind, makeSchema] of SCHEMA_MAKERS) {
  nothing(`${kind} whose value is undefined has not failed: the operation gets undefined`, () => (
    checkDecoder(makeSchema(() => ({ value: undefined })), undefined, { received: [undefined, undefined, undefined] })
  ));
}

type Failing = (thrown: unknown) => Decoder<unknown>;

const A_FUNCTION: readonly (readonly [string, Failing])[] = [
  ['a function that throws', (thrown) => () => { throw thrown; }],
  ['a function that rejects with', (thrown) => async () => { throw thrown; }],
];
const A_SCHEMA: readonly (readonly [string, Failing])[] = [
  ['a schema that throws', (thrown) => makeSchema(() => { throw thrown; })],
  ['a schema that rejects with', (thrown) => makeSchema(async () => { throw thrown; })],
  ['a callable schema that throws', (thrown) => makeCallableSchema(() => { throw thrown; })],
];

const kinds = suite('B8 E3: the kind of an error that a decoder throws');
for (const [why, thrown, response, text, decoders] of [
  ['an Internal error', ApiError.internal('the registry is down'), '500', 'Internal error: the registry is down', [...A_FUNCTION, ...A_SCHEMA]],
  ['a NotFound error', ApiError.notFound(), '404 Not found.', undefined, [...A_FUNCTION, ...A_SCHEMA]],
  ['an Argument error', ApiError.argument('legs'), '400 Bad arguments: legs', undefined, [...A_FUNCTION, ...A_SCHEMA]],
  ['what a store reports as not found', gone, '500', 'Internal error: no such table', A_SCHEMA],
] as const) {
  for (const [how, failing] of decoders) {
    kinds(`${how} ${why} -> ${response}, ${text === undefined ? 'not logged' : 'logged'}, and mapError is not called`, async () => {
      const asked: unknown[] = [];
      await checkDecoder(failing(thrown), response, { ...(text !== undefined && { logged: text, cause: thrown }), mapError: (error) => void asked.push(error) });
      assert.equal(asked, []);
    });
  }
}
const down = defineEndpoint({ id: stringId, schema: (): string => { throw ApiError.internal('the registry is down'); }, create: String });
facts(kinds, (server) => server.registerEndpoint('/thing', down), [
  ['the text of an Internal error of a decoder is not sent', 'POST /v1/thing 1', '500', 'POST /v1/thing: Internal error: the registry is down'],
]);

const NO_LEGS = 'Cannot read properties of undefined (reading \'length\')';
const COUNT = (json: unknown): number => (json as { readonly legs: readonly unknown[] }).legs.length;
const MERGED = mergePatch((json: { readonly name?: string }) => (json.name === undefined ? COUNT(json) : json));

/** Each place of a request that a function with a bug decodes. */
const BROKEN: readonly (readonly [what: string, endpoint: object, method: string, target: string, body: string, at: string, type?: string])[] = [
  ['a body', { create: { input: COUNT, run: () => 1 } }, 'POST', '/v1/pet', '{}', '#'],
  ['a body, later', { create: { input: async (json: unknown) => COUNT(json), run: () => 1 } }, 'POST', '/v1/pet', '{}', '#'],
  ['a Custom operation', { custom: { count: { input: COUNT, run: () => 1 } } }, 'POST', '/v1/pet/count', '{}', '#'],
  ['a query', { get: { query: COUNT, run: () => 1 } }, 'GET', '/v1/pet', '', ''],
  ['headers', { get: { headers: COUNT, run: () => 1 } }, 'GET', '/v1/pet', '', ''],
  ['the query of an interceptor',
    { get: { use: { query: COUNT, around: (_call: unknown, run: () => unknown) => run() }, run: () => 1 } }, 'GET', '/v1/pet', '', ''],
  ['an id', { id: { parse: COUNT, format: String }, get: () => 1 }, 'GET', '/v1/pet/1', '', 'id'],
  ['a format', { update: { input: defineFormat({ decode: COUNT }), run: () => {} } }, 'PUT', '/v1/pet', 'a', '#'],
  ['a line of NDJSON', { custom: { load: { input: ndjson(COUNT), run: collect } } },
    'POST', '/v1/pet/load', '{"legs":[]}␊{}␊', '#/1', 'application/x-ndjson'],
  ['a merged item', { patch: { input: MERGED, run: async (change: (item: object) => Promise<unknown>) => void (await change({ name: 'Rex' })) } },
    'PATCH', '/v1/pet', '{"name":null}', '#'],
];

const bugs = suite('B8: a bug in a decoder function');
for (const [what, endpoint, method, target, body, at, type = 'application/json'] of BROKEN) {
  facts(bugs, (server) => server.registerEndpoint('/pet', endpoint as object), [
    [`of ${what}: its message is logged once`, `${method} ${target} ${body}\nContent-Type: ${type}`,
      `400 Bad arguments: the value could not be decoded @${at}`, new RegExp(`a decoder failed: ${NO_LEGS.replace(/[()]/g, '.')}`)],
  ], { after: ({ errors }) => assert.instance(errors[0]?.cause, TypeError) });
}
facts(bugs, (server) => server.registerEndpoint('/pet', { get: { output: COUNT, run: () => ({}) } }), [
  ['in output', 'GET /v1/pet', '500', `GET /v1/pet: Internal error: the result does not match output: ${NO_LEGS}`],
]);
const trying = { around: (_call: unknown, run: () => Promise<unknown>) => run().catch((error: ApiError) => { throw error.with({ headers: { 'X-Try': '1' } }); }) };
facts(bugs, (server) => server.registerEndpoint('/pet', { create: { use: trying, input: ndjson(COUNT), run: collect } } as object), [
  ['stays logged if an interceptor adds headers to its error', 'POST /v1/pet {}\nContent-Type: application/x-ndjson', '400 Bad arguments: the value could not be decoded @#/0 | X-Try: 1', "POST /v1/pet: a decoder failed: Cannot read properties of undefined (reading 'length')"],
]);

const thrownIssues = suite('B8: an error with issues that a decoder function throws');
for (const [what, endpoint, request, at] of [
  ['a body', { create: { input: reject, run: () => 1 } }, 'POST /v1/pet {}', '@#/owner/names/0 @#'],
  ['a query', { get: { query: reject, run: () => 1 } }, 'GET /v1/pet', '@owner @'],
  ['an id', { id: { parse: reject, format: String }, get: () => 1 }, 'GET /v1/pet/1', '@id @id'],
] as const) {
  facts(thrownIssues, (server) => server.registerEndpoint('/pet', endpoint as object), [[`of ${what}`, request, `400 Bad arguments: too short; no legs ${at}`]]);
}
