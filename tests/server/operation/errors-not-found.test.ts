/** E3: Which failures of a store get 404. */
import { checkFailing, declareFailing, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { suite } from '../../support/facts.ts';

/** All operations fail in this way. A failure of the server is logged with what was thrown, and any failure of Custom operations. */
async function fails(thrown: unknown, status: 404 | 500): Promise<void> {
  const logged = status === 500 ? { all: /: Internal error: /, cause: thrown } : { custom: 'Not found.' };
  for (const [, failWith] of WAYS_TO_FAIL) await checkFailing(declareFailing(failWith(thrown)), status === 404 ? '404 Not found.' : '500', logged);
}
const gone = (properties: object = {}): Error => Object.assign(new Error('gone'), properties);

const notFound = suite('E3: an error of a store that means not found');
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
