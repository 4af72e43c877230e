/** The properties of a problem for each status and each kind of failure, and the properties that the client must not get. */
import { toRejection, ApiError } from '../../src/errors/api-error.ts';
import { makeProblem } from '../../src/errors/problem.ts';
import { assert, suite } from '../support/facts.ts';

const statuses = suite('a problem of the server\'s own');
for (const [status, title] of [
  [400, 'Bad Request'],
  [404, 'Not Found'],
  [408, 'Request Timeout'],
  [413, 'Content Too Large'],
  [415, 'Unsupported Media Type'],
  [417, 'Expectation Failed'],
  [421, 'Misdirected Request'],
  [426, 'Upgrade Required'],
  [431, 'Request Header Fields Too Large'],
  [500, 'Internal Server Error'],
  [501, 'Not Implemented'],
  [503, 'Service Unavailable'],
] as const) {
  statuses(`${status} -> the title "${title}", and a detail only if there is one`, () => {
    assert.is(JSON.stringify(makeProblem(status)), `{"type":"about:blank","title":"${title}","status":${status}}`);
    assert.equal(makeProblem(status, 'A sentence.'), { type: 'about:blank', title, status, detail: 'A sentence.' });
  });
}

const failures = suite('the problem for a failed operation');
for (const [error, status, title] of [
  [ApiError.argument('legs must be even'), 400, 'Bad Request'],
  [ApiError.notFound(), 404, 'Not Found'],
] as const) {
  failures(`${error.kind} -> ${status}, with its display text`, () => {
    assert.is(error.status, status);
    assert.equal(toRejection(error).headers, []);
    assert.equal(toRejection(error).problem, { type: 'about:blank', title, status, detail: error.message });
  });
}
failures('Internal -> 500 without detail, since its text can contain secrets', () => {
  const { json: text } = toRejection(ApiError.internal('password is "x"'));
  assert.is(text, '{"type":"about:blank","title":"Internal Server Error","status":500}');
});
failures('the cause is never a property', () => {
  const error = ApiError.argument('no', { cause: new Error('secret') });
  assert.equal(Object.keys(toRejection(error).problem), ['type', 'title', 'status', 'detail']);
});
