/** The functions that classify a failure of an operation, in their order: the endpoint's `mapError`, then the server's. */
import { ApiError, ApiServer, defineEndpoint, stringId, type ErrorMapper } from '../../../src/index.ts';
import { checkFailing, declareFailing, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { assert, check, facts, suite } from '../../support/facts.ts';

const DUPLICATE = Object.assign(new Error('duplicate key'), { code: '23505' });

const conflict: ErrorMapper = (thrown) => (thrown === DUPLICATE ? ApiError.status(409, 'It exists.', { cause: thrown }) : undefined);
const mapToGone: ErrorMapper = () => ApiError.status(410);
const mapToNotFound: ErrorMapper = () => ApiError.notFound();
const mapToNothing: ErrorMapper = () => undefined;
const throwFromMapper: ErrorMapper = () => { throw new Error('the mapper'); };

const mapped = suite('E7: a value that an operation threw, converted by mapError');
for (const [why, own, server, response] of [
  ["the server's", undefined, conflict, '409 It exists.'],
  ["the endpoint's", conflict, undefined, '409 It exists.'],
  ["the endpoint's before the server's", mapToGone, conflict, '410'],
  ["the server's, where the endpoint's gives undefined", mapToNothing, conflict, '409 It exists.'],
  ['not found', mapToNotFound, conflict, '404 Not found.'],
  ['Internal, where nobody knows it', mapToNothing, mapToNothing, '500'],
  ["Internal, where the server's throws", undefined, throwFromMapper, '500'],
  ["Internal, where the endpoint's throws: the server's is not asked", throwFromMapper, conflict, '500'],
  ['null is not a response', () => null, conflict, '409 It exists.'],
  ['an Error is not a response', () => new Error('no'), conflict, '409 It exists.'],
  ['a promise is not a response', async () => ApiError.notFound(), mapToNothing, '500'],
  ['a promise that rejects is not a response', async () => { throw new Error('no'); }, mapToNothing, '500'],
] as const) {
  mapped(`${why} -> ${response}`, async () => {
    const text = { 409: 'It exists.', 410: 'Gone', 404: 'Not found.' }[response.slice(0, 3)];
    const logged = text === undefined ? { all: /: Internal error: duplicate key/, cause: DUPLICATE } : { custom: text, cause: undefined };
    for (const [, failWith] of WAYS_TO_FAIL) {
      assert.equal(await captureUnhandled(() => checkFailing(declareFailing(failWith(DUPLICATE), own as ErrorMapper | undefined), response, { ...logged, ...(server && { mapError: server }) })), []);
    }
  });
}
mapped('a rejected promise that was thrown is ignored when it is mapped', async () => {
  const fail = (): never => { throw Promise.reject(new Error('nobody waits for it')); };
  assert.equal(await captureUnhandled(() => check(declareFailing(fail, mapToGone), 'GET /v1/thing/1', '410')), []);
});
mapped('the endpoint is its `this`', async () => {
  class Things {
    readonly id = stringId;
    readonly #status = 418;
    get(): never { throw DUPLICATE; }
    mapError(): ApiError { return ApiError.status(this.#status, 'A teapot.'); }
  }
  await check((server) => server.registerEndpoint('/thing', new Things()), 'GET /v1/thing/1', '418 A teapot.');
});

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
  facts(wrong, declareFailing(() => { throw DUPLICATE; }, own as ErrorMapper | undefined), [
    [why, 'GET /v1/thing/1', '500', `GET /v1/thing/:id: Internal error: duplicate key${hint}`],
  ], { ...(server && { mapError: server as ErrorMapper }), after: ({ errors }) => assert.is(errors[0]?.cause, DUPLICATE) });
}
facts(wrong, declareFailing(() => { throw DUPLICATE; }, (() => 7) as never),
  [['nothing, where another one knows the error', 'GET /v1/thing/1', '409 It exists.']], { mapError: conflict });

const notCalled = suite('E7: failures for which mapError is not called');
let asked = 0;
const parse = (text: string): string => { if (text === 'rejected') throw DUPLICATE; return text; };
const thing = defineEndpoint({
  id: { parse, format: String },
  schema: (): string => { throw DUPLICATE; },
  create: () => 'a',
  get: (id) => { if (id === 'big') return 1n as never; throw ApiError.notFound(); },
});
facts(notCalled, (server) => server.registerEndpoint('/thing', thing), [
  ['an ApiError', 'GET /v1/thing/a', '404 Not found.'],
  ['a codec that throws', 'GET /v1/thing/rejected', '400 Bad arguments: duplicate key @id'],
  ['a decoder that throws', 'POST /v1/thing 1', '400 Bad arguments: duplicate key @#'],
  ['a result that cannot be sent', 'GET /v1/thing/big', '500', /: the result cannot be written as JSON: it is a bigint/],
], { mapError: () => void (asked += 1), after: () => assert.is(asked, 0) });

const misdeclared = suite('a mapError that is not a function');
misdeclared('of a server, or of an endpoint -> TypeError', () => {
  assert.throws(() => new ApiServer('', { mapError: true as never }), /^mapError must be a function: boolean$/);
  const endpoint = { id: stringId, get: () => 1, mapError: 'no' as never };
  assert.throws(() => new ApiServer('').registerEndpoint('/a', endpoint), /^endpoint.mapError must be a function: string$/);
});
