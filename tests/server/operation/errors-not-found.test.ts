/** E3: Which failures of a store get 404: by default, and with a predicate of the user. */
import { ApiError, type NotFoundPredicate } from '../../../src/index.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { checkFailing, declareFailing, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { assert, facts, suite } from '../../support/facts.ts';

/** All operations fail in this way. A failure of the server is logged with what was thrown, and any failure of Custom operations. */
async function fails(thrown: unknown, status: 400 | 404 | 500, isNotFound?: NotFoundPredicate, ofEndpoint?: NotFoundPredicate): Promise<void> {
  for (const [, failWith] of WAYS_TO_FAIL) {
    const text = { 404: 'Not found.', 400: 'Bad arguments: legs', 500: '' }[status];
    const logged = status === 500 ? { all: /: Internal error: /, cause: thrown } : { custom: text };
    await checkFailing(declareFailing(failWith(thrown), ofEndpoint), `${status} ${text}`.trim(), { ...logged, ...(isNotFound && { isNotFound }) });
  }
}
const gone = (properties: object = {}): Error => Object.assign(new Error('gone'), properties);

const notFound = suite('an error of a store that means not found');
for (const [why, thrown, status] of [
  ['notFound', gone({ notFound: true }), 404],
  ['the name NotFoundError', gone({ name: 'NotFoundError' }), 404],
  ['the code LEVEL_NOT_FOUND', gone({ code: 'LEVEL_NOT_FOUND' }), 404],
  ['the code P2025', gone({ code: 'P2025' }), 404],
  ['a code, on no Error', { code: 'P2025' }, 404],
  ['notFound that is not true', gone({ notFound: 'yes' }), 500],
  ['the code of a missing file, ENOENT', gone({ code: 'ENOENT' }), 500],
  ['the code EACCES', gone({ code: 'EACCES' }), 500],
  ['a status of 404', gone({ status: 404 }), 500],
  ['a string', 'NotFoundError', 500],
] as const) {
  notFound(`by ${why} -> ${status}`, () => fails(thrown, status));
}

const saysGone: NotFoundPredicate = (error) => error instanceof Error && error.message === 'gone';
const saysNoFile: NotFoundPredicate = (error) => (error as NodeJS.ErrnoException).code === 'ENOENT';
const throws: NotFoundPredicate = () => { throw new Error('the predicate'); };

for (const [why, ofServer, ofEndpoint, thrown, status] of [
  ["the server's own predicate", saysGone, undefined, gone(), 404],
  ["the server's own predicate, which replaces the default", saysGone, undefined, Object.assign(new Error('no'), { code: 'P2025' }), 500],
  ["the endpoint's own predicate, for a missing file", undefined, saysNoFile, gone({ code: 'ENOENT' }), 404],
  ["the endpoint's own predicate", undefined, saysGone, gone(), 404],
  ["the endpoint's own predicate, which replaces the server's", () => true, saysGone, new Error('no'), 500],
  ["the endpoint's own predicate, whatever the server's says", () => false, saysGone, gone(), 404],
  ['a predicate that throws', throws, undefined, gone(), 500],
  ['a predicate of the endpoint that throws', undefined, throws, gone(), 500],
  ['a predicate that is not asked about an ApiError', () => true, undefined, ApiError.argument('legs'), 400],
] as const) {
  notFound(`by ${why} -> ${status}`, () => fails(thrown, status, ofServer, ofEndpoint));
}
// A predicate without types can return anything. Only `true` means "not found".
for (const [why, respond] of [
  ['1', () => 1],
  ['a string', () => 'yes'],
  ['an object', () => ({})],
  ['a promise of true', async () => true],
  ['a promise that rejects', async () => { throw new Error('the predicate'); }],
  ['a thenable that resolves to true', () => ({ then: (resolve: (value: unknown) => void) => resolve(true) })],
  ['a thenable that throws', () => ({ then: () => { throw new Error('the predicate'); } })],
] as const) {
  const says = respond as () => boolean;
  notFound(`with a predicate of the server that returns ${why} -> 500`, () => fails(gone({ code: 'P2025' }), 500, says));
  notFound(`with a predicate of the endpoint that returns ${why} -> 500`, () => fails(gone({ code: 'P2025' }), 500, () => true, says));
}
for (const [why, says, thrown, response, logged] of [
  ['that throws a promise which rejects', () => { throw Promise.reject(new Error('the predicate')); }, () => gone(), '500', { all: 'Internal error: gone' }],
  ['that recognises a promise which rejects', () => true, () => Promise.reject(gone()), '404 Not found.', { custom: 'Not found.' }],
] as const) {
  notFound(`with a predicate ${why} -> ${response}, and nothing is unhandled`, async () => {
    assert.equal(await captureUnhandled(() => checkFailing(declareFailing(() => { throw thrown(); }, says), response, logged)), []);
  });
}
const fail = (): never => { throw gone(); };
facts(notFound, (server) => {
  declareFailing(fail, saysGone)(server);
  server.registerEndpoint('/other', { id: { parse: String, format: String }, get: fail });
}, [['with a predicate of one endpoint: other endpoints do not use it', ['GET /v1/thing/1', 'GET /v1/other/1'], ['404 Not found.', '500'], 'GET /v1/other/:id: Internal error: gone']]);
