/** The replies that `reply` accepts, and those that it rejects when it is called. */
import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { created, problem, reply } from '../../src/index.ts';
import { encodeReply, findReply, GivenProblem, GivenReply } from '../../src/declaration/reply.ts';
import { toPhrase } from '../../src/errors/problem.ts';
import { isBytes } from '../../src/util/stream.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

type Arguments = readonly [status: unknown, body?: unknown, headers?: unknown];
const call = (given: Arguments): GivenReply => Reflect.apply(reply, undefined, given) as GivenReply;

/** How the body of a reply is sent, and with which headers. */
function describeReply(made: GivenReply): readonly [kind: string, headers: readonly string[]] {
  const { headers, body } = encodeReply(made, made.headers, made.body, JSON.stringify);
  if (body === undefined) return ['none', headers];
  if (typeof body === 'string') return [made.isJson ? 'json' : 'text', headers];
  return [isBytes(body) ? 'bytes' : 'stream', headers];
}

const JSON_TYPE = ['Content-Type', 'application/json'];
const OCTETS = ['Content-Type', 'application/octet-stream'];
const CSV = { 'Content-Type': 'text/csv' };

const accepted = suite('R2: a reply that is made');
for (const [why, given, kind, headers] of [
  ['a status alone', [200], 'none', []],
  ['204', [204], 'none', []],
  ['304 with headers', [304, undefined, { ETag: '"1"' }], 'none', ['ETag', '"1"']],
  ['a redirect', [303, undefined, { Location: '/' }], 'none', ['Location', '/']],
  ['an object', [201, { a: 1 }], 'json', JSON_TYPE],
  ['null', [200, null], 'json', JSON_TYPE],
  ['false', [200, false], 'json', JSON_TYPE],
  ['a string', [200, 'a'], 'json', JSON_TYPE],
  ['an empty string', [200, ''], 'json', JSON_TYPE],
  ['a string as JSON', [200, 'a', { 'content-type': 'application/json; charset=utf-8' }], 'json', ['content-type', 'application/json; charset=utf-8']],
  ['an object as a type of JSON', [200, {}, { 'Content-Type': 'application/ld+json' }], 'json', ['Content-Type', 'application/ld+json']],
  ['an object with properties of a stream that are none', [200, { getReader: 1, destroy: 2 }], 'json', JSON_TYPE],
  ['a string of a different type', [200, 'a,b', CSV], 'text', ['Content-Type', 'text/csv']],
  ['bytes', [200, new Uint8Array(2)], 'bytes', OCTETS],
  ['a Buffer', [200, Buffer.from('a')], 'bytes', OCTETS],
  ['bytes of another realm', [200, runInNewContext('new Uint8Array(2)')], 'bytes', OCTETS],
  ['bytes of a type of JSON', [200, Buffer.from('{}'), { 'Content-Type': 'application/json' }], 'bytes', JSON_TYPE],
  ['another view of a buffer', [200, new Uint16Array(2)], 'json', JSON_TYPE],
  ['a Readable', [206, Readable.from([])], 'stream', OCTETS],
  ['a web stream', [200, new ReadableStream()], 'stream', OCTETS],
  ['an async iterable', [200, (async function* () {})()], 'stream', OCTETS],
  ['a stream of a type', [200, Readable.from([]), CSV], 'stream', ['Content-Type', 'text/csv']],
  ['a list of fields', [200, 1, { 'Set-Cookie': ['a=1', 'b=2'] }], 'json', [...JSON_TYPE, 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']],
  ['no headers', [399, 1, undefined], 'json', JSON_TYPE],
  ['a length of bytes', [200, new Uint8Array(2), { 'Content-Length': '2' }], 'bytes', OCTETS],
  ['a length of text, in bytes', [200, 'ä', { ...CSV, 'CONTENT-length': '2', ETag: '"1"' }], 'text', ['Content-Type', 'text/csv', 'ETag', '"1"']],
  ['a length of a stream', [200, Readable.from([]), { 'Content-Length': '12' }], 'stream', [...OCTETS, 'Content-Length', '12']],
] as readonly (readonly [string, Arguments, string, readonly string[]])[]) {
  accepted(`${why}: sent as ${kind}, with ${headers.join(' ')}`, () => {
    const made = call(given);
    assert.is(made.status, given[0]);
    assert.is(made.body, given[1]);
    assert.equal(describeReply(made), [kind, headers]);
    assert.ok(GivenReply.is(made));
  });
}
accepted('a stream that fails before it is sent does not end the process', async () => {
  const stream = new Readable({ read: () => {} });
  call([200, stream]);
  stream.destroy(new Error('too soon'));
  await new Promise(setImmediate);
  assert.ok(stream.errored);
});

const rejected = suite('R2: a reply that is rejected');
const REJECTED = [
  ['199', [199], 'the status of a reply must be from 200 to 399: 199'],
  ['400', [400, {}], "the status of a reply must be from 200 to 399: 400. Return problem(400, 'why'), or throw ApiError.status(400, 'why')"],
  ['a fraction', [200.5], 'the status of a reply must be from 200 to 399: 200.5'],
  ['text', ['200'], 'the status of a reply must be from 200 to 399: 200'],
  ['nothing', [undefined], 'the status of a reply must be from 200 to 399: undefined'],
  ['a body with 204', [204, {}], 'a reply with status 204 must not have a body'],
  ['a body with 205', [205, null], 'a reply with status 205 must not have a body'],
  ['a body with 304', [304, 'a', CSV], 'a reply with status 304 must not have a body'],
  ['undefined', [200, undefined], 'the body of a reply must not be undefined: leave it out, or throw ApiError.notFound()'],
  ['undefined with a status that may have none', [303, undefined], 'the body of a reply must not be undefined: leave it out, or throw ApiError.notFound()'],
  ['undefined with 200 and headers', [200, undefined, { ETag: '"1"' }], 'the body of a reply must not be undefined: leave it out, or throw ApiError.notFound()'],
  ['undefined with undefined', [303, undefined, undefined], 'the body of a reply must not be undefined: leave it out, or throw ApiError.notFound()'],
  ['a promise', [200, Promise.resolve(1)], 'the body of a reply must not be a promise: await it'],
  ['a thenable', [200, { then: () => {} }], 'the body of a reply must not be a promise: await it'],
  ['an object as text', [200, {}, CSV], 'a body of type object cannot be sent as text/csv: give a string or bytes'],
  ['null as text', [200, null, CSV], 'a body of type object cannot be sent as text/csv: give a string or bytes'],
  ['a number as text', [200, 1, { 'content-type': 'text/plain' }], 'a body of type number cannot be sent as text/plain: give a string or bytes'],
  ['an object as JSON in a different charset', [200, {}, { 'Content-Type': 'application/json; charset=latin1' }],
    'a body of type object cannot be sent as application/json; charset=latin1: give a string or bytes'],
  ['a type without a body', [303, undefined, CSV], 'a reply without a body must not have a Content-Type'],
  ['a bad name', [200, 1, { 'a b': '1' }], 'header name is not valid: "a b"'],
  ['a bad value', [200, 1, { a: 'b\r\nc: d' }], 'header a must have only printable ASCII'],
  ['a value that is not a string', [200, 1, { a: null }], 'header a must be a string: object'],
  ['a number that has no digits', [200, 1, { a: NaN }], 'header a must be a string: number'],
  ['a name that comes twice', [200, 1, { ETag: '"1"', etag: '"2"' }], 'header etag occurs twice'],
  ['a list for a field of one line', [200, 1, { ETag: ['"1"', '"2"'] }], 'header ETag must be a string, not a list'],
  ['headers that are none', [200, 1, 'a: b'], 'headers must be a plain object of names and values'],
  ['a length of JSON', [200, 1, { 'Content-Length': '1' }], 'header Content-Length cannot be set: the server sets it'],
  ['a length of nothing', [303, undefined, { 'Content-Length': '0' }], 'header Content-Length cannot be set: the server sets it'],
  ['a different length of bytes', [200, new Uint8Array(2), { 'Content-Length': '3' }], 'the body has 2 bytes, but its Content-Length is 3'],
  ['a different length of text', [200, 'ä', { ...CSV, 'Content-Length': '1' }], 'the body has 2 bytes, but its Content-Length is 1'],
  ['a length that is none', [200, new Uint8Array(2), { 'Content-Length': '02' }], 'Content-Length must be a whole number: "02"'],
  ...['Transfer-Encoding', 'connection', 'Keep-Alive', 'Upgrade', 'Trailer', 'TE'].map((name) => {
    return [name, [200, 1, { [name]: 'a' }], `header ${name} cannot be set: the server sets it`] as const;
  }),
] as readonly (readonly [string, Arguments, string])[];
for (const [why, given, message] of REJECTED) {
  rejected(`${why}: TypeError`, () => assert.throws(() => call(given), isTypeError(message)));
}
rejected('a promise that is rejected: TypeError, and nothing is left unhandled', async () => {
  assert.throws(() => call([200, Promise.reject(new Error('unheard'))]), /must not be a promise/);
  await new Promise(setImmediate);
});

const createdReply = suite('created');
for (const [why, given, kind, headers] of [
  ['an id alone', [7], 'none', []],
  ['a body', [7, { name: 'Rex' }], 'json', JSON_TYPE],
  ['a body and headers', ['a/b', { name: 'Rex' }, { ETag: '"1"' }], 'json', [...JSON_TYPE, 'ETag', '"1"']],
  ['headers alone', [7, undefined, { ETag: '"1"' }], 'none', ['ETag', '"1"']],
] as readonly (readonly [string, readonly unknown[], string, readonly string[]])[]) {
  createdReply(`with ${why} -> the reply with 201, which keeps the id`, () => {
    const made = Reflect.apply(created, undefined, given) as GivenReply;
    assert.ok(GivenReply.is(made));
    assert.equal([made.status, made.createdId, made.body, ...describeReply(made)], [201, given[0], given[1], kind, headers]);
  });
}
for (const [why, given, message] of [
  ['no id', [undefined, { a: 1 }], 'the id of created must not be undefined'],
  ['a promise of an id', [Promise.resolve(7)], 'the id of created must not be a promise: await it'],
  ['a promise of a body', [7, Promise.resolve(1)], 'the body of a reply must not be a promise: await it'],
  ['an undefined body', [7, undefined], 'the body of a reply must not be undefined: leave it out, or throw ApiError.notFound()'],
  ['a bad header', [7, 1, { 'a b': '1' }], 'header name is not valid: "a b"'],
] as readonly (readonly [string, readonly unknown[], string])[]) {
  createdReply(`with ${why}: TypeError`, () => assert.throws(() => Reflect.apply(created, undefined, given), isTypeError(message)));
}
createdReply('any other reply has no id', () => assert.is(call([201, { a: 1 }]).createdId, undefined));

const known = suite('values that are not replies');
for (const [why, value] of [
  ['undefined', undefined],
  ['null', null],
  ['a function', () => 1],
  ['an object', { reply: 1 }],
  ['a proxy that throws', new Proxy({}, { getPrototypeOf: () => { throw new Error('no'); } })],
] as const) {
  known(why, () => assert.is(findReply(value), undefined));
}
known('one that another copy of the package made -> TypeError', () => {
  assert.throws(() => findReply({ ...reply(200) }), /^the reply was made by a different copy of restpoint/);
});
known('a stream -> TypeError, and the stream is closed', () => {
  const stream = Readable.from(['a']);
  assert.throws(() => findReply(stream), /^a stream can only be sent as the body of a reply/);
  assert.is(stream.destroyed, true);
});
known('an object with asyncIterator and toJSON', () => assert.is(findReply({ async *[Symbol.asyncIterator]() {}, toJSON: () => 1 }), undefined));

const problems = suite('E9: an error as a result');
for (const status of [400, 402, 499, 500, 599]) {
  problems(`${status}`, () => {
    const made = problem(status, 'why', { a: 1 });
    assert.ok(GivenReply.is(made) && GivenProblem.is(made));
    assert.equal(made.rejection.problem, { type: 'about:blank', title: toPhrase(status), status, detail: 'why', a: 1 });
  });
}
problems('with options', () => {
  const made = problem(402, undefined, undefined, { type: '/a', title: 'A', instance: '/b', headers: { 'X-A': 'b' } }) as unknown as GivenProblem;
  assert.equal([made.rejection.problem, made.headers], [{ type: '/a', title: 'A', status: 402, instance: '/b' }, ['X-A', 'b']]);
});
for (const [why, given, message] of [
  ['a success', [200], 'status must be a whole number from 400 to 599: 200'],
  ['a redirection', [303], 'status must be a whole number from 400 to 599: 303'],
  ['600', [600], 'status must be a whole number from 400 to 599: 600'],
  ['a string', ['402'], 'status must be a whole number from 400 to 599: 402'],
  ['a detail that is not a string', [402, 7], 'detail must be a string: 7'],
  ['a reserved name', [402, 'why', { title: 'Declined' }], 'extensions must not have "title": a different argument or option sets it'],
  ['extensions that are a string', [402, 'why', 'declined'], 'extensions must be an object: declined'],
  ['a title without a type', [402, 'why', {}, { title: 'Declined' }], 'title needs a type: "Declined"'],
  ['an unknown option', [402, 'why', {}, { titel: 'A' }], 'unknown option options.titel: did you mean title? It can be one of type, title, instance, headers'],
  ['a header that the server sets', [402, 'why', {}, { headers: { Connection: 'close' } }], 'header Connection cannot be set: the server sets it'],
  ['a type of its body', [402, 'why', {}, { headers: { 'Content-Type': 'text/plain' } }], 'header Content-Type cannot be set: the server sets it'],
  ['a 401 without a challenge', [401], 'status 401 needs the header WWW-Authenticate'],
  ['a 405 without its methods', [405], 'status 405 needs the header Allow'],
  ['a value that JSON does not have', [402, 'why', { legs: 4n }], 'Do not know how to serialize a BigInt'],
] as const) {
  problems(`${why}: TypeError`, () => {
    const make = problem as (...values: readonly unknown[]) => unknown;
    assert.throws(() => make(...given), isTypeError(message));
  });
}
