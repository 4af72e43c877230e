/** The response to a failed operation, for each value that it can throw or reject with. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Problem } from '../../../src/index.ts';
import { declareFailing, FAILING_OPERATIONS, makeRevokedProxy, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { message, readProblem, decodeUtf8 } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';

const BAD_REQUEST = { type: 'about:blank', title: 'Bad Request', status: 400 } as const;
const NOT_FOUND: Problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.' };
const FAILED = { type: 'about:blank', title: 'Internal Server Error', status: 500 } as const;

const kinds = suite('E1 E2: the three kinds');
for (const [kind, error, problem] of [
  ['Argument', ApiError.argument('legs must be even'), { ...BAD_REQUEST, detail: 'Bad arguments: legs must be even' }],
  ['Internal', ApiError.internal('disk is full'), FAILED],
  ['NotFound', ApiError.notFound(), NOT_FOUND],
] as const) {
  for (const [way, failWith] of WAYS_TO_FAIL) {
    kinds(`${kind} ${way} by each operation -> ${problem.status}`, async () => {
      await serve(declareFailing(failWith(error)), async ({ port, errors }) => {
        for (const { method, target, sent, isCustom } of FAILING_OPERATIONS) {
          const before = errors.length;
          assert.equal(readProblem(await send(port, message(method, target, sent))), problem, target);
          assert.is(errors.length - before, isCustom || kind === 'Internal' ? 1 : 0, target);
        }
      });
    });
  }
}
kinds.run();

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
    anything(`${why}, ${way} -> 500, and the connection stays open; its text is sent with exposeInternalErrors`, async () => {
      for (const exposeInternalErrors of [false, true]) {
        await serve(declareFailing(failWith(thrown)), async ({ port, errors }) => {
          const client = await RawClient.connect(port);
          for (const { method, target, sent, route } of FAILING_OPERATIONS) {
            client.send(message(method, target, sent));
            assert.equal(readProblem(await client.response()), exposeInternalErrors ? { ...FAILED, detail: `Internal error: ${text}` } : FAILED);
            assert.is(errors.at(-1)?.message, `${route}: Internal error: ${text}`);
            assert.is(errors.at(-1)?.cause, thrown);
          }
          client.destroy();
          assert.is(errors.length, FAILING_OPERATIONS.length);
        }, { exposeInternalErrors });
      }
    });
  }
}
for (const [way, failWith] of WAYS_TO_FAIL) {
  anything(`a rejected promise, ${way} -> 500, and nothing is unhandled`, async () => {
    const fail = (): never | Promise<never> => failWith(Promise.reject(new Error('not awaited')))();
    assert.equal(await captureUnhandled(() => serve(declareFailing(fail), async ({ port, errors }) => {
      for (const { method, target, sent, route } of FAILING_OPERATIONS) {
        assert.equal(readProblem(await send(port, message(method, target, sent))), FAILED);
        assert.is(errors.at(-1)?.message, `${route}: Internal error: [object Promise]`);
      }
    })), []);
  });
}
for (const exposeInternalErrors of [false, true]) {
  anything(`the response has no stack (exposeInternalErrors: ${exposeInternalErrors})`, async () => {
    const cause = new Error('the cause');
    for (const thrown of [new Error('disk is full', { cause }), ApiError.argument('legs', { cause }), ApiError.internal('disk', { cause })]) {
      await serve(declareFailing(() => { throw thrown; }), async ({ port, errors }) => {
        for (const { method, target, sent } of FAILING_OPERATIONS) {
          const { head, body } = await send(port, message(method, target, sent));
          assert.not.match(head + decodeUtf8(body), /the cause|\bat .*:\d+|\.[jt]s\b|stack/);
        }
        assert.ok(errors.length > 0);
      }, { exposeInternalErrors });
    }
  });
}
anything.run();
