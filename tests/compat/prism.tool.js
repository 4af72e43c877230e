/**
 * Prism holds each answer to the traffic of a server against the document: those of success, and all problems. Wrong answers show that it
 * finds them.
 */
import assert from 'node:assert/strict';
import { openApi } from '../../dist/openapi/index.js';
import { checking } from './checks.js';
import { traffic } from './openapi-traffic.js';
import { OPTIONS, zooServer } from './openapi-zoo.js';
import { answersOf, complaintsOf } from './prism-proxy.js';

const JSON_TYPE = [['content-type', 'application/json']];
const PROBLEM_TYPE = [['content-type', 'application/problem+json']];
const GET = { method: 'GET', path: '/v1/zoo/berlin/pet/1' };
const POST = { method: 'POST', path: '/v1/zoo/berlin/pet' };
const unauthorized = '{"type":"about:blank","title":"Unauthorized","status":401}';

/** Wrong answers, and what Prism says of each. */
const WRONG = [
  ['a result without a member', GET, 200, JSON_TYPE, '{}', "required property 'legs'"],
  ['another media type', GET, 200, [['content-type', 'text/html']], '<p>Rex</p>', 'media type "text/html" does not match'],
  ['a problem without its members', GET, 404, PROBLEM_TYPE, '{"detail":"Not found."}', "required property 'title'"],
  ['a problem with a wrong member', GET, 404, PROBLEM_TYPE, '{"type":"about:blank","title":"Gone","status":"404"}', 'status must be integer'],
  ['an error that is no problem', GET, 503, JSON_TYPE, '{"message":"later"}', "required property 'title'"],
  ['a status that is not in the document', GET, 203, JSON_TYPE, '{}', "required property 'title'"],
  ['401 without a challenge', GET, 401, PROBLEM_TYPE, unauthorized, "required property 'www-authenticate'"],
  ['a Create without Location', POST, 201, [['content-type', 'text/plain']], '1', "required property 'location'"],
];

/** The answers that are not what the document says, as `GET /v1/pet -> 200`. */
async function refused(document, answers) {
  const complaints = await complaintsOf(document, answers);
  const wrong = answers.filter((_, index) => complaints[index].length > 0);
  return wrong.map(({ method, path, status }) => `${method} ${path} -> ${status}`);
}

await checking('Prism', async (check) => {
  const document = openApi(zooServer(), OPTIONS);
  await check('every answer is what the document says', async () => {
    const answers = await answersOf(zooServer(), traffic);
    assert.deepEqual(answers.map(({ status }) => status), traffic.map(({ status }) => status));
    assert.deepEqual(await refused(document, answers), []);
  });
  await check('the answers of a server that breaks its declaration are found', async () => {
    assert.deepEqual(await refused(document, await answersOf(zooServer({ wrong: true }), traffic)), [
      'GET /v1/zoo/berlin/pet?limit=5&tag=a&tag=b -> 200', 'GET /v1/zoo/berlin/pet/1 -> 200', 'DELETE /v1/ticket/1 -> 202',
    ]);
  });
  const complaints = await complaintsOf(document, WRONG.map(([, request, status, headers, body]) => ({ ...request, status, headers, body })));
  for (const [index, [what, , , , , complaint]] of WRONG.entries()) {
    await check(`it finds ${what}`, () => {
      assert.ok(complaints[index].some((each) => each.includes(complaint)), complaints[index].join('\n'));
    });
  }
});
