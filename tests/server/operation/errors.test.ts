/** The response to a failed operation, for each value that it can throw or reject with. */
import { ApiError } from '../../../src/index.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { checkFailing, declareFailing, FAILING_OPERATIONS, makeRevokedProxy, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { assert, decodeUtf8, message, send, serve, suite } from '../../support/facts.ts';

const kinds = suite('E1 E2: the three kinds');
for (const [error, response, logged] of [
  [ApiError.argument('legs must be even'), '400 Bad arguments: legs must be even', { custom: 'Bad arguments: legs must be even' }],
  [ApiError.internal('disk is full'), '500', { all: 'Internal error: disk is full' }],
  [ApiError.notFound(), '404 Not found.', { custom: 'Not found.' }],
] as const) {
  for (const [way, failWith] of WAYS_TO_FAIL) kinds(`${error.kind} ${way} by each operation -> ${response}`, () => checkFailing(declareFailing(failWith(error)), response, logged));
}

const speechless = Object.defineProperty(new Error('hidden'), 'message', { get: () => { throw new Error('the getter'); } });
const NO_TEXT = 'an error without a message';

const anything = suite('E3: anything thrown');
for (const [why, thrown, text] of [
  ['an Error', new Error('disk is full'), 'disk is full'],
  ['an Error without a message', new Error(), ''],
  ['a string', 'disk is full', 'disk is full'],
  ['an empty string', '', ''],
  ['a number', 7, '7'],
  ['null', null, 'null'],
  ['undefined', undefined, 'undefined'],
  ['a symbol', Symbol('full'), 'Symbol(full)'],
  ['a BigInt', 7n, '7'],
  ['an object with a message of its own', { message: 'disk is full', toString: () => 'full' }, 'full'],
  ['an object without a prototype', Object.create(null), NO_TEXT],
  ['an Error whose message getter throws', speechless, NO_TEXT],
  ['an object whose toString throws', { toString: () => { throw new Error('text'); } }, NO_TEXT],
  ['an object whose every getter throws', new Proxy({}, { get: () => { throw new Error('trap'); } }), NO_TEXT],
  ['a revoked proxy', makeRevokedProxy(), NO_TEXT],
  ['an Error that was frozen', Object.freeze(new Error('disk is full')), 'disk is full'],
  ['a promise', Promise.resolve(1), '[object Promise]'],
] as const) {
  for (const [way, failWith] of WAYS_TO_FAIL) {
    anything(`${why}, ${way} -> 500, and the connection stays open`, () => checkFailing(declareFailing(failWith(thrown)), '500', { all: `Internal error: ${text}`, cause: thrown }));
  }
}
for (const [way, failWith] of WAYS_TO_FAIL) {
  anything(`a rejected promise, ${way} -> 500, and nothing is unhandled`, async () => {
    const fail = (): never | Promise<never> => failWith(Promise.reject(new Error('not awaited')))();
    assert.equal(await captureUnhandled(() => checkFailing(declareFailing(fail), '500', { all: 'Internal error: [object Promise]' })), []);
  });
}
anything('the response has no stack', async () => {
  const cause = new Error('the cause');
  for (const thrown of [new Error('disk is full', { cause }), ApiError.argument('legs', { cause }), ApiError.internal('disk', { cause })]) {
    await serve(declareFailing(() => { throw thrown; }), async ({ port, errors }) => {
      for (const { method, target, sent } of FAILING_OPERATIONS) {
        const { head, body } = await send(port, message(method, target, sent));
        assert.not.match(head + decodeUtf8(body), /the cause|\bat .*:\d+|\.[jt]s\b|stack/);
      }
      assert.ok(errors.length > 0);
    });
  }
});
