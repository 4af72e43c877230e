/** `stringify` of an operation. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { message, readProblem, decodeUtf8, encodeUtf8 } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

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

const WRITTEN = [
  ['GET', '/v1/thing/1', '', '/v1/thing/:id'],
  ['POST', '/v1/thing/make', '', '/v1/thing/make'],
  ['POST', '/v1/thing/echo', '7', '/v1/thing/echo'],
] as const;

const written = suite("A11: a result that the user's function stringifies");
for (const [way, give] of [['returned', () => 6n], ['promised', async () => 6n]] as const) {
  written(`${way}: 200, application/json, the text unchanged, and its exact length`, async () => {
    const got: unknown[] = [];
    const write: Write = (value) => (got.push(value), '{"legs":  6, "name":"ä€"}');
    await serve(declareWriter(write, give), async ({ port, errors }) => {
      for (const [method, target, sent] of WRITTEN) {
        const { status, headers, body } = await send(port, message(method, target, sent));
        assert.is(status, 200, target);
        assert.is(headers.get('content-type'), 'application/json');
        assert.is(headers.get('content-length'), String(encodeUtf8('{"legs":  6, "name":"ä€"}').length));
        assert.is(decodeUtf8(body), '{"legs":  6, "name":"ä€"}');
      }
      assert.equal(errors, []);
    });
    assert.equal(got, [6n, 6n, 6n]);
  });
}
written('HEAD has the length of the text, and no body', async () => {
  await serve(declareWriter(() => '"ä"'), async ({ port }) => {
    const { status, headers, body } = await send(port, message('HEAD', '/v1/thing/1'));
    assert.equal([status, headers.get('content-length'), body], [200, '4', '']);
  });
});
for (const [method, target, sent, response] of [
  ['POST', '/v1/thing', '0', 'new'],
  ['PUT', '/v1/thing/1', '0', ''],
  ['DELETE', '/v1/thing/1', '', ''],
  ['POST', '/v1/thing/plain', '', '{"plain":true}'],
] as const) {
  written(`${method} ${target} does not use it`, async () => {
    const got: unknown[] = [];
    await serve(declareWriter((value) => `${got.push(value)}`), async ({ port }) => {
      assert.is((await send(port, message(method, target, sent))).body, response);
    });
    assert.equal(got, []);
  });
}
written('stringify is called as a method of the operation, with only the result', async () => {
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
  await serve((server) => server.registerEndpoint('/thing', new Endpoint()), async ({ port }) => {
    assert.is((await send(port, message('POST', '/v1/thing/make'))).body, '["an operation",1]');
    assert.is((await send(port, message('POST', '/v1/thing/plain'))).body, '2');
  });
});
written.run();

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
      await serve(declareWriter(write as Write, give), async ({ port, errors }) => {
        const client = await RawClient.connect(port);
        for (const [method, target, sent] of WRITTEN) {
          client.send(message(method, target, sent));
          assert.equal(readProblem(await client.response()), { type: 'about:blank', title: 'Internal Server Error', status: 500 });
          client.send(message('GET', '/v1/thing/good'));
          assert.is((await client.response()).body, '"good"');
        }
        client.destroy();
        assert.equal(errors.map((error) => error.message), WRITTEN.map(([method, , , pattern]) => `${method} ${pattern}: Internal error: ${text}`));
        if (why === 'throws') for (const error of errors) assert.is(error.cause, unthrown);
      });
    }
  });
}
unwritable.run();
