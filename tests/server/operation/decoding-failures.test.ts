/** Decoders that fail: they throw something else than a refusal, or return undefined. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, defineEndpoint, stringId, type Decoder } from '../../../src/index.ts';
import { callableSchemaOf, decodingWith, OPERATIONS, SCHEMA_FORMS, schemaOf } from '../../support/decoding.ts';
import { message, problemIn } from '../../support/messages.ts';
import { rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';

// The answer to the client.
const FAILED = { type: 'about:blank', title: 'Internal Server Error', status: 500 } as const;
const MISSING = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.' } as const;
const WRONG = { type: 'about:blank', title: 'Bad Request', status: 400, detail: 'Bad arguments: legs' } as const;
const gone = Object.assign(new Error('no such table'), { code: 'P2025' });

const NOTHING = 'Internal error: the decoder gave undefined, where it must give a value or throw';

const nothing = suite('a function that returns undefined');
for (const [why, decode] of [
  ['returns nothing', () => {}],
  ['promises nothing', async () => {}],
  ['returns a thenable that resolves to undefined', () => ({ then: (resolve: () => void) => resolve() })],
  ['is a schema of another library, which can be called', Object.assign(() => undefined, { parse: (json: unknown) => json })],
] as readonly (readonly [string, Decoder<unknown>])[]) {
  nothing(`and ${why} -> 500, logged, and the operation is not invoked`, async () => {
    await decodingWith(decode, async ({ got, served }) => {
      for (const [method, target] of OPERATIONS) {
        assert.equal(problemIn(await rawRequest(served.port, message(method, target, '{"legs":6}'))), FAILED);
        assert.is(served.errors.at(-1)?.message, `${method} ${target.replace(/1$/, ':id')}: ${NOTHING}`);
      }
      assert.is(served.errors.length, OPERATIONS.length);
      assert.equal(got, []);
    });
  });
}
for (const value of [null, 0, false, '']) {
  nothing(`a function that returns ${JSON.stringify(value)} has not failed`, async () => {
    for (const decode of [() => value, async () => value]) {
      await decodingWith(decode, async ({ got, served }) => {
        for (const [method, target, status] of OPERATIONS) {
          assert.is((await rawRequest(served.port, message(method, target, '1'))).status, status);
        }
        assert.equal(got, [value, value, value]);
      });
    }
  });
}
for (const [kind, makeSchema] of SCHEMA_FORMS) {
  nothing(`${kind} whose value is undefined has not failed: the operation gets undefined`, async () => {
    await decodingWith(makeSchema(() => ({ value: undefined })), async ({ got, served }) => {
      for (const [method, target, status] of OPERATIONS) {
        assert.is((await rawRequest(served.port, message(method, target, '1'))).status, status);
      }
      assert.equal(got, [undefined, undefined, undefined]);
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
  ['a schema that throws', (thrown) => schemaOf(() => { throw thrown; })],
  ['a schema that rejects with', (thrown) => schemaOf(async () => { throw thrown; })],
  ['a callable schema that throws', (thrown) => callableSchemaOf(() => { throw thrown; })],
];

const kinds = suite('the kind of an error that a decoder throws');
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
      await decodingWith(failing(thrown), async ({ got, served }) => {
        for (const [method, target] of OPERATIONS) {
          assert.equal(problemIn(await rawRequest(served.port, message(method, target, '1'))), problem);
        }
        const routes = OPERATIONS.map(([method, target]) => `${method} ${target.replace(/1$/, ':id')}`);
        assert.equal(served.errors.map((error) => error.message), text === undefined ? [] : routes.map((route) => `${route}: ${text}`));
        for (const error of served.errors) assert.is(error.cause, thrown);
        assert.equal(got, []);
      }, isNotFound);
      assert.equal(asked, []);
    });
  }
}
kinds('exposeInternalErrors: the text of an Internal error of a decoder is sent', async () => {
  const endpoint = defineEndpoint({ id: stringId, schema: (): string => { throw ApiError.internal('the registry is down'); }, create: String });
  await serving((server) => server.registerEndpoint('/thing', endpoint), async ({ port, errors }) => {
    const problem = problemIn(await rawRequest(port, message('POST', '/v1/thing', '1')));
    assert.equal(problem, { ...FAILED, detail: 'Internal error: the registry is down' });
    assert.is(errors.length, 1);
  }, { exposeInternalErrors: true });
});
kinds.run();
