/** User names and passwords in the Basic scheme (RFC 7617): which are accepted, and the challenges for the others. */
import { basic } from '../../src/auth/index.ts';
import { defineEndpoint, stringId } from '../../src/index.ts';
import { describeRejection, makeRequest } from '../support/auth-requests.ts';
import { assert, message, readProblem, send, serve, suite } from '../support/facts.ts';

const CHALLENGE = 'Basic realm="api", charset="UTF-8"';
const NEEDED = [401, CHALLENGE, 'The request needs a user name and a password.'] as const;
const MALFORMED = [401, CHALLENGE, 'The Authorization header is malformed.'] as const;
const INVALID = [401, CHALLENGE, 'The user name or the password is not valid.'] as const;

function base64(bytes: string | Buffer): string {
  return Buffer.from(bytes).toString('base64');
}

const accepted = suite('U2: a user name and a password that are verified');
for (const [pair, user, password] of [
  ['Aladdin:open sesame', 'Aladdin', 'open sesame'],
  ['test:123\u00a3', 'test', '123\u00a3'],
  ['ann:a:b:c', 'ann', 'a:b:c'],
  ['ann:', 'ann', ''],
  [':', '', ''],
  ['\ufeffann:b', '\ufeffann', 'b'],
  ['𝒶:🔑', '𝒶', '🔑'],
] as const) {
  accepted(`${JSON.stringify(pair)} -> ${JSON.stringify([user, password])}`, async () => {
    for (const scheme of ['Basic ', 'basic ', 'BASIC   ']) {
      const request = makeRequest('Authorization', scheme + base64(pair));
      const seen: unknown[] = [];
      assert.is(basic((...values) => (seen.push(...values), 'ann'))(request), 'ann');
      assert.equal(seen, [user, password, request]);
      assert.is(await basic(async () => 'ann')(request), 'ann');
    }
  });
}
accepted('the example of RFC 7617 section 2', () => {
  const pair = basic((user, password) => [user, password])(makeRequest('Authorization', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=='));
  assert.equal(pair, ['Aladdin', 'open sesame']);
});

const rejections = suite('U2: a request without a valid user name and password');
for (const [why, headers, expected] of [
  ['no Authorization', [], NEEDED],
  ['an empty one', ['Authorization', ''], NEEDED],
  ['another scheme', ['Authorization', 'Bearer abc'], NEEDED],
  ['a scheme that only begins with it', ['Authorization', 'Basics YTpi'], NEEDED],
  ['no credentials', ['Authorization', 'Basic'], MALFORMED],
  ['no Base64', ['Authorization', 'Basic a:b'], MALFORMED],
  ['Base64 for URLs', ['Authorization', `Basic ${base64('a:>>>???').replaceAll('+', '-').replaceAll('/', '_')}`], MALFORMED],
  ['Base64 without its padding', ['Authorization', 'Basic YTpiYw'], MALFORMED],
  ['Base64 with bits that stand for nothing', ['Authorization', 'Basic YTpiYx=='], MALFORMED],
  ['Base64 with something behind it', ['Authorization', 'Basic YTpi YTpi'], MALFORMED],
  ['no colon', ['Authorization', `Basic ${base64('ann')}`], MALFORMED],
  ['a control character', ['Authorization', `Basic ${base64('ann:\0')}`], MALFORMED],
  ['a line break', ['Authorization', `Basic ${base64('a\nb:c')}`], MALFORMED],
  ['no UTF-8', ['Authorization', `Basic ${base64(Buffer.from('ann:\xe4', 'latin1'))}`], MALFORMED],
  ['two header lines', ['Authorization', 'Basic YTpi', 'Authorization', 'Basic YTpi'], MALFORMED],
] as const) {
  rejections(`${why} -> ${expected[0]}, "${expected[2]}"; verify is not asked`, async () => {
    assert.equal(await describeRejection(() => basic(() => { throw new Error('asked'); })(makeRequest(...headers))), expected);
  });
}
for (const value of [undefined, null, false]) {
  rejections(`verify returns or resolves to ${String(value)} -> 401`, async () => {
    const request = makeRequest('Authorization', 'Basic YTpi');
    assert.equal(await describeRejection(() => basic(() => value)(request)), INVALID);
    assert.equal(await describeRejection(() => basic(async () => value)(request)), INVALID);
  });
}

const options = suite('U5: the options of basic');
options('optional and security', async () => {
  const optional = basic(() => 1, { optional: true });
  assert.is(optional(makeRequest()), undefined);
  assert.equal((await describeRejection(() => optional(makeRequest('Authorization', 'Basic'))))[1], CHALLENGE);
  assert.equal(optional.security, { name: 'basic', scheme: { type: 'http', scheme: 'basic' }, optional: true });
});
options('verify must be a function', () => {
  assert.throws(() => basic('ann' as never), /^verify must be a function: string$/);
});

const wire = suite('U2: user names and passwords on the wire');
wire('401 with a challenge, then the result of the operation; no response or log has the password', async () => {
  const login = basic((user, password) => (password === 'open sesame' ? user : undefined));
  const whoAmI = defineEndpoint({ id: stringId, get: (_id, request) => login(request), custom: { in: { run: (request) => login(request) } } });
  await serve((server) => server.registerEndpoint('/me', whoAmI), async ({ port, errors }) => {
    const get = (headers: readonly string[]): string => message('GET', '/v1/me/1', '', headers);
    const missing = await send(port, get([]));
    assert.is(readProblem(missing).status, 401);
    assert.is(missing.headers.get('www-authenticate'), CHALLENGE);
    assert.is((await send(port, get([`Authorization: Basic ${base64('ann:open sesame')}`]))).body, '"ann"');
    const wrong = `Authorization: Basic ${base64('ann:open barley')}`;
    const { status, head, body } = await send(port, message('POST', '/v1/me/in', '', [wrong]));
    assert.is(status, 401);
    assert.is(errors.length, 1);
    assert.not.match(head + body + String(errors[0]?.stack) + String(errors[0]?.cause), /barley|YW5u/);
  });
});
