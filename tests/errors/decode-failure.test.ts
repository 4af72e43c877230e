/** The problem of an id or a body that could not be decoded. */
import { ApiError } from '../../src/errors/api-error.ts';
import { toDecodeRejection } from '../../src/errors/decode-failure.ts';
import { makeDecodeRejection, type LocatedIssue, toPointer } from '../../src/errors/problem.ts';
import { assert, suite } from '../support/facts.ts';

function raise(): never {
  throw new Error('odd');
}

const PROBLEM = '{"type":"about:blank","title":"Bad Request","status":400,"detail":"Bad arguments: no"';

const problems = suite('the problem of a decode failure');
for (const [issues, rest, why] of [
  [[], ',"errors":[]}', 'with an empty list of issues'],
  [[{ detail: 'odd', pointer: '#/legs' }], ',"errors":[{"detail":"odd","pointer":"#/legs"}]}', 'with an issue'],
] as const) {
  problems(`${why} -> ${rest}`, () => assert.is(makeDecodeRejection('no', issues).json, PROBLEM + rest));
}
problems('is formatted once', () => {
  let reads = 0;
  const failure = makeDecodeRejection('no', [{ get detail() { return String(reads += 1); }, pointer: '#' }]);
  assert.is(failure.json, failure.json);
  assert.is(reads, 1);
});

const ID = { locate: () => ({ parameter: 'id' }), status: 422, base: ['id'] } as const;
const BUG = 'Bad arguments: the value could not be decoded';

const LONG = 'x'.repeat(1000);

class NoLegs extends TypeError {}

const from = suite('B8: toDecodeRejection');
for (const [key, pointer] of [['x'.repeat(998), `#/${'x'.repeat(998)}`], ['x'.repeat(999), '#'], ['é'.repeat(200), '#']] as const) {
  from(`a key of ${key.length} characters -> a pointer of ${pointer.length}`, () => {
    const { problem } = toDecodeRejection({ issues: [{ message: 'odd', path: [key] }] }, { locate: toPointer, status: 400 });
    const [issue] = problem.errors as [LocatedIssue & { readonly pointer: string }];
    assert.equal([issue.pointer, issue.path], [pointer, [key]]);
  });
}
for (const [thrown, detail] of [
  [new Error('no'), 'Bad arguments: no'],
  ['no', 'Bad arguments: no'],
  [null, 'Bad arguments: null'],
  [{ secret: 1 }, 'Bad arguments: [object Object]'],
  [new RangeError('no'), 'Bad arguments: no'],
  [new SyntaxError('no'), 'Bad arguments: no'],
  [Object.assign(new TypeError('no'), { code: 'ERR_INVALID_URL' }), 'Bad arguments: no'],
  [new NoLegs('no'), 'Bad arguments: no'],
  [new TypeError('no'), BUG],
  [new ReferenceError('no'), BUG],
  [Object.assign(new Error('no'), { issues: [] }), 'Bad arguments: no'],
  [Object.assign(new Error('no'), { issues: 'legs' }), 'Bad arguments: no'],
  [Object.assign(new Error('no'), { issues: [{ legs: 4 }] }), 'Bad arguments: no'],
  [Object.assign(new Error('no'), { issues: [{ message: 'odd' }] }), 'Bad arguments: odd'],
  [Object.defineProperty(new Error('no'), 'issues', { get: raise }), 'Bad arguments: no'],
  [new Error(LONG), `Bad arguments: ${LONG}`],
  [new Error(`${LONG}y`), `Bad arguments: ${LONG}…`],
  [Object.assign(new Error('no'), { issues: [{ message: LONG.repeat(1000) }] }), `Bad arguments: ${LONG}…`],
  [new Proxy(new Error('no'), { get: (error, name) => (name === 'code' ? raise() : Reflect.get(error, name)) }), 'Bad arguments: no'],
] as const) {
  from(`${String(thrown).slice(0, 40)} -> ${detail.slice(0, 40)} of ${detail.length} characters, at its place`, () => {
    const failure = toDecodeRejection(thrown, ID);
    assert.equal([failure.problem.status, failure.problem.detail, failure.cause], [422, detail, detail === BUG ? thrown : undefined]);
    const [issue] = failure.problem.errors as [LocatedIssue];
    assert.equal([issue.detail, issue.path], [detail.replace('Bad arguments: ', ''), ['id']]);
    assert.is(JSON.stringify(issue), JSON.stringify({ detail: issue.detail, parameter: 'id' }));
  });
}
for (const error of [ApiError.argument('no'), ApiError.notFound(), ApiError.internal('no')]) {
  from(`an ApiError of kind ${error.kind} -> thrown again`, () => assert.throws(() => toDecodeRejection(error, ID), (thrown: unknown) => thrown === error));
}
