/** Makes requests. Most are valid, and the others are wrong in one or two ways. Each has a unique marker. */
import type { Random } from '../support/random.ts';
import { bodyFor, condition, NUISANCE_HEADERS, SMUGGLED } from './corpus.ts';
import type { Draft } from './draft.ts';
import { endpointRequest } from './endpoint-grammar.ts';
import { LISTENER_NAMES } from './middleware.ts';
import { idLines } from './request-ids.ts';

const BASES: readonly [string, ...string[]] = ['/v1/now', '/v1/later'];
// The start of the marker can ask for a failure.
const FAILURES: [string, ...string[]] = ['broken-', 'lost-', 'missing-', 'unwritable-'];

// Of these, `cors` lists the first two.
const ORIGINS: [string, ...string[]] = ['http://evil.example', 'http://zoo.example:8080', 'http://evil.example:80', 'http://EVIL.example', 'http://evil.example.', 'http://zoo.example', 'null', 'http://u@evil.example', ''];

/** A request as bytes, one character for each. The marker distinguishes it from the other requests of the case. */
export function makeRequest(random: Random, marker: string, bases?: readonly [string, ...string[]]): string {
  return format(makeDraft(random, marker, bases), random);
}

/** A request to the server with middleware. */
export function makeMiddlewareRequest(random: Random, marker: string): string {
  return format(makeMiddlewareDraft(random, marker), random);
}

/** A request that is not written yet. */
export function makeDraft(random: Random, marker: string, bases: readonly [string, ...string[]] = BASES): Draft {
  const failure = random.below(8) === 0 ? random.pick(FAILURES) : '';
  const isOther = bases === BASES && random.below(2) === 0;
  const draft = isOther ? endpointRequest(random, marker) : goodRequest(random, failure + marker, random.pick(bases));
  return applyTwists(draft, random);
}

/** A request to the server with middleware that is not written yet. */
export function makeMiddlewareDraft(random: Random, marker: string): Draft {
  const draft = random.below(2) === 0 ? endpointRequest(random, marker) : goodRequest(random, marker, random.pick(BASES));
  if (random.below(3) === 0) draft.headers.push(`Origin: ${random.pick(ORIGINS)}`);
  if (random.below(8) === 0) {
    draft.method = 'OPTIONS';
    draft.headers.push(`Access-Control-Request-Method: ${random.pick(['PUT', 'get', '', 'NOSUCH'])}`, 'Access-Control-Request-Headers: x-evil');
  }
  if (random.below(3) === 0) draft.headers.push(...idLines(random));
  draft.headers.push(`X-Listener: ${random.below(3) === 0 ? 'passes' : random.pick(LISTENER_NAMES)}`);
  return applyTwists(draft, random);
}

function applyTwists(draft: Draft, random: Random): Draft {
  for (const twist of random.list(0, 2, () => random.pick(TWISTS))) {
    if (random.below(2) === 0) twist(draft, random);
  }
  return draft;
}

/** The last request of a case. Once it has its response, no other is missing. */
export function lastRequest(marker: string, base = '/v1/later'): string {
  return `GET ${base}/${marker} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
}

function goodRequest(random: Random, marker: string, base: string): Draft {
  const note = bodyFor(random, marker);
  const plain = { version: '1.1', host: 'a', headers: [], body: undefined, chunked: random.below(2) === 0 };
  return random.pick<() => Draft>([
    () => ({ ...plain, method: 'GET', target: `${base}/${marker}` }),
    () => ({ ...plain, method: 'HEAD', target: `${base}/${marker}` }),
    () => ({ ...plain, method: 'DELETE', target: `${base}/${marker}` }),
    () => ({ ...plain, method: 'OPTIONS', target: random.pick([base, `${base}/${marker}`, '*', '/v1/number', '/v1/number/7']) }),
    () => ({ ...plain, method: 'POST', target: base, body: note }),
    () => ({ ...plain, method: 'PUT', target: `${base}/${marker}`, body: note }),
    () => ({ ...plain, method: 'POST', target: `${base}/say`, body: note }),
    () => ({ ...plain, method: 'POST', target: `${base}/ping?marker=${marker}`, body: random.pick([undefined, '', '{}', SMUGGLED, note]) }),
    () => ({ ...plain, method: 'GET', target: `/v1/number/${random.below(1e9)}` }),
    () => ({ ...plain, method: random.pick(['GET', 'POST', 'HEAD', 'PATCH']), target: `/files/${random.pick(['', 'later/'])}${marker}`, body: random.pick([undefined, SMUGGLED]) }),
    () => ({ ...plain, method: 'POST', target: `/files/read/${marker}?q=1`, body: note }),
  ])();
}

type Twist = (draft: Draft, random: Random) => void;

const TWISTS: [Twist, ...Twist[]] = [
  (draft, random) => (draft.method = random.pick(['GET', 'PUT', 'POST', 'PATCH', 'TRACE', 'OPTIONS', 'HEAD', 'DELETE', 'QUERY', 'PURGE', 'CONNECT', 'FOO'])),
  (draft, random) => (draft.target = random.pick([
    '/', '/v1', '/v1/', '/V1/now/1', '/v1/now/', '/v1//now', '/v1/now/a/b', '/v1/nowhere', '/v1/now/..', '/v1/now/%2e', '*', '/filesX', 'v1/now',
    '/v1/number/x', '/v1/number/01', '/v1/number/9007199254740993', '/v1/now/missing1', '//a/v1/now/1', '/v1/__proto__/1', '/v1/now/%zz',
    '/v1/now/%ff', '/v1/now/a%2Fb', '/v1/now/a%00', '/v1/now/a%0D%0Ab', '/v1/now/1#x', '/v1/now\\1', '/v1/now/%F0%9F%90%9C', '/v1/now/say',
    '/v1/now/1?x=%00#', '/v1/now/1?x=\\', '/v1/now/\xe9', '/files', '/files?x', '/v1/now/constructor', '/v1/now/%25', 'http:/v1/now/1',
  ])),
  (draft, random) => (draft.target = random.pick(['http://a', 'HTTP://zoo.example:80', 'https://[::1]', 'http://u@a', 'http://', 'ftp://a', 'http://a:99999']) + draft.target),
  (draft, random) => (draft.host = random.pick(['', 'a b', 'zoo.example:8080', '[::1]', '[::1', 'a:b', 'a/b', 'u@a', 'a,b', 'A.EXAMPLE', '[1]:80', 'a:65536'])),
  (draft) => draft.headers.push('Host: b'),
  (draft, random) => draft.headers.push(random.pick(NUISANCE_HEADERS)),
  (draft, random) => draft.headers.push(`${random.pick(['Content-Type', 'content-type', 'CONTENT-TYPE'])}: ${random.pick([
    'application/json', 'application/json; charset=UTF-8', 'Application/JSON;charset="utf-8"', 'application/problem+json', 'text/plain',
    'application/json; charset=latin1', 'application/jsonx', '', 'json', 'multipart/form-data; boundary=x', 'application/json;',
  ])}`),
  (draft, random) => draft.headers.push(`Content-Encoding: ${random.pick(['identity', 'gzip', 'IDENTITY', 'br, gzip', ''])}`),
  (draft, random) => draft.headers.push(`Expect: ${random.pick(['100-continue', '100-Continue', 'foo', '100-continue, foo', ''])}`),
  (draft, random) => draft.headers.push('Connection: Upgrade', `Upgrade: ${random.pick(['websocket', 'h2c', 'WebSocket', 'x/1, websocket'])}`, `Sec-WebSocket-Version: ${random.pick(['13', '12', ''])}`),
  (draft, random) => draft.headers.push(`Connection: ${random.pick(['keep-alive', 'close', 'x', 'Close', 'keep-alive, x', 'TE'])}`),
  (draft, random) => draft.headers.push(`Transfer-Encoding: ${random.pick(['chunked', 'gzip', 'chunked, chunked', 'gzip, chunked', 'identity', '', 'xchunked', '"chunked"'])}`),
  (draft, random) => draft.headers.push(`Content-Length: ${random.pick(['0', '1', '5', '-1', '+5', '0x5', '05', '5, 5', '', '1e1', '99999999999999999999', '2001'])}`),
  (draft, random) => draft.headers.push(`Origin: ${random.pick([
    'http://a', 'https://A:443', 'http://zoo.example', 'http://zoo.example:8080', 'http://[::1]', 'http://a.example', 'http://evil.example', 'null', 'app://a', '',
  ])}`),
  (draft, random) => draft.headers.push(`Sec-Fetch-Site: ${random.pick(['cross-site', 'same-site', 'same-origin', 'none', 'unknown'])}`),
  (draft, random) => draft.headers.push(`Authorization: ${random.pick(['Bearer x', 'Basic YTpi', 'negotiate x', 'Hawk id="a", mac="b"', ''])}`),
  (draft, random) => draft.headers.push(condition(random)),
  (draft, random) => draft.headers.push(...idLines(random)),
  (draft) => (draft.version = '1.0'),
  (draft, random) => (draft.version = random.pick(['1.2', '2.0', '0.9', '1.10', '11'])),
  (draft, random) => (draft.body = random.pick([
    SMUGGLED, '', ' ', '{', 'null', '[]', '"text"', '{"marker":1}', '{"marker":"a","x":18446744073709551615}', '{"marker":"a","x":1e400}',
    '{"marker":"a","__proto__":{}}', '{"marker":"a","x":[{"\\u005f_proto__":1}]}', '\xef\xbb\xbf{"marker":"a"}', '{"marker":"\xff"}',
    '{"marker":"\\ud800"}', '{"marker":"a"}x', `{"marker":"${'x'.repeat(3000)}"}`, '['.repeat(1900), '{"marker":"a","marker":"b"}', '\0',
  ])),
  (draft, random) => draft.headers.push(`X-Long: ${'x'.repeat(random.pick([500, 2500, 6000]))}`),
];

/** Writes a draft as bytes, in one of several ways that mean the same. */
export function format({ method, target, version, host, headers, body, chunked }: Draft, random: Random): string {
  const isChunked = chunked && body !== undefined && version === '1.1';
  const framing = body === undefined ? [] : [isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`];
  const lines = [`Host: ${host}`, ...headers, ...framing];
  if (random.below(4) === 0) lines.push(lines.shift() ?? '');
  const head = `${random.below(20) === 0 ? '\r\n' : ''}${method} ${target} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`;
  return head + (isChunked ? chunks(body, random) : (body ?? ''));
}

function chunks(body: string, random: Random): string {
  let text = '';
  for (let at = 0; at < body.length; ) {
    const chunk = body.slice(at, at + 1 + random.below(body.length));
    const extension = random.below(8) === 0 ? ';name=value' : '';
    const size = random.below(2) === 0 ? chunk.length.toString(16) : `0${chunk.length.toString(16).toUpperCase()}`;
    text += `${size}${extension}\r\n${chunk}\r\n`;
    at += chunk.length;
  }
  return `${text}0\r\n${random.below(8) === 0 ? 'X-Trailer: x\r\n' : ''}\r\n`;
}
