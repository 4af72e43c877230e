/** Sessions in a cookie: which are verified, and which pages may send them. */
import { bearer, cookie, firstOf } from '../../src/auth/index.ts';
import { defineEndpoint, stringId } from '../../src/index.ts';
import { describeRejection, makeRequest } from '../support/auth-requests.ts';
import { assert, isTypeError, message, readProblem, send, serve, type ServeOptions, suite } from '../support/facts.ts';

const CHALLENGE = 'Cookie realm="api", cookie-name="session"';
const NEEDED = [401, CHALLENGE, 'The request needs the cookie session.'] as const;
const INVALID = [401, CHALLENGE, 'The cookie session is not valid.'] as const;
const REPEATED = [400, CHALLENGE, 'The request has more than one cookie session.'] as const;

const cookies = suite('U5 U9: a session in a cookie');
for (const name of ['Cookie', 'cookie', 'COOKIE']) {
  cookies(`${name} -> verify gets the value, and its result is the context`, async () => {
    const request = makeRequest('Host', 'a', name, 'a=1; session=s1.%3D/+; b=2');
    const seen: unknown[] = [];
    assert.is(cookie('session', (...values) => (seen.push(...values), 'ann'))(request), 'ann');
    assert.is(await cookie('session', async () => 'ann')(request), 'ann');
    assert.equal(seen, ['s1.%3D/+', request]);
  });
}
for (const [why, headers, expected] of [
  ['no Cookie', [], NEEDED],
  ['other cookies', ['Cookie', 'a=1; Session=s1; session2=s1'], NEEDED],
  ['an empty one', ['Cookie', 'session='], NEEDED],
  ['Authorization', ['Authorization', 'Bearer s1'], NEEDED],
  ['two', ['Cookie', 'session=s1; session=s2'], REPEATED],
  ['twice the same, in two lines', ['Cookie', 'session=s1', 'Cookie', 'session=s1'], REPEATED],
  ['a value in quotes', ['Cookie', 'session="s1"'], INVALID],
  ['a value with a space', ['Cookie', 'session=s1 s2'], INVALID],
  ['a value outside ASCII', ['Cookie', 'session=\xe4'], INVALID],
] as const) {
  cookies(`${why} -> ${expected[0]}, ${expected[2]} verify is not asked`, async () => {
    assert.equal(await describeRejection(() => cookie('session', () => { throw new Error('asked'); })(makeRequest(...headers))), expected);
  });
}
for (const value of [undefined, null, false]) {
  cookies(`verify returns or resolves to ${String(value)} -> 401`, async () => {
    const request = makeRequest('Cookie', 'session=s1');
    assert.equal(await describeRejection(() => cookie('session', () => value)(request)), INVALID);
    assert.equal(await describeRejection(() => cookie('session', async () => value)(request)), INVALID);
    assert.equal(await describeRejection(() => cookie('session', () => value).optional(request)), INVALID);
  });
}
cookies('an empty one beside another one is not counted', () => {
  assert.is(cookie('session', (value) => value)(makeRequest('Cookie', 'session=; session=s1')), 's1');
});
cookies('optional: without the cookie, or with an empty one, the context is undefined', () => {
  const optional = cookie('session', () => 1, { optional: true });
  for (const headers of [[], ['Cookie', 'theme=dark'], ['Cookie', 'session=']]) assert.is(optional(makeRequest(...headers)), undefined);
  assert.is(optional(makeRequest('Cookie', 'session=s1')), 1);
});
cookies('isInvalid: an error of verify is a 401', async () => {
  const signed = cookie('session', () => { throw new Error('the signature is wrong'); }, { isInvalid: () => true });
  await assertRejects(() => signed(makeRequest('Cookie', 'session=s1')), 'The cookie session is not valid.');
});
cookies('security is as OpenAPI has it', () => {
  assert.equal(cookie('__Host-s!', () => 1).security, { name: 'cookie-__Host-s_', scheme: { type: 'apiKey', in: 'cookie', name: '__Host-s!' } });
});
for (const [name, given, text] of [
  ['a b', {}, 'the name of a cookie must be a token, such as session: "a b"'],
  ['session', { optonal: true }, 'unknown option options.optonal: did you mean optional? It can be one of optional, getScopes, isInvalid'],
] as const) {
  cookies(`${text} -> TypeError`, () => assert.throws(() => cookie(name, () => 1, given as object), isTypeError(text)));
}

const signedIn = cookie('session', (value) => (value === 's1' ? { name: 'ann' } : undefined));
const either = firstOf(bearer((token) => (token === 't1' ? { name: 'bob' } : undefined)), signedIn);

/** What has run. */
let ran: string[] = [];
const run = (what: string) => (): string => {
  ran.push(what);
  return what;
};
const everything = defineEndpoint({
  id: stringId, context: signedIn,
  get: run('get'), list: { run: () => [run('list')()] },
  create: { run: run('create') }, update: { run: () => void run('update')() }, patch: { run: () => void run('patch')() }, delete: () => void run('delete')(),
  custom: { feed: { run: run('feed') } }, itemCustom: { feed: { run: run('item feed') } },
});
const KINDS = [
  ['GET', '/v1/a/1', 200, 'get'], ['HEAD', '/v1/a/1', 200, 'get'], ['GET', '/v1/a', 200, 'list'],
  ['POST', '/v1/a', 201, 'create'], ['PUT', '/v1/a/1', 204, 'update'], ['PATCH', '/v1/a/1', 204, 'patch'], ['DELETE', '/v1/a/1', 204, 'delete'],
  ['POST', '/v1/a/feed', 200, 'feed'], ['POST', '/v1/a/1/feed', 200, 'item feed'],
] as const;
const SAFE = ['GET', 'HEAD'];
const FROM_OTHERS = [
  ['Sec-Fetch-Site: cross-site'], ['Sec-Fetch-Site: same-site'],
  ['Sec-Fetch-Site: cross-site', 'Origin: http://a'], ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
  ['Origin: https://evil.example'], ['Origin: null'], ['Origin: http://a.evil.example'],
  ['Origin: http://a:81'], ['Origin: '], ['Origin: http://a', 'Origin: http://a'],
  ['Sec-Fetch-Site: unknown', 'Origin: https://evil.example'], ['Origin: file://a'],
];
const FROM_OWN = [
  [], ['Sec-Fetch-Site: same-origin'], ['Sec-Fetch-Site: none'], ['Origin: http://a'], ['Origin: https://a'], ['Origin: HTTP://A:80'],
  ['Sec-Fetch-Site: same-origin', 'Origin: https://behind.example'], ['Sec-Fetch-Site: unknown'],
];

async function sendFromPage(port: number, method: string, target: string, headers: readonly string[]): ReturnType<typeof send> {
  ran = [];
  return send(port, message(method, target, '', headers));
}

const origins = suite('U10: a request with a cookie, from a page');
for (const [method, target, status, what] of KINDS) {
  origins(`${method} ${target} of a different origin -> ${SAFE.includes(method) ? status : 403}`, () => serveEverything({}, async (port) => {
    for (const headers of FROM_OTHERS) {
      const response = await sendFromPage(port, method, target, ['Cookie: session=s1', 'Content-Type: application/json', ...headers]);
      const expected = SAFE.includes(method) ? [status, [what]] : [403, []];
      assert.equal([response.status, ran], expected, headers.join());
      if (response.status !== 403) continue;
      assert.is(readProblem(response).detail, 'Pages of this origin may not send this request with a cookie.');
      assert.is(response.headers.get('www-authenticate'), undefined);
    }
  }));
  origins(`${method} ${target} of its own origin, or of no page -> ${status}`, () => serveEverything({}, async (port) => {
    for (const headers of FROM_OWN) {
      const response = await sendFromPage(port, method, target, ['Cookie: session=s1', ...headers]);
      assert.equal([response.status, ran], [status, [what]], headers.join());
    }
  }));
}
origins('of an origin that cors lists -> as from its own; of any other -> 403', () => {
  return serveEverything({ cors: { origins: ['https://app.example'], credentials: true } }, async (port) => {
    for (const [origin, expected] of [['https://app.example', 204], ['https://evil.example', 403], ['https://app.example.evil.example', 403]] as const) {
      const response = await sendFromPage(port, 'DELETE', '/v1/a/1', ['Cookie: session=s1', 'Sec-Fetch-Site: cross-site', `Origin: ${origin}`]);
      assert.equal([response.status, response.headers.get('access-control-allow-origin')], [expected, expected === 204 ? origin : undefined]);
    }
  });
});
origins("of any origin, with cors for '*' -> 403: it lists nobody", () => serveEverything({ cors: { origins: '*' } }, async (port) => {
  const headers = ['Cookie: session=s1', 'Sec-Fetch-Site: cross-site', 'Origin: https://app.example'];
  assert.is((await sendFromPage(port, 'DELETE', '/v1/a/1', headers)).status, 403);
}));
for (const [why, headers, status] of [
  ['without the cookie: it is not asked where it comes from', [], 401],
  ['with an empty cookie', ['Cookie: session='], 401],
  ['with a cookie that is not valid', ['Cookie: session=s2'], 403],
  ['with two cookies', ['Cookie: session=s1; session=s1'], 403],
] as const) {
  origins(`of a different origin, ${why} -> ${status}`, () => serveEverything({}, async (port) => {
    assert.is((await sendFromPage(port, 'DELETE', '/v1/a/1', ['Origin: https://evil.example', ...headers])).status, status);
  }));
}
origins('with a target in absolute-form: its authority is the host', () => serveEverything({}, async (port) => {
  for (const [origin, status] of [['http://b', 204], ['http://a', 403]] as const) {
    assert.is((await sendFromPage(port, 'DELETE', 'http://b/v1/a/1', ['Cookie: session=s1', `Origin: ${origin}`])).status, status);
  }
}));
origins('its body is not read before it is rejected', () => serveEverything({}, async (port) => {
  const headers = ['Cookie: session=s1', 'Origin: https://evil.example', 'Content-Type: application/json', 'Content-Length: 10', 'Expect: 100-continue'];
  assert.match((await sendFromPage(port, 'POST', '/v1/a', headers)).head, /^HTTP\/1\.1 403/);
}));
origins('a preflight offers no header for it, and an own origin needs none', () => serveEverything({ cors: { origins: ['https://app.example'] } }, async (port) => {
  const headers = ['Origin: https://app.example', 'Access-Control-Request-Method: DELETE'];
  const { headers: allowed } = await sendFromPage(port, 'OPTIONS', '/v1/a/1', headers);
  assert.not.match(allowed.get('access-control-allow-headers') ?? '', /cookie|authorization/i);
}));

const several = suite('U10: a cookie or a token');
for (const [why, headers, status, name] of [
  ['a token', ['Authorization: Bearer t1'], 200, 'bob'],
  ['a cookie', ['Cookie: session=s1'], 200, 'ann'],
  ['both: the first function decides', ['Authorization: Bearer t1', 'Cookie: session=s1'], 200, 'bob'],
  ['a token beside a cookie, from another page: no browser adds a token',
    ['Authorization: Bearer t1', 'Cookie: session=s1', 'Origin: https://evil.example'], 200, 'bob'],
  ['a cookie beside the password of a proxy, from another page',
    ['Authorization: Basic YTpi', 'Cookie: session=s1', 'Origin: https://evil.example'], 403, undefined],
  ['neither', ['Cookie: theme=dark'], 401, undefined],
] as const) {
  several(`${why} -> ${status}`, () => serve((server) => {
    server.registerEndpoint('/me', { context: either, custom: { ask: ({ context }) => context.name } });
  }, async ({ port }) => {
    const response = await send(port, message('POST', '/v1/me/ask', '', ['Content-Type: application/json', ...headers]));
    assert.is(response.status, status);
    if (status === 200) assert.is(response.body, JSON.stringify(name));
    if (status === 401) assert.is(response.headers.get('www-authenticate'), `Bearer realm="api", ${CHALLENGE}`);
  }));
}

function serveEverything(options: ServeOptions, use: (port: number) => Promise<void>): Promise<void> {
  return serve((server) => server.registerEndpoint('/a', everything), ({ port }) => use(port), options);
}

async function assertRejects(call: () => unknown, detail: string): Promise<void> {
  try {
    await call();
  } catch (thrown) {
    assert.is((thrown as Error).message, detail);
    return;
  }
  throw new Error('nothing was rejected');
}
