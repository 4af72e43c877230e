/** The problem of an id or a body that could not be decoded. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError } from '../../src/errors/api-error.ts';
import { DecodeFailure } from '../../src/errors/decode-failure.ts';

const PROBLEM = '{"type":"about:blank","title":"Bad Request","status":400,"detail":"Bad arguments: no"';

const problems = suite('the problem of a decode failure');
for (const [issues, rest, why] of [
  [undefined, '}', 'without issues'],
  [[], ',"errors":[]}', 'with an empty list of issues'],
  [[{ detail: 'odd', pointer: '#/legs' }], ',"errors":[{"detail":"odd","pointer":"#/legs"}]}', 'with an issue'],
] as const) {
  problems(`${why} -> ${rest}`, () => {
    assert.is(new DecodeFailure('no', issues).problemText, PROBLEM + rest);
  });
}
problems('is formatted once', () => {
  let reads = 0;
  const failure = new DecodeFailure('no', [{ get detail() { return String(reads += 1); }, pointer: '#' }]);
  assert.is(failure.problemText, failure.problemText);
  assert.is(reads, 1);
});
problems.run();

const from = suite('DecodeFailure.from');
for (const [thrown, detail] of [[new Error('no'), 'Bad arguments: no'], ['no', 'Bad arguments: no'], [null, 'Bad arguments: null']] as const) {
  from(`${String(thrown)} -> its text, without issues`, () => {
    const failure = DecodeFailure.from(thrown);
    assert.is(failure.detail, detail);
    assert.is(failure.issues, undefined);
  });
}
for (const error of [ApiError.argument('no'), ApiError.notFound(), ApiError.internal('no')]) {
  from(`an ApiError of kind ${error.kind} -> thrown again`, () => {
    assert.throws(() => DecodeFailure.from(error), (thrown: unknown) => thrown === error);
  });
}
from.run();
