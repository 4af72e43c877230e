/** The problem of an id or a body that could not be decoded. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../src/errors/api-error.ts';
import { decodeFailureFrom } from '../../src/errors/decode-failure.ts';
import { decodeFailure, type LocatedIssue } from '../../src/errors/problem.ts';

const PROBLEM = '{"type":"about:blank","title":"Bad Request","status":400,"detail":"Bad arguments: no"';

const problems = suite('the problem of a decode failure');
for (const [issues, rest, why] of [
  [[], ',"errors":[]}', 'with an empty list of issues'],
  [[{ detail: 'odd', pointer: '#/legs' }], ',"errors":[{"detail":"odd","pointer":"#/legs"}]}', 'with an issue'],
] as const) {
  problems(`${why} -> ${rest}`, () => {
    assert.is(decodeFailure('no', issues).text, PROBLEM + rest);
  });
}
problems('is formatted once', () => {
  let reads = 0;
  const failure = decodeFailure('no', [{ get detail() { return String(reads += 1); }, pointer: '#' }]);
  assert.is(failure.text, failure.text);
  assert.is(reads, 1);
});
problems.run();

const from = suite('decodeFailureFrom');
for (const [thrown, detail] of [[new Error('no'), 'Bad arguments: no'], ['no', 'Bad arguments: no'], [null, 'Bad arguments: null']] as const) {
  from(`${String(thrown)} -> its text, at its place`, () => {
    const failure = decodeFailureFrom(thrown, { parameter: 'id' }, 422, ['id']);
    assert.equal([failure.problem.status, failure.problem.detail], [422, detail]);
    const [fault] = failure.problem.errors as [LocatedIssue];
    assert.equal([fault.detail, fault.path], [detail.replace('Bad arguments: ', ''), ['id']]);
    assert.is(JSON.stringify(fault), JSON.stringify({ detail: fault.detail, parameter: 'id' }));
  });
}
for (const error of [ApiError.argument('no'), ApiError.notFound(), ApiError.internal('no')]) {
  from(`an ApiError of kind ${error.kind} -> thrown again`, () => {
    assert.throws(() => decodeFailureFrom(error, {}), (thrown: unknown) => thrown === error);
  });
}
from.run();
