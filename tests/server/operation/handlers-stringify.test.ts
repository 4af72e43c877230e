/** `stringify` of an operation. */
import { ApiError, defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { assert, check, facts, suite } from '../../support/facts.ts';

type Write = (value: unknown) => string;

/** A Get and two Custom operations with this `stringify`, and one without. */
function declareWriter(write: Write, give: () => unknown = () => 'result'): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: (json: unknown) => json,
    create: () => 'new',
    get: { run: (id) => (id === 'good' ? 'good' : give()), stringify: (item) => (item === 'good' ? '"good"' : write(item)) },
    update: give,
    delete: give,
    custom: {
      make: { run: give, stringify: write },
      echo: { input: (json: unknown) => json, run: give, stringify: write },
      plain: { run: () => ({ plain: true }) },
    },
  }));
}

const REQUESTS = ['GET /v1/thing/1', 'POST /v1/thing/make', 'POST /v1/thing/echo 7'];
const ROUTES = ['GET /v1/thing/:id', 'POST /v1/thing/make', 'POST /v1/thing/echo'];

const written = suite("A11: a result that the user's function stringifies");
for (const [way, give] of [['returned', () => 6n], ['promised', async () => 6n]] as const) {
  written(`${way}: 200, application/json, the text unchanged, and its exact length`, async () => {
    const got: unknown[] = [];
    const write: Write = (value) => (got.push(value), '{"legs":  6, "name":"ä€"}');
    const sent = '200 {"legs":  6, "name":"ä€"}';
    await check(declareWriter(write, give), REQUESTS, [sent, sent, sent]);
    assert.equal(got, [6n, 6n, 6n]);
  });
}
facts(written, declareWriter(() => '"ä"'), [['HEAD has the length of the text, and no body', 'HEAD /v1/thing/1', '200 length 4']]);
const got: unknown[] = [];
facts(written, declareWriter((value) => `${got.push(value)}`), [
  ['does not use it', 'POST /v1/thing 0', '201 text new | Location: /v1/thing/new'],
  ['does not use it', 'PUT /v1/thing/1 0', '204'],
  ['does not use it', 'DELETE /v1/thing/1', '204'],
  ['does not use it', 'POST /v1/thing/plain', '200 {"plain":true}'],
], { after: () => assert.equal(got, []) });
class Operation {
  readonly #name = 'an operation';
  readonly run = (): number => 1;
  stringify(...given: unknown[]): string {
    return JSON.stringify([this.#name, ...given]);
  }
}
class Endpoint {
  readonly id = stringId;
  readonly custom = { make: new Operation(), plain: (): number => 2 };
}
facts(written, (server) => server.registerEndpoint('/thing', new Endpoint()), [
  ['stringify is called as a method of the operation, with only the result', ['POST /v1/thing/make', 'POST /v1/thing/plain'], ['200 ["an operation",1]', '200 2']],
]);

const unthrown = new Error('it will not be written');
const raise = (thrown: unknown): never => {
  throw thrown;
};

const unwritable = suite("A11: a result that the user's function fails to stringify");
for (const [why, write, text] of [
  ['throws', () => raise(unthrown), 'it will not be written'],
  ['throws a NotFound error', () => raise(ApiError.notFound()), 'Not found.'],
  ['throws what a store reports as not found', () => raise(Object.assign(new Error('gone'), { code: 'P2025' })), 'gone'],
  ['throws null', () => raise(null), 'null'],
  ['returns undefined', () => undefined, 'stringify must return a string: it returned undefined'],
  ['returns a number', () => 6, 'stringify must return a string: it returned number'],
  ['returns null', () => null, 'stringify must return a string: it returned object'],
  ['returns a String object', () => Object('text'), 'stringify must return a string: it returned object'],
  ['returns a Buffer', () => Buffer.from('6'), 'stringify must return a string: it returned object'],
  ['returns a promise', async () => '6', 'stringify must return a string: it returned a promise, which is not awaited'],
  ['returns a promise that rejects', async () => raise(unthrown), 'stringify must return a string: it returned a promise, which is not awaited'],
  ['returns a thenable that throws', () => ({ then: () => raise(unthrown) }), 'stringify must return a string: it returned a promise, which is not awaited'],
] as readonly (readonly [string, () => unknown, string])[]) {
  unwritable(`it ${why}, for a returned and a promised result -> 500, logged once, and the connection stays open`, async () => {
    for (const give of [() => 6, async () => 6]) {
      await check(declareWriter(write as Write, give), REQUESTS.flatMap((request) => [request, 'GET /v1/thing/good']), REQUESTS.flatMap(() => ['500', '200 "good"']), ROUTES.map((route) => `${route}: Internal error: ${text}`), {
        after: ({ errors }) => why === 'throws' && errors.forEach((error) => assert.is(error.cause, unthrown)),
      });
    }
  });
}
