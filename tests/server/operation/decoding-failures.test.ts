/** Decoders that fail: they throw something else than a rejection, or return undefined. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergePatch, ndjson } from '../../../src/formats/index.ts';
import { ApiError, defineEndpoint, defineFormat, stringId, type Decoder } from '../../../src/index.ts';
import { makeCallableSchema, serveDecoder, OPERATIONS, SCHEMA_MAKERS, makeSchema } from '../../support/serve-decoder.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

// The response to the client.
const FAILED = { type: 'about:blank', title: 'Internal Server Error', status: 500 } as const;
const MISSING = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.' } as const;
const WRONG = { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Bad arguments: legs' } as const;
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

const NO_PLACE = { 'a body': { pointer: '#' }, 'a query': {}, 'an id': { parameter: 'id' } } as const;
const NOTHING = 'Internal error: the decoder returned undefined: it must return a value, or throw';

const nothing = suite('B8: a function that returns undefined');
for (const [why, decode] of [
  ['returns nothing', () => {}],
  ['promises nothing', async () => {}],
  ['returns a thenable that resolves to undefined', () => ({ then: (resolve: () => void) => resolve() })],
  ['is a schema of another library, which can be called', Object.assign(() => undefined, { parse: (json: unknown) => json })],
] as readonly (readonly [string, Decoder<unknown>])[]) {
  nothing(`and ${why} -> 500, logged, and the operation is not invoked`, async () => {
    await serveDecoder(decode, async ({ received, served }) => {
      for (const [method, target] of OPERATIONS) {
        assert.equal(readProblem(await send(served.port, message(method, target, '{"legs":6}'))), FAILED);
        assert.is(served.errors.at(-1)?.message, `${method} ${target.replace(/1$/, ':id')}: ${NOTHING}`);
      }
      assert.is(served.errors.length, OPERATIONS.length);
      assert.equal(received, []);
    });
  });
}
for (const value of [null, 0, false, '']) {
  nothing(`a function that returns ${JSON.stringify(value)} has not failed`, async () => {
    for (const decode of [() => value, async () => value]) {
      await serveDecoder(decode, async ({ received, served }) => {
        for (const [method, target, status] of OPERATIONS) {
          assert.is((await send(served.port, message(method, target, '1'))).status, status);
        }
        assert.equal(received, [value, value, value]);
      });
    }
  });
}
for (const [kind, makeSchema] of SCHEMA_MAKERS) {
  nothing(`${kind} whose value is undefined has not failed: the operation gets undefined`, async () => {
    await serveDecoder(makeSchema(() => ({ value: undefined })), async ({ received, served }) => {
      for (const [method, target, status] of OPERATIONS) {
        assert.is((await send(served.port, message(method, target, '1'))).status, status);
      }
      assert.equal(received, [undefined, undefined, undefined]);
    });
  });
}
nothing.run();

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
for (const [why, thrown, problem, text, decoders] of [
  ['an Internal error', ApiError.internal('the registry is down'), FAILED, 'Internal error: the registry is down', [...A_FUNCTION, ...A_SCHEMA]],
  ['a NotFound error', ApiError.notFound(), MISSING, undefined, [...A_FUNCTION, ...A_SCHEMA]],
  ['an Argument error', ApiError.argument('legs'), WRONG, undefined, [...A_FUNCTION, ...A_SCHEMA]],
  ['what a store reports as not found', gone, FAILED, 'Internal error: no such table', A_SCHEMA],
] as const) {
  for (const [how, failing] of decoders) {
    kinds(`${how} ${why} -> ${problem.status}, ${text === undefined ? 'not logged' : 'logged'}, and isNotFound is not called`, async () => {
      const asked: unknown[] = [];
      const isNotFound = (error: unknown): boolean => asked.push(error) > 0;
      await serveDecoder(failing(thrown), async ({ received, served }) => {
        for (const [method, target] of OPERATIONS) {
          assert.equal(readProblem(await send(served.port, message(method, target, '1'))), problem);
        }
        const routes = OPERATIONS.map(([method, target]) => `${method} ${target.replace(/1$/, ':id')}`);
        assert.equal(served.errors.map((error) => error.message), text === undefined ? [] : routes.map((route) => `${route}: ${text}`));
        for (const error of served.errors) assert.is(error.cause, thrown);
        assert.equal(received, []);
      }, isNotFound);
      assert.equal(asked, []);
    });
  }
}
kinds('exposeInternalErrors: the text of an Internal error of a decoder is sent', async () => {
  const endpoint = defineEndpoint({ id: stringId, schema: (): string => { throw ApiError.internal('the registry is down'); }, create: String });
  await serve((server) => server.registerEndpoint('/thing', endpoint), async ({ port, errors }) => {
    const problem = readProblem(await send(port, message('POST', '/v1/thing', '1')));
    assert.equal(problem, { ...FAILED, detail: 'Internal error: the registry is down' });
    assert.is(errors.length, 1);
  }, { exposeInternalErrors: true });
});
kinds.run();

const NO_LEGS = 'Cannot read properties of undefined (reading \'length\')';
const COUNT = (json: unknown): number => (json as { readonly legs: readonly unknown[] }).legs.length;
const MERGED = mergePatch((json: { readonly name?: string }) => (json.name === undefined ? COUNT(json) : json));

/** Each place of a request that a function with a bug decodes. */
const BROKEN: readonly (readonly [what: string, endpoint: object, method: string, target: string, body: string, status: number, at: object])[] = [
  ['a body', { create: { input: COUNT, status: 200, run: () => 1 } }, 'POST', '/v1/pet', '{}', 400, { pointer: '#' }],
  ['a body, later', { create: { input: async (json: unknown) => COUNT(json), status: 200, run: () => 1 } }, 'POST', '/v1/pet', '{}', 400, { pointer: '#' }],
  ['a Custom operation', { custom: { count: { input: COUNT, run: () => 1 } } }, 'POST', '/v1/pet/count', '{}', 400, { pointer: '#' }],
  ['a query', { get: { query: COUNT, run: () => 1 } }, 'GET', '/v1/pet', '', 400, {}],
  ['headers', { get: { headers: COUNT, run: () => 1 } }, 'GET', '/v1/pet', '', 400, {}],
  ['the query of an interceptor', { get: { use: { query: COUNT, around: (_call: unknown, run: () => unknown) => run() }, run: () => 1 } }, 'GET', '/v1/pet', '', 400, {}],
  ['an id', { id: { parse: COUNT, format: String }, get: () => 1 }, 'GET', '/v1/pet/1', '', 400, { parameter: 'id' }],
  ['a format', { update: { input: defineFormat({ decode: COUNT }), run: () => {} } }, 'PUT', '/v1/pet', 'a', 400, { pointer: '#' }],
  ['a line of NDJSON', { custom: { load: { input: ndjson(COUNT), run: collect } } },
    'POST', '/v1/pet/load', '{"legs":[]}\n{}\n', 400, { pointer: '#/1' }],
  ['a merged item', { patch: { input: MERGED, run: async (change: (item: object) => Promise<unknown>) => void (await change({ name: 'Rex' })) } },
    'PATCH', '/v1/pet', '{"name":null}', 400, { pointer: '#' }],
];

const bugs = suite('B8: a bug in a decoder function');
for (const [what, endpoint, method, target, body, status, at] of BROKEN) {
  bugs(`of ${what}: ${status} without its message, which is logged once`, async () => {
    await serve((server) => server.registerEndpoint('/pet', endpoint as object), async ({ port, errors }) => {
      const type = body.includes('\n') ? 'application/x-ndjson' : 'application/json';
      const { errors: issues, ...problem } = readProblem(await send(port, message(method, target, body, [`Content-Type: ${type}`])));
      assert.equal(problem, { ...WRONG, status, detail: 'Bad arguments: the value could not be decoded' });
      assert.equal(issues, [{ detail: 'the value could not be decoded', ...at }]);
      assert.is(errors.length, 1);
      assert.match(String(errors[0]?.message), `a decoder failed: ${NO_LEGS}`);
      assert.instance(errors[0]?.cause, TypeError);
    });
  });
}
bugs('in output: a 500 whose log has the message', async () => {
  await serve((server) => server.registerEndpoint('/pet', { get: { output: COUNT, run: () => ({}) } }), async ({ port, errors }) => {
    assert.equal(readProblem(await send(port, message('GET', '/v1/pet'))), FAILED);
    assert.equal(errors.map((error) => error.message), [`GET /v1/pet: Internal error: the result does not match output: ${NO_LEGS}`]);
  });
});
bugs('stays logged if an interceptor adds headers to its error', async () => {
  const use = {
    around: (_call: unknown, run: () => Promise<unknown>) => run().catch((error: ApiError) => { throw error.with({ headers: { 'X-Try': '1' } }); }),
  };
  const load = { use, input: ndjson(COUNT), run: collect };
  await serve((server) => server.registerEndpoint('/pet', { create: { ...load, status: 200 } } as object), async ({ port, errors }) => {
    const response = await send(port, message('POST', '/v1/pet', '{}', ['Content-Type: application/x-ndjson']));
    assert.equal([response.status, response.headers.get('x-try'), errors.length], [400, '1', 1]);
  });
});
bugs.run();

const thrownIssues = suite('B8: an error with issues that a decoder function throws');
for (const [what, endpoint, method, target, at] of [
  ['a body', { create: { input: reject, status: 200, run: () => 1 } }, 'POST', '/v1/pet', { pointer: '#/owner/names/0' }],
  ['a query', { get: { query: reject, run: () => 1 } }, 'GET', '/v1/pet', { parameter: 'owner' }],
  ['an id', { id: { parse: reject, format: String }, get: () => 1 }, 'GET', '/v1/pet/1', { parameter: 'id' }],
] as const) {
  thrownIssues(`of ${what}: 400 with them, and nothing is logged`, async () => {
    await serve((server) => server.registerEndpoint('/pet', endpoint as object), async ({ port, errors }) => {
      const { detail, errors: issues } = readProblem(await send(port, message(method, target, method === 'POST' ? '{}' : '')));
      assert.equal([detail, issues], ['Bad arguments: too short; no legs', [{ detail: 'too short', ...at }, { detail: 'no legs', ...NO_PLACE[what] }]]);
      assert.equal(errors, []);
    });
  });
}
thrownIssues.run();
