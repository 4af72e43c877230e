/** The streams, contexts, bodies as bytes, conditions and middleware that the oracle of the fuzzer accepts, and those it rejects. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LOAD_BYTES } from './bytes-endpoint.ts';
import type { Call } from './call-log.ts';
import { complaintAbout, hasResponse, type Outcome } from './oracle.ts';
import { listedFor } from './reads.ts';
import { readStream } from './reference.ts';
import type { TakenIds } from './request-ids.ts';

const get = (target: string, ...headers: string[]): string => [`GET ${target} HTTP/1.1`, 'Host: a', ...headers, '', ''].join('\r\n');
const post = (target: string, body: string, ...headers: string[]): string => {
  return `${get(target, `Content-Length: ${body.length}`, ...headers).replace('GET', 'POST')}${body}`;
};
const put = (target: string, body: string, ...headers: string[]): string => post(target, body, ...headers).replace('POST', 'PUT');
const change = (method: string, target: string, condition: string): string => get(target, condition).replace('GET', method);
const NOSNIFF = 'X-Content-Type-Options: nosniff';
const respond = (status: string, headers: readonly string[], body = ''): string => [`HTTP/1.1 ${status}`, NOSNIFF, ...headers, '', body].join('\r\n');
const problem = (status: number, phrase: string, ...headers: string[]): string => {
  const body = `{"status":${status}}`;
  return respond(`${status} ${phrase}`, ['Content-Type: application/problem+json', `Content-Length: ${body.length}`, ...headers], body);
};
const recordBegin = (about: string): Call => ({ what: 'begin', about, request: 0 });
const LOGGED: Call = { what: 'log', about: undefined, request: 0 };
const OCTETS = 'Content-Type: application/octet-stream';
const JSON_TYPE = 'Content-Type: application/json';
const CHUNKED = 'Transfer-Encoding: chunked';
const PRIVATE = 'Cache-Control: private, no-cache';
const CHALLENGE = 'WWW-Authenticate: Bearer realm="api"';

const respondOk = (body: string, ...headers: string[]): string => respond('200 OK', [JSON_TYPE, ...headers, `Content-Length: ${body.length}`], body);

const ITEM = '{"marker":"a"}';
const LISTED = '?marker=a&tag=b';
const { body: LIST = '', headers: { etag: listTag = '' } = {} } = listedFor('a');
const ofList = [`ETag: ${listTag}`, 'Cache-Control: max-age=60'];

const oracle = suite('the oracle of the fuzzer, by request');
for (const [what, sent, received, calls, wrong] of [
  ['a stream', get('/v1/replies/iterable-a'), respond('200 OK', [OCTETS, CHUNKED], '1\r\n<\r\nb\r\niterable-a>\r\n0\r\n\r\n'), [recordBegin('replies get iterable-a')], [
    ['another body', respond('200 OK', [OCTETS, CHUNKED], '1\r\n<\r\n0\r\n\r\n')],
    ['no end', respond('200 OK', [OCTETS, CHUNKED], '1\r\n<\r\nb\r\niterable-a>\r\n')],
    ['a length', respond('200 OK', [OCTETS, 'Content-Length: 12'], '<iterable-a>')],
    ['another size', respond('200 OK', [OCTETS, CHUNKED], '2\r\n<\r\nb\r\niterable-a>\r\n0\r\n\r\n')],
    ['a byte behind it', respond('200 OK', [OCTETS, CHUNKED], '1\r\n<\r\nb\r\niterable-a>\r\n0\r\n\r\nx')],
  ]],
  ['a stream that fails', get('/v1/replies/failing-a'), respond('200 OK', [OCTETS, CHUNKED], '1\r\n<\r\n'), [recordBegin('replies get failing-a'), LOGGED], [
    ['an end', respond('200 OK', [OCTETS, CHUNKED], '1\r\n<\r\n0\r\n\r\n')],
    ['something else', respond('200 OK', [OCTETS, CHUNKED], '1\r\nx\r\n')],
    ['nothing logged', respond('200 OK', [OCTETS, CHUNKED], '1\r\n<\r\n'), [recordBegin('replies get failing-a')]],
    ['an operation after it', respond('200 OK', [OCTETS, CHUNKED], '1\r\n<\r\n'), [recordBegin('replies get failing-a'), LOGGED, recordBegin('replies get json')]],
  ]],
  ['a condition that holds', get('/v1/replies/tagged-a', 'If-None-Match: "t"'), respond('304 Not Modified', ['ETag: "t"']), [recordBegin('replies get tagged-a')], [
    ['a 200', respond('200 OK', [JSON_TYPE, 'ETag: "t"', 'Content-Length: 21'], '{"marker":"tagged-a"}')],
    ['a length', respond('304 Not Modified', ['ETag: "t"', 'Content-Length: 21'])],
    ['no tag', respond('304 Not Modified', [])],
  ]],
  [
    'a change under a condition', change('DELETE', '/v1/now/a', 'If-Match: *'), respond('204 No Content', []), [recordBegin('now get a'), recordBegin('now delete a')], [
      ['an item that is not asked for', respond('204 No Content', []), [recordBegin('now delete a')]],
      ['a rejection', problem(412, 'Precondition Failed'), [recordBegin('now get a')]],
    ],
  ],
  ['a change of nothing', change('DELETE', '/v1/now/missing-a', 'If-Match: *'), problem(412, 'Precondition Failed'), [recordBegin('now get missing-a')], [
    ['a change', respond('204 No Content', []), [recordBegin('now get missing-a'), recordBegin('now delete missing-a')]],
  ]],
  ['a condition that nobody can tell', change('DELETE', '/v1/lamp', 'If-Match: *'), respond('204 No Content', []), [recordBegin('lamp delete')], [
    ['a rejection', problem(412, 'Precondition Failed'), []],
    ['a question', respond('204 No Content', []), [recordBegin('lamp get'), recordBegin('lamp delete')]],
  ]],
  ['a tag of an item without a version', change('DELETE', '/v1/now/a', 'If-Match: "t"'), problem(412, 'Precondition Failed'), [], [
    ['a change', respond('204 No Content', []), [recordBegin('now delete a')]],
    ['a question', problem(412, 'Precondition Failed'), [recordBegin('now get a')]],
  ]],
  [
    'a date of an item that has none', change('DELETE', '/v1/now/a', 'If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT'), respond('204 No Content', []),
    [recordBegin('now get a'), recordBegin('now delete a')], [
      ['an item that is not asked for', respond('204 No Content', []), [recordBegin('now delete a')]],
      ['a rejection', problem(412, 'Precondition Failed'), [recordBegin('now get a')]],
    ],
  ],
  ['a malformed condition', change('DELETE', '/v1/now/a', 'If-None-Match: t'), problem(412, 'Precondition Failed'), [], [
    ['a change', respond('204 No Content', []), [recordBegin('now delete a')]],
  ]],
  ['a broken body of a change under a condition', post('/v1/zoo/5/pet/a/feed', '{', 'If-Match: "t"'), problem(400, 'Bad Request'), [], [
    ['a condition that is compared first', problem(412, 'Precondition Failed')],
    ['a question', problem(400, 'Bad Request'), [recordBegin('zoo get 5 a')]],
  ]],
  ['a named read', get(`/v1/read/listed${LISTED}`), respondOk(LIST, ...ofList), [recordBegin('read listed a')], [
    ['an item', respondOk('{"marker":"listed"}'), [recordBegin('read get listed')]],
    ['a query that is lost', respondOk('{"marker":""}', ...ofList)],
    ['no tag', respondOk(LIST, ofList[1] ?? '')],
    ['a failure that is logged', respondOk(LIST, ...ofList), [recordBegin('read listed a'), LOGGED]],
  ]],
  ['its head', change('HEAD', `/v1/read/listed${LISTED}`, 'X: y'), respondOk(LIST, ...ofList).slice(0, -LIST.length), [recordBegin('read listed a')], [
    ['a body', respondOk(LIST, ...ofList)],
    ['another length', respondOk(`${LIST} `, ...ofList).slice(0, -LIST.length - 1)],
  ]],
  ['one that the client has', get(`/v1/read/listed${LISTED}`, `If-None-Match: W/${listTag}`), respond('304 Not Modified', ofList.slice(0, 1)), [recordBegin('read listed a')], [
    ['a 200', respondOk(LIST, ...ofList)],
  ]],
  ['no id', get('/v1/now/a', 'X-Request-Id: b'), respondOk(ITEM), [recordBegin('now get a')], [
    ['an id', respondOk(ITEM, 'X-Request-Id: b')],
  ]],
  ['a session', get('/v1/session', 'Cookie: a="; sid=ok1'), respondOk('{"marker":"ok1"}', PRIVATE), [recordBegin('session get')], [
    ['a different session', respondOk('{"marker":"ok2"}', PRIVATE)],
    ['no Cache-Control', respondOk('{"marker":"ok1"}')],
    ['a rejection', problem(401, 'Unauthorized', PRIVATE, 'WWW-Authenticate: Cookie realm="api", cookie-name="sid"'), []],
  ]],
  ['a change by a page of a different origin', put('/v1/session', '{"marker":"a"}', 'Cookie: sid=ok', 'Sec-Fetch-Site: same-site'), problem(403, 'Forbidden', PRIVATE), [], [
    ['a change', respond('204 No Content', [PRIVATE]), [recordBegin('session update ok a')]],
  ]],
  ['two sessions', get('/v1/session', 'Cookie: sid=ok; sid=ok'), problem(400, 'Bad Request', PRIVATE, 'WWW-Authenticate: Cookie realm="api", cookie-name="sid"'), [], [
    ['the first one', respondOk('{"marker":"ok"}', PRIVATE), [recordBegin('session get')]],
  ]],
  ['a caller who is rejected', post('/v1/guarded', '{"marker":"a"}'), problem(401, 'Unauthorized', PRIVATE, CHALLENGE), [], [
    ['a body that is decoded', problem(401, 'Unauthorized', PRIVATE, CHALLENGE), [{ what: 'decode', about: 'a', request: 0 }]],
    ['an operation', problem(401, 'Unauthorized', PRIVATE, CHALLENGE), [recordBegin('guarded create a')]],
    ['no nosniff', problem(401, 'Unauthorized', PRIVATE, CHALLENGE).replace(`${NOSNIFF}\r\n`, '')],
    ['no challenge', problem(401, 'Unauthorized', PRIVATE)],
    ['a response for caches', problem(401, 'Unauthorized', CHALLENGE)],
    ['a response about the body', problem(400, 'Bad Request', PRIVATE)],
  ]],
  ['a body as bytes', post('/v1/bytes/load?marker=whole', 'abc'), respond('200 OK', [JSON_TYPE, 'Content-Length: 11'], '{"bytes":3}'), [recordBegin('bytes load whole')], [
    ['another size', respond('200 OK', [JSON_TYPE, 'Content-Length: 11'], '{"bytes":2}')],
    ['a close', respond('200 OK', [JSON_TYPE, 'Content-Length: 11', 'Connection: close'], '{"bytes":3}')],
  ]],
  ['bytes over the limit', post('/v1/bytes/load?marker=whole', 'x'.repeat(LOAD_BYTES + 1)), problem(413, 'Payload Too Large', 'Connection: close'), [], [
    ['an operation', problem(413, 'Payload Too Large', 'Connection: close'), [recordBegin('bytes load whole')]],
    ['an open connection', problem(413, 'Payload Too Large')],
  ]],
  ['middleware that rewrites', get('/x', 'X-Listener: target-0'), respond('200 OK', ['Vary: X-Listener', JSON_TYPE, 'Content-Length: 16'], '{"marker":"new"}'), [recordBegin('now get new')], [
    ['the old target', problem(404, 'Not Found', 'Vary: X-Listener'), []],
    ['a lost header', respond('200 OK', [JSON_TYPE, 'Content-Length: 16'], '{"marker":"new"}')],
  ]],
  ['middleware that responds', get('/v1/now/a', 'X-Listener: responds'), respond('200 OK', ['Vary: X-Listener', 'X-Listener: own', 'Content-Length: 4'], 'page'), [], [
    ['an operation too', respond('200 OK', ['Vary: X-Listener', 'X-Listener: own', 'Content-Length: 4'], 'page'), [recordBegin('now get a')]],
  ]],
  ['a path with a parameter', get('/v1/zoo/7/pet/a'), respond('200 OK', [JSON_TYPE, 'Content-Length: 14'], '{"marker":"a"}'), [recordBegin('zoo get 7 a')], [
    ['the literal beside it', respond('405 Method Not Allowed', ['Allow: OPTIONS', 'Content-Length: 0']), []],
    ['no nosniff', respond('200 OK', [JSON_TYPE, 'Content-Length: 14'], '{"marker":"a"}').replace(`${NOSNIFF}\r\n`, '')],
    ['another parameter', respond('200 OK', [JSON_TYPE, 'Content-Length: 14'], '{"marker":"a"}'), [recordBegin('zoo get 8 a')]],
  ]],
] as readonly (readonly [string, string, string, readonly Call[], readonly (readonly [why: string, received: string, calls?: readonly Call[]])[]])[]) {
  const outcome: Outcome = { received, ending: 'wait', end: 'ended', calls };
  oracle(`${what}: accepts allowed outcomes`, () => {
    assert.is(complaintAbout(readStream(sent), outcome), undefined);
  });
  for (const [why, otherReceived, otherCalls = calls] of wrong) {
    oracle(`${what}: detects ${why}`, () => {
      assert.type(complaintAbout(readStream(sent), { ...outcome, received: otherReceived, calls: otherCalls }), 'string');
    });
  }
}
oracle.run();

const EVIL = 'http://evil.example';
const CREDENTIALS = 'Access-Control-Allow-Credentials: true';
const ALLOW = [`Access-Control-Allow-Origin: ${EVIL}`, CREDENTIALS];
const cors = suite('the oracle of the fuzzer, for a server with cors');
for (const [what, sent, received, wrong] of [
  ['an item', get('/v1/now/a', 'X-Listener: passes', `Origin: ${EVIL}`), respondOk(ITEM, 'Vary: X-Listener, Origin', ...ALLOW), [
    ['no Vary', respondOk(ITEM, 'Vary: X-Listener', ...ALLOW)],
    ['no Allow-Origin', respondOk(ITEM, 'Vary: X-Listener, Origin', CREDENTIALS)],
  ]],
  ['an item, to a different origin', get('/v1/now/a', 'X-Listener: passes', `Origin: ${EVIL}.`), respondOk(ITEM, 'Vary: X-Listener, Origin'), [
    ['Allow-Origin', respondOk(ITEM, 'Vary: X-Listener, Origin', ALLOW[0] ?? '')],
    ['Allow-Credentials', respondOk(ITEM, 'Vary: X-Listener, Origin', CREDENTIALS)],
  ]],
  [
    'a preflight', change('OPTIONS', '/v1/now/a', `Origin: ${EVIL}\r\nAccess-Control-Request-Method: PUT`),
    respond('204 No Content', ['Vary: Origin', ...ALLOW, 'Access-Control-Allow-Methods: GET, HEAD, PUT, DELETE, OPTIONS', 'Access-Control-Max-Age: 600']), [
      ['other methods', respond('204 No Content', ['Vary: Origin', ...ALLOW, 'Access-Control-Allow-Methods: PUT', 'Access-Control-Max-Age: 600'])],
      ['discovery', respond('200 OK', ['Vary: Origin', ...ALLOW, 'Allow: GET, PUT, DELETE', 'Content-Length: 0'])],
    ],
  ],
] as readonly (readonly [string, string, string, readonly (readonly [why: string, received: string])[]])[]) {
  const outcome: Outcome = { received, ending: 'wait', end: 'ended', calls: sent.startsWith('GET') ? [recordBegin('now get a')] : [] };
  cors(`${what}: accepts allowed outcomes`, () => {
    assert.is(complaintAbout(readStream(sent, true), outcome), undefined);
  });
  for (const [why, other] of wrong) {
    cors(`${what}: detects ${why}`, () => {
      assert.type(complaintAbout(readStream(sent, true), { ...outcome, received: other }), 'string');
    });
  }
}
cors.run();

const ids = suite('the oracle of the fuzzer, for a server with request ids');
for (const [what, taken, sent, received, wrong] of [
  ['the id of a trusted client', 'of all', get('/v1/now/a', 'X-Request-Id: b'), respondOk(ITEM, 'X-Request-Id: b'), [
    ['a new one', respondOk(ITEM, 'X-Request-Id: new-1')], ['none', respondOk(ITEM)], ['two', respondOk(ITEM, 'X-Request-Id: b', 'X-Request-Id: b')],
  ]],
  ['the id of anyone else', 'of nobody', get('/v1/now/a', 'X-Request-Id: b'), respondOk(ITEM, 'X-Request-Id: new-1'), [['it', respondOk(ITEM, 'X-Request-Id: b')]]],
  ...['X-Request-Id: b c', `X-Request-Id: ${'b'.repeat(129)}`, 'X-Request-Id:', 'X-Request-Id: b\r\nx-request-id: b', 'X-Request-Id: <b>'].map((lines) => [
    JSON.stringify(lines.slice(0, 40)), 'of all', get('/v1/now/a', lines), respondOk(ITEM, 'X-Request-Id: new-1'), [['the first one', respondOk(ITEM, 'X-Request-Id: b')]],
  ] as const),
] as readonly (readonly [string, TakenIds, string, string, readonly (readonly [why: string, received: string])[]])[]) {
  const outcome: Outcome = { received, ending: 'wait', end: 'ended', calls: sent.startsWith('GET /v1/now') ? [recordBegin('now get a')] : [] };
  ids(`${what}: accepts allowed outcomes`, () => {
    assert.is(complaintAbout(readStream(sent, false, taken), outcome), undefined);
  });
  for (const [why, other] of wrong) {
    ids(`${what}: detects ${why}`, () => {
      assert.type(complaintAbout(readStream(sent, false, taken), { ...outcome, received: other }), 'string');
    });
  }
}
ids('detects an id of a different request in the log', () => {
  const sent = get('/v1/now/a', 'X-Request-Id: b');
  const calls: readonly Call[] = [recordBegin('now get a'), { what: 'id', about: 'c', request: 0 }];
  const outcome: Outcome = { received: respondOk(ITEM, 'X-Request-Id: b'), ending: 'wait', end: 'ended', calls };
  assert.type(complaintAbout(readStream(sent, false, 'of all'), outcome), 'string');
});
ids.run();

const echoes = suite('an echo that ends with its connection');
for (const [what, body, isOver] of [['whole', '12345', false], ['cut', '123', true]] as const) {
  echoes(`of a body that is ${what}: the client ${isOver ? 'ends its side, since the server waits for the rest' : 'waits for the end'}`, () => {
    const sent = ['POST /v1/bytes/load?marker=echo-a HTTP/1.0', 'Host: a', 'Content-Length: 5', '', body].join('\r\n');
    assert.is(hasResponse(readStream(sent), respond('200 OK', [OCTETS, 'Connection: close'], body)), isOver);
  });
}
echoes.run();
