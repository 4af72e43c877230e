/** A POST that a page of a different origin may have sent without a preflight is rejected. No other request is affected. */
import { suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { ANT } from '../support/deliveries.ts';
import { chunkedMessage, message, readProblem } from '../support/messages.ts';
import { send } from '../support/raw-client.ts';
import { serveZoo } from '../support/serve-zoo.ts';

const CROSS_SITE = 'Sec-Fetch-Site: cross-site';
const TEXT = 'Content-Type: text/plain';

/** Every way to invoke an operation by a POST without a JSON type. */
const POSTS: readonly (readonly [what: string, bytes: (headers: readonly string[]) => string])[] = [
  ['Create, without a type', (headers) => message('POST', '/v1/pet', ANT, headers)],
  ['Create, without a type, chunked', (headers) => chunkedMessage('POST', '/v1/pet', ANT, headers)],
  ['Custom with an input, without a type', (headers) => message('POST', '/v1/pet/feed', '12', headers)],
  ['Custom without an input, without a body', (headers) => message('POST', '/v1/pet/count', '', headers)],
  ['Custom without an input, of no bytes', (headers) => message('POST', '/v1/pet/count', '', [...headers, 'Content-Length: 0'])],
  ['Custom without an input, with a body', (headers) => message('POST', '/v1/pet/count', 'null', headers)],
  ['Custom without an input, as text', (headers) => message('POST', '/v1/pet/count', '', [TEXT, ...headers])],
];

/** Declares a test of each kind of POST. All must have the same outcome. */
function eachPost(test: Test, headers: readonly string[], isRejected: boolean, why: string): void {
  test(`${why} -> ${isRejected ? '415, and nothing is invoked' : 'invoked'}: ${headers.join(' | ')}`, () => serveZoo(async (port, zoo) => {
    for (const [what, bytes] of POSTS) {
      zoo.invoked = 0;
      const response = await send(port, bytes(headers));
      if (isRejected) assert.is(readProblem(response).title, 'Unsupported Media Type', what);
      assert.is(response.status >= 300, isRejected, `${what}: ${response.status}`);
      assert.is(zoo.invoked, isRejected ? 0 : 1, what);
    }
  }));
}

const rejected = suite('B12: a POST that a page of a different origin may have sent without a preflight');
for (const [headers, why] of [
  [[CROSS_SITE], 'of another site'],
  [['Sec-Fetch-Site: same-site'], 'of a different origin of the same site'],
  [['sec-fetch-site: cross-site', 'sec-fetch-mode: no-cors', 'sec-fetch-dest: empty', 'origin: http://b'], 'as browsers send it'],
  [[CROSS_SITE, 'Origin: http://a'], 'another site, whatever Origin says'],
  [['Sec-Fetch-Site: Cross-Site'], 'in other letters'],
  [['Sec-Fetch-Site: cross-site;x=1'], 'with a parameter'],
  [['Sec-Fetch-Site: same-origin', CROSS_SITE], 'two lines, the second another site'],
  [[CROSS_SITE, 'SEC-FETCH-SITE: none'], 'two lines, the first another site'],
  [['Sec-Fetch-Site: unknown', 'Origin: http://b'], 'an unknown value, and Origin decides'],
  [['Sec-Fetch-Site:', 'Origin: http://b'], 'an empty value, and Origin decides'],
  [['Origin: http://b'], 'a different host'],
  [['Origin: http://a:8080'], 'another port'],
  [['Origin: null'], 'an opaque origin'],
  [['Origin:'], 'an origin that is empty'],
  [['Origin: http://a', 'Origin: http://b'], 'two origins, the second another'],
  [['Origin: http://b', 'ORIGIN: http://a'], 'two origins, the first another'],
  [['Origin: http://a http://a'], 'a list of origins'],
  [['Origin: a'], 'an origin without a scheme'],
  [['Origin: http://a/'], 'an origin with a path'],
  [['Origin: http://b@a'], 'an origin with userinfo'],
  [['Origin: app://a'], 'an origin of an app'],
  [['Origin: chrome-extension://a'], 'an extension'],
  [['Origin: http://a.b'], 'a host that begins alike'],
  [['Origin: http://b.a'], 'a host that ends alike'],
  [['Origin: http://a.'], 'a host with a trailing dot'],
] as const) {
  eachPost(rejected, headers, true, why);
}
for (const authorization of [
  'Basic YTpi', 'basic YTpi', 'BASIC YTpi', 'Digest username="a", realm="b"', 'dIGEST username="a"', 'Negotiate YTpi', 'NTLM YTpi', 'Basic', 'Basic\tYTpi', '', ',',
]) {
  eachPost(rejected, [CROSS_SITE, `Authorization: ${authorization}`], true, 'with credentials that a browser attaches by itself');
}
eachPost(rejected, [CROSS_SITE, 'Authorization: Bearer x', 'Authorization: Basic YTpi'], true, 'with two credentials, the second attached');
eachPost(rejected, [CROSS_SITE, 'Authorization: Basic YTpi', 'Authorization: Bearer x'], true, 'with two credentials, the first attached');
eachPost(rejected, [CROSS_SITE, 'Authorization: Bearer x', 'Authorization:'], true, 'with two credentials, the second empty');
eachPost(rejected, [CROSS_SITE, 'Authorization: Bearer x', 'authorization: NTLM'], true, 'with two credentials, the second a bare scheme');
eachPost(rejected, ['Origin: http://b', 'Authorization: Basic YTpi'], true, 'of an older browser, with what it attaches');
eachPost(rejected, [CROSS_SITE, 'Proxy-Authorization: Bearer x', 'X-Authorization: Bearer x'], true, 'with a token in other headers');
eachPost(rejected, [CROSS_SITE, 'X-Requested-With: XMLHttpRequest', 'X-HTTP-Method-Override: PUT'], true, 'with headers that are not looked at');
rejected.run();

const accepted = suite('B12: a POST that no page of a different origin sent without a preflight');
for (const [headers, why] of [
  [[], 'of a client that is not a browser'],
  [['User-Agent: curl/8', 'Accept: */*'], 'of curl'],
  [['accept-language: *', 'sec-fetch-mode: cors', 'user-agent: node'], "of Node's fetch"],
  [['Sec-Fetch-Site: same-origin'], 'of a page of the same origin'],
  [['Sec-Fetch-Site: none'], 'of the user'],
  [['Sec-Fetch-Site: same-origin', 'Origin: null'], 'of a page of the same origin that keeps it secret'],
  [['Sec-Fetch-Site: same-origin', 'Origin: https://zoo.example'], 'of a page of the same origin, behind a proxy of a different name'],
  [['Sec-Fetch-Site: none', 'Origin: http://b'], 'of the user, whatever Origin says'],
  [['Sec-Fetch-Site: unknown'], 'an unknown value, and no Origin'],
  [['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: same-origin'], 'two lines, and no Origin'],
  [['Sec-Fetch-Site: unknown', 'Origin: http://a'], 'an unknown value, and Origin decides'],
  [['Sec-Fetch-Mode: cross-site', 'X-Fetch-Site: cross-site', 'Referer: http://b/', 'X-Forwarded-Host: b'], 'whatever other headers say'],
  [['Origin: http://a'], 'of the same host'],
  [['Origin: https://a'], 'of the same host, since the scheme before a proxy is not known'],
  [['Origin: HTTP://A'], 'of the same host, in other letters'],
  [[CROSS_SITE, 'Authorization: Bearer x'], 'with a bearer token'],
  [[CROSS_SITE, 'authorization: bearer x'], 'with a bearer token, in other letters'],
  [['Origin: http://b', 'Authorization: Bearer x'], 'with a bearer token, of an older browser'],
  [['Origin: null', 'Authorization: DPoP x'], 'with another scheme of the page'],
  [[CROSS_SITE, 'Authorization: Basically x'], 'with a scheme that begins alike'],
  [[CROSS_SITE, 'Authorization: Hawk id="a", mac="b"'], 'with a scheme that has parameters'],
  [[CROSS_SITE, 'Authorization: Bearer x', 'Authorization: Bearer y'], 'with two tokens'],
] as const) {
  eachPost(accepted, headers, false, why);
}
for (const type of ['application/json', 'Application/JSON; charset="UTF-8"', 'application/vnd.zoo+json']) {
  for (const sender of [CROSS_SITE, 'Sec-Fetch-Site: same-site', 'Origin: http://b', 'Origin: null']) {
    accepted(`${type} makes the browser send a preflight -> invoked: ${sender}`, async () => {
      await serveZoo(async (port, zoo) => {
        const headers = [`Content-Type: ${type}`, sender];
        assert.is((await send(port, message('POST', '/v1/pet', ANT, headers))).status, 201);
        assert.is((await send(port, chunkedMessage('POST', '/v1/pet', ANT, headers))).status, 201);
        assert.is((await send(port, message('POST', '/v1/pet/feed', '12', headers))).status, 200);
        assert.is((await send(port, message('POST', '/v1/pet/count', '', headers))).status, 200);
        assert.is(zoo.invoked, 4);
      });
    });
  }
}
accepted.run();
