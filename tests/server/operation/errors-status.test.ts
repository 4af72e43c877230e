/** E6: The response and the log of an error whose status your code chooses. */
import { ApiError } from '../../../src/index.ts';
import { checkFailing, declareFailing, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { assert, check, facts, suite, type Declare } from '../../support/facts.ts';

const cause = new Error('the secret cause');
const TAKEN = ApiError.status(409, 'The name is taken.', {
  type: 'https://zoo.example/taken',
  title: 'Taken',
  instance: '/v1/thing/7',
  extensions: { owner: 'Zoë' },
  headers: { 'Retry-After': '5', Link: ['<a>; rel="help"', '<b>; rel="next"'] },
  cause,
});
const LINES = '| Retry-After: 5 | Link: <a>; rel="help" | Link: <b>; rel="next"';
const SENT = `409 The name is taken. {"instance":"/v1/thing/7","owner":"Zoë","type":"https://zoo.example/taken","title":"Taken"} ${LINES}`;
const declare = (make: () => unknown): Declare => declareFailing(() => { throw make(); });

const custom = suite('a custom status');
for (const [way, failWith] of WAYS_TO_FAIL) {
  custom(`is sent by every operation, ${way}: as it was made, and the connection lives on`, () => checkFailing(declareFailing(failWith(TAKEN)), SENT, { custom: 'The name is taken.' }));
}
facts(custom, declare(() => ApiError.status(503, 'Closed until nine.', { cause })), [
  ['a 5xx shows its detail, which the user wrote for the client', 'GET /v1/thing/1', '503 Closed until nine.', 'GET /v1/thing/:id: Closed until nine.'],
]);
facts(custom, declare(() => TAKEN), [
  ['HEAD gets the head alone', 'HEAD /v1/thing/1', `409 length 135 ${LINES}`],
  ['an unread body does not keep the response back', `DELETE /v1/thing/1 ${'x'.repeat(10)}`, SENT],
]);
const fail = (): never => { throw TAKEN; };
facts(custom, (server) => server.registerEndpoint('/thing', { id: { parse: fail, format: String }, schema: fail, create: () => 1 as never, get: () => ({}) as never }), [
  ['a codec can throw it', 'GET /v1/thing/1', SENT],
  ['a decoder can throw it', 'POST /v1/thing 1', SENT],
]);
for (const [why, make, text] of [
  ['a header with a line break', () => ApiError.status(400, 'no', { headers: { 'X-A': 'a\r\nX-Injected: b' } }), 'header X-A must have only printable ASCII'],
  ['a 405 without Allow', () => ApiError.status(405), 'status 405 needs the header Allow'],
] as const) {
  facts(custom, declare(make), [[`${why} is a mistake of the user's, and nothing of it is sent`, 'GET /v1/thing/1', '500', `GET /v1/thing/:id: Internal error: ${text}`]], {
    after: ({ errors }) => assert.instance(errors[0]?.cause, TypeError),
  });
}
custom('a string that JSON fails to carry later on: 500, logged', () => {
  let isSpent = false;
  const once = { toJSON: () => { if (isSpent) throw new Error('spent'); return (isSpent = true); } };
  return check(declare(() => ApiError.status(400, 'no', { extensions: { once } })), 'GET /v1/thing/1', '500 | Connection: close', ['GET /v1/thing/:id: Internal error: spent']);
});
for (const status of [400, 404, 499, 500, 503, 599]) {
  const thrown = ApiError.status(status, 'Closed.', { cause });
  custom(`${status} is logged by Custom operations${status >= 500 ? ' and all others, with the thrown value as the cause' : ' only, without a cause'}`, () => (
    checkFailing(declare(() => thrown), `${status} Closed.`, status < 500 ? { custom: 'Closed.', cause: undefined } : { all: 'Closed.', cause: thrown })
  ));
}
