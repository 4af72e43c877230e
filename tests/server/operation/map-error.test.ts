/** The functions that classify a failure of an operation, in their order: the endpoint's `mapError`, the server's, `isNotFound`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, ApiServer, defineEndpoint, stringId, type ApiServerOptions, type ErrorMapper } from '../../../src/index.ts';
import { FAILING_OPERATIONS, declareFailing, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';

const DUPLICATE = Object.assign(new Error('duplicate key'), { code: '23505' });

const conflict: ErrorMapper = (thrown) => (thrown === DUPLICATE ? ApiError.status(409, 'It exists.', { cause: thrown }) : undefined);
const mapToGone: ErrorMapper = () => ApiError.status(410);
const mapToNothing: ErrorMapper = () => undefined;
const throwFromMapper: ErrorMapper = () => { throw new Error('the mapper'); };

const mapped = suite('E7: a value that an operation threw, converted by mapError');
for (const [why, own, server, isNotFound, status] of [
  ["the server's", undefined, conflict, undefined, 409],
  ["the endpoint's", conflict, undefined, undefined, 409],
  ["the endpoint's before the server's", mapToGone, conflict, undefined, 410],
  ["the server's, where the endpoint's gives undefined", mapToNothing, conflict, undefined, 409],
  ['before isNotFound', undefined, conflict, () => true, 409],
  ['isNotFound, where none knows it', mapToNothing, mapToNothing, () => true, 404],
  ['Internal, where nobody knows it', mapToNothing, mapToNothing, undefined, 500],
  ["isNotFound, where the server's throws", undefined, throwFromMapper, () => true, 404],
  ["isNotFound, where the endpoint's throws: the server's is not asked", throwFromMapper, conflict, () => true, 404],
  ['null is not a response', () => null, conflict, undefined, 409],
  ['an Error is not a response', () => new Error('no'), conflict, undefined, 409],
  ['a promise is not a response', async () => ApiError.notFound(), mapToNothing, undefined, 500],
  ['a promise that rejects is not a response', async () => { throw new Error('no'); }, mapToNothing, undefined, 500],
] as const) {
  mapped(`${why} -> ${status}`, async () => {
    for (const [, failWith] of WAYS_TO_FAIL) {
      const options: ApiServerOptions = { ...(server && { mapError: server }), ...(isNotFound && { isNotFound }) };
      assert.equal(await captureUnhandled(() => serve(declareFailing(failWith(DUPLICATE), undefined, own as ErrorMapper | undefined), async ({ port, errors }) => {
        for (const { method, target, sent, route, isCustom } of FAILING_OPERATIONS) {
          const before = errors.length;
          assert.is(readProblem(await send(port, message(method, target, sent))).status, status);
          const logged = errors.slice(before);
          assert.is(logged.length, status === 500 || isCustom ? 1 : 0);
          for (const error of logged) assert.is(error.cause, status === 500 ? DUPLICATE : undefined);
          if (status === 500) assert.is(logged[0]?.message.replace(/ \(mapError .*\)$/, ''), `${route}: Internal error: duplicate key`);
        }
      }, options)), []);
    }
  });
}
mapped('a rejected promise that was thrown is ignored when it is mapped', async () => {
  const fail = (): never => { throw Promise.reject(new Error('nobody waits for it')); };
  assert.equal(await captureUnhandled(() => serve(declareFailing(fail, undefined, mapToGone), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 410);
  })), []);
});
mapped('the endpoint is its `this`', async () => {
  class Things {
    readonly id = stringId;
    readonly #status = 418;
    get(): never { throw DUPLICATE; }
    mapError(): ApiError { return ApiError.status(this.#status, 'A teapot.'); }
  }
  await serve((server) => server.registerEndpoint('/thing', new Things()), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 418);
  });
});
mapped.run();

const PROMISE = 'mapError must return an ApiError or undefined: it returned a promise, which is not awaited';
const wrong = suite('E7: a mapError that fails, after the message of the error in the log');
for (const [why, own, server, hint] of [
  ['nothing, where none knows the error', mapToNothing, mapToNothing, ''],
  ['nothing, where it gives null', () => null, undefined, ''],
  ['nothing, where it throws the error again', undefined, (thrown: unknown) => { throw thrown; }, ''],
  ['a copy of an ApiError', () => ({ ...ApiError.status(410) }), mapToNothing, ' (mapError must return an ApiError or undefined: it returned object)'],
  ['a status', undefined, () => 404, ' (mapError must return an ApiError or undefined: it returned number)'],
  ['a promise', undefined, async () => ApiError.notFound(), ` (${PROMISE})`],
  ['two promises', async () => ApiError.notFound(), async () => { throw new Error('no'); }, ` (${PROMISE}; ${PROMISE})`],
  ['its failure', throwFromMapper, conflict, ' (mapError failed: the mapper)'],
] as const) {
  wrong(why, async () => {
    const options = server === undefined ? {} : { mapError: server as ErrorMapper };
    await serve(declareFailing(() => { throw DUPLICATE; }, undefined, own as ErrorMapper | undefined), async ({ port, errors }) => {
      assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 500);
      assert.equal(errors.map((error) => [error.message, error.cause]), [[`GET /v1/thing/:id: Internal error: duplicate key${hint}`, DUPLICATE]]);
    }, options);
  });
}
wrong('nothing, where another one knows the error', async () => {
  await serve(declareFailing(() => { throw DUPLICATE; }, undefined, (() => 7) as never), async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 409);
    assert.equal(errors, []);
  }, { mapError: conflict });
});
wrong.run();

const notCalled = suite('E7: failures for which mapError is not called');
for (const [why, target, body, expected] of [
  ['an ApiError', '/v1/thing/a', undefined, 404],
  ['a codec that throws', '/v1/thing/rejected', undefined, 400],
  ['a decoder that throws', '/v1/thing', '1', 400],
  ['a result that cannot be sent', '/v1/thing/big', undefined, 500],
] as const) {
  notCalled(why, async () => {
    let asked = 0;
    const parse = (text: string): string => { if (text === 'rejected') throw DUPLICATE; return text; };
    const thing = defineEndpoint({
      id: { parse, format: String },
      schema: (): string => { throw DUPLICATE; },
      create: () => 'a',
      get: (id) => { if (id === 'big') return 1n as never; throw ApiError.notFound(); },
    });
    await serve((server) => server.registerEndpoint('/thing', thing), async ({ port, errors }) => {
      assert.is((await send(port, message(body === undefined ? 'GET' : 'POST', target, body))).status, expected);
      assert.is(asked, 0);
      assert.is(errors.length, expected === 500 ? 1 : 0);
    }, { mapError: () => { asked += 1; return undefined; } });
  });
}
notCalled.run();

const misdeclared = suite('a mapError that is not a function');
misdeclared('of a server, or of an endpoint -> TypeError', () => {
  assert.throws(() => new ApiServer('', { mapError: true as never }), /^mapError must be a function: boolean$/);
  const endpoint = { id: stringId, get: () => 1, mapError: 'no' as never };
  assert.throws(() => new ApiServer('').registerEndpoint('/a', endpoint), /^endpoint.mapError must be a function: string$/);
});
misdeclared.run();
