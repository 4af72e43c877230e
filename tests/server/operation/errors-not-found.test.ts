/** E3: Which failures of a store get 404: by default, and with a predicate of the user. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type NotFoundPredicate, type Problem } from '../../../src/index.ts';
import { declareFailing, FAILING_OPERATIONS, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { message, readProblem } from '../../support/messages.ts';
import { send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';

const NOT_FOUND: Problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'Not found.' };
const FAILED: Problem = { type: 'about:blank', title: 'Internal Server Error', status: 500 };

const notFound = suite('an error of a store that means not found');
for (const [why, thrown, status] of [
  ['notFound', Object.assign(new Error('gone'), { notFound: true }), 404],
  ['the name NotFoundError', Object.assign(new Error('gone'), { name: 'NotFoundError' }), 404],
  ['the code LEVEL_NOT_FOUND', Object.assign(new Error('gone'), { code: 'LEVEL_NOT_FOUND' }), 404],
  ['the code P2025', Object.assign(new Error('gone'), { code: 'P2025' }), 404],
  ['a code, on no Error', { code: 'P2025' }, 404],
  ['notFound that is not true', Object.assign(new Error('gone'), { notFound: 'yes' }), 500],
  ['the code of a missing file, ENOENT', Object.assign(new Error('gone'), { code: 'ENOENT' }), 500],
  ['the code EACCES', Object.assign(new Error('gone'), { code: 'EACCES' }), 500],
  ['a status of 404', Object.assign(new Error('gone'), { status: 404 }), 500],
  ['a string', 'NotFoundError', 500],
] as const) {
  notFound(`by ${why} -> ${status}`, async () => {
    for (const [, failWith] of WAYS_TO_FAIL) {
      await serve(declareFailing(failWith(thrown)), async ({ port, errors }) => {
        for (const { method, target, sent } of FAILING_OPERATIONS) {
          const problem = readProblem(await send(port, message(method, target, sent)));
          assert.equal(problem, status === 404 ? NOT_FOUND : FAILED);
        }
        assert.is(errors.length, FAILING_OPERATIONS.filter(({ isCustom }) => status === 500 || isCustom).length);
      });
    }
  });
}

const saysGone: NotFoundPredicate = (error) => error instanceof Error && error.message === 'gone';
const saysNoFile: NotFoundPredicate = (error) => (error as NodeJS.ErrnoException).code === 'ENOENT';
const throws: NotFoundPredicate = () => { throw new Error('the predicate'); };

for (const [why, ofServer, ofEndpoint, thrown, status] of [
  ["the server's own predicate", saysGone, undefined, new Error('gone'), 404],
  ["the server's own predicate, which replaces the default", saysGone, undefined, Object.assign(new Error('no'), { code: 'P2025' }), 500],
  ["the endpoint's own predicate, for a missing file", undefined, saysNoFile, Object.assign(new Error('no'), { code: 'ENOENT' }), 404],
  ["the endpoint's own predicate", undefined, saysGone, new Error('gone'), 404],
  ["the endpoint's own predicate, which replaces the server's", () => true, saysGone, new Error('no'), 500],
  ["the endpoint's own predicate, whatever the server's says", () => false, saysGone, new Error('gone'), 404],
  ['a predicate that throws', throws, undefined, new Error('gone'), 500],
  ['a predicate of the endpoint that throws', undefined, throws, new Error('gone'), 500],
  ['a predicate that is not asked about an ApiError', () => true, undefined, ApiError.argument('legs'), 400],
] as const) {
  notFound(`by ${why} -> ${status}`, async () => {
    const options = ofServer === undefined ? {} : { isNotFound: ofServer };
    for (const [, failWith] of WAYS_TO_FAIL) {
      await serve(declareFailing(failWith(thrown), ofEndpoint), async ({ port, errors }) => {
        for (const { method, target, sent } of FAILING_OPERATIONS) {
          assert.is(readProblem(await send(port, message(method, target, sent))).status, status);
          if (status === 500) assert.is(errors.at(-1)?.cause, thrown);
        }
      }, options);
    }
  });
}
for (const [why, respond] of [
  ['1', () => 1],
  ['a string', () => 'yes'],
  ['an object', () => ({})],
  ['a promise of true', async () => true],
  ['a promise that rejects', async () => { throw new Error('the predicate'); }],
  ['a thenable that resolves to true', () => ({ then: (resolve: (value: unknown) => void) => resolve(true) })],
  ['a thenable that throws', () => ({ then: () => { throw new Error('the predicate'); } })],
] as const) {
  // A predicate of a host without types can return anything. Only `true` means "not found".
  const says = respond as () => boolean;
  for (const [whose, ofServer, ofEndpoint] of [['the server', says, undefined], ['the endpoint', () => true, says]] as const) {
    notFound(`with a predicate of ${whose} that returns ${why} -> 500`, async () => {
      for (const [, failWith] of WAYS_TO_FAIL) {
        const thrown = Object.assign(new Error('gone'), { code: 'P2025' });
        await serve(declareFailing(failWith(thrown), ofEndpoint), async ({ port, errors }) => {
          for (const { method, target, sent } of FAILING_OPERATIONS) {
            assert.equal(readProblem(await send(port, message(method, target, sent))), FAILED);
            assert.is(errors.at(-1)?.cause, thrown);
          }
        }, ofServer === undefined ? {} : { isNotFound: ofServer });
      }
    });
  }
}
for (const [why, says, thrown, status] of [
  ['that throws a promise which rejects', () => { throw Promise.reject(new Error('the predicate')); }, () => new Error('gone'), 500],
  ['that recognises a promise which rejects', () => true, () => Promise.reject(new Error('gone')), 404],
] as const) {
  notFound(`with a predicate ${why} -> ${status}, and nothing is unhandled`, async () => {
    assert.equal(await captureUnhandled(() => serve(declareFailing(() => { throw thrown(); }, says), async ({ port, errors }) => {
      for (const { method, target, sent } of FAILING_OPERATIONS) {
        assert.is(readProblem(await send(port, message(method, target, sent))).status, status);
      }
      assert.is(errors.length, FAILING_OPERATIONS.filter(({ isCustom }) => status === 500 || isCustom).length);
    })), []);
  });
}
notFound('with a predicate of one endpoint: other endpoints do not use it', async () => {
  const fail = (): never => { throw new Error('gone'); };
  await serve((server) => {
    declareFailing(fail, saysGone)(server);
    server.registerEndpoint('/other', { id: { parse: String, format: String }, get: fail });
  }, async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).status, 404);
    assert.is((await send(port, message('GET', '/v1/other/1'))).status, 500);
    assert.is(errors.length, 1);
  });
});
notFound.run();
