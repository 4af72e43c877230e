/** Responses that operations spell out with `reply`, on the wire. */
import { Readable } from 'node:stream';
import { ApiError, defineEndpoint, reply, stringId, type ApiServer, type Reply } from '../../../src/index.ts';
import { assert, facts, message, RawClient, readProblem, send, serve, suite } from '../../support/facts.ts';

type Give = () => unknown;

/** Every kind of operation, and each returns this. */
function declareReply(give: Give): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    schema: (json: unknown): unknown => json,
    create: () => give() as string,
    get: give,
    update: give,
    delete: give,
    custom: { make: { run: give } },
  }));
}

const OPERATIONS = ['GET /v1/thing/1', 'POST /v1/thing 1', 'PUT /v1/thing/1 1', 'DELETE /v1/thing/1', 'POST /v1/thing/make'];

const CSV = { 'Content-Type': 'text/csv' };

const replied = suite('R1 R3: a reply');
for (const [why, make, response] of [
  ['a status alone', () => reply(200), '200'],
  ['204', () => reply(204), '204'],
  ['205', () => reply(205), '205'],
  ['304', () => reply(304, undefined, { ETag: '"1"' }), '304 | ETag: "1"'],
  ['a redirect', () => reply(303, undefined, { Location: '/a' }), '303 | Location: /a'],
  ['JSON', () => reply(202, { a: 'ä' }), '202 {"a":"ä"}'],
  ['null', () => reply(200, null), '200 null'],
  ['a string as JSON', () => reply(200, 'a'), '200 "a"'],
  ['JSON of a type', () => reply(200, [1], { 'content-type': 'application/ld+json' }), '200 application/ld+json [1]'],
  ['text', () => reply(200, 'ä,b', CSV), '200 text/csv ä,b'],
  ['empty text', () => reply(200, '', CSV), '200 text/csv '],
  ['bytes', () => reply(200, Buffer.from('ä')), '200 application/octet-stream ä'],
  ['bytes of a type', () => reply(200, new Uint8Array([65]), CSV), '200 text/csv A'],
  ['bytes with their length', () => reply(200, new Uint8Array([65]), { 'Content-Length': '1' }), '200 application/octet-stream A'],
  ['a list', () => reply(200, 1, { 'Set-Cookie': ['a=1', 'b=2'] }), '200 1 | Set-Cookie: a=1 | Set-Cookie: b=2'],
  ['a stream', () => reply(200, Readable.from(['ä', Buffer.from('b')])), '200 application/octet-stream äb | Transfer-Encoding: chunked'],
  ['a stream with its length', () => reply(206, Readable.from(['ä']), { 'Content-Length': '2' }), '206 application/octet-stream ä'],
  ['a stream without a chunk', () => reply(200, Readable.from([])), '200 application/octet-stream  | Transfer-Encoding: chunked'],
] as readonly (readonly [string, () => Reply<unknown>, string])[]) {
  const requests = OPERATIONS.flatMap((request) => [request, request]);
  facts(replied, declareReply(make), [[`${why}, of each operation twice on one connection`, requests, requests.map(() => response)]]);
}
facts(replied, declareReply(async () => reply(201, 'made')), [['by a promise', 'PUT /v1/thing/1 1', '201 "made"']]);
replied('with a pipelined request after it: both get their responses in order', async () => {
  let count = 0;
  await serve(declareReply(() => reply(200, Readable.from([`${(count += 1)}`]))), async ({ port }) => {
    const client = await RawClient.send(port, message('GET', '/v1/thing/1') + message('POST', '/v1/thing/make') + message('GET', '/v1/thing/1', '', ['Connection: close']));
    for (const body of ['1', '2', '3']) assert.is((await client.response()).body, body);
    assert.is(await client.closed(), '');
  });
});

const bodiless = suite('R8: a reply to HEAD');
for (const [why, make, headers] of [
  ['JSON', () => reply(200, [1]), { 'content-length': '3', 'content-type': 'application/json' }],
  ['bytes', () => reply(200, new Uint8Array(7), CSV), { 'content-length': '7', 'content-type': 'text/csv' }],
  ['a stream with its length', () => reply(200, Readable.from(['abc']), { 'Content-Length': '3' }), { 'content-length': '3' }],
  ['a stream', () => reply(200, Readable.from(['abc']), CSV), { 'content-type': 'text/csv', 'content-length': undefined }],
] as readonly (readonly [string, () => Reply<unknown>, Record<string, string | undefined>])[]) {
  bodiless(`${why}: the head of the response to GET, no body, and the connection is kept`, () => serve(declareReply(make), async ({ port, errors }) => {
    const client = await RawClient.send(port, message('HEAD', '/v1/thing/1') + message('HEAD', '/v1/thing/1', '', ['Connection: close']));
    for (let time = 0; time < 2; time += 1) {
      const response = await client.response('HEAD');
      for (const [name, value] of Object.entries(headers)) assert.is(response.headers.get(name), value, name);
    }
    assert.is(await client.closed(), '');
    client.destroy();
    assert.equal(errors, []);
  }));
}

const decoded = suite('O8: a reply with an output for its body');
for (const [why, give, response, ...logged] of [
  ['a plain result', () => 1, '200 "1 by 200"'],
  ['of its status', () => reply(200, 1), '200 "1 by 200"'],
  ['of a different status', () => reply(201, 1), '201 "1 by 201, later"'],
  ['of a status that it lacks', () => reply(202, 1), '500', 'GET /v1/thing/:id: Internal error: output does not declare status 202'],
  ['of a status that it lacks, as text', () => reply(202, '1', CSV), '500', 'GET /v1/thing/:id: Internal error: output does not declare status 202'],
  ['of a status that it lacks, without a body', () => reply(204), '500', 'GET /v1/thing/:id: Internal error: output does not declare status 204'],
  ['of a status that has none', () => reply(205), '205'],
  ['with a body, of a status that has none', () => reply(207, 1), '500', 'GET /v1/thing/:id: Internal error: output declares status 207 without a body'],
  ['a redirect that it lacks', () => reply(303, undefined, { Location: '/a' }), '303 | Location: /a'],
  ['as text', () => reply(200, '1', CSV), '200 text/csv 1'],
  ['rejected', () => reply(203, 1), '500', 'GET /v1/thing/:id: Internal error: the result does not match output: Bad arguments: no'],
  ['failing', () => reply(206, 1), '500', 'GET /v1/thing/:id: Internal error: Internal error: no'],
] as const) {
  facts(decoded, (server) => server.registerEndpoint('/thing', {
    id: stringId,
    get: {
      run: give as () => unknown,
      output: {
        200: (value: unknown) => `${String(value)} by 200`,
        201: async (value: unknown) => `${String(value)} by 201, later`,
        203: () => { throw new Error('no'); },
        206: async () => { throw ApiError.internal('no'); },
        205: null,
        207: null,
        304: null,
      },
    },
  }), [[why, 'GET /v1/thing/1', response, ...logged]]);
}

const owned = suite('O15: a reply of an endpoint with a context');
for (const [why, make, method, response] of [
  ['JSON', () => reply(200, 1), 'GET', '200 1 | Cache-Control: private, no-cache'],
  ['a stream', () => reply(200, Readable.from(['a'])), 'GET', '200 application/octet-stream a | Cache-Control: private, no-cache | Transfer-Encoding: chunked'],
  ['a stream, to HEAD', () => reply(200, Readable.from(['a'])), 'HEAD', '200 application/octet-stream  | Cache-Control: private, no-cache'],
  ['its own Cache-Control', () => reply(200, 1, { 'cache-control': 'no-store' }), 'GET', '200 1 | cache-control: no-store'],
  ['a stream with its own Cache-Control', () => reply(200, Readable.from(['a']), { 'Cache-Control': 'no-store' }),
    'GET', '200 application/octet-stream a | Cache-Control: no-store | Transfer-Encoding: chunked'],
] as readonly (readonly [string, () => Reply<unknown>, string, string])[]) {
  facts(owned, (server) => server.registerEndpoint('/thing', { id: stringId, context: () => 'me', get: make }), [[why, `${method} /v1/thing/1`, response]]);
}

const TAGGED = { ETag: 'W/"1"', 'Cache-Control': 'no-cache', 'Content-Type': 'application/json', 'Content-Language': 'en', 'Content-Location': '/a' };

const conditional = suite('R9 V18 V21: a reply with an ETag');
for (const [why, make, request, response] of [
  ['the client has it', () => reply(200, [1], TAGGED), 'GET /v1/thing/1\nIf-None-Match: "1"',
    '304 | ETag: W/"1" | Cache-Control: no-cache | Content-Location: /a'],
  ['in a list', () => reply(200, [1], TAGGED), 'GET /v1/thing/1\nIf-None-Match: "2", W/"1"',
    '304 | ETag: W/"1" | Cache-Control: no-cache | Content-Location: /a'],
  ['in a second line', () => reply(200, [1], TAGGED), 'GET /v1/thing/1\nIf-None-Match: "2"\nif-none-match: "1"',
    '304 | ETag: W/"1" | Cache-Control: no-cache | Content-Location: /a'],
  ['any', () => reply(200, [1], TAGGED), 'GET /v1/thing/1\nIf-None-Match: *', '304 | ETag: W/"1" | Cache-Control: no-cache | Content-Location: /a'],
  ['as bytes', () => reply(200, Buffer.from('[1]'), TAGGED), 'GET /v1/thing/1\nIf-None-Match: "1"',
    '304 | ETag: W/"1" | Cache-Control: no-cache | Content-Location: /a'],
  ['to HEAD', () => reply(200, [1], TAGGED), 'HEAD /v1/thing/1\nIf-None-Match: "1"', '304 | ETag: W/"1" | Cache-Control: no-cache | Content-Location: /a'],
  ['as a 203', () => reply(203, [1], TAGGED), 'GET /v1/thing/1\nIf-None-Match: "1"', '304 | ETag: W/"1" | Cache-Control: no-cache | Content-Location: /a'],
  ['another', () => reply(200, [1], TAGGED), 'GET /v1/thing/1\nIf-None-Match: "2"',
    '200 [1] | ETag: W/"1" | Cache-Control: no-cache | Content-Language: en | Content-Location: /a'],
  ['no condition', () => reply(200, [1], TAGGED), 'GET /v1/thing/1\nIf-Matches: "1"',
    '200 [1] | ETag: W/"1" | Cache-Control: no-cache | Content-Language: en | Content-Location: /a'],
  ['no ETag, and another', () => reply(200, [1]), 'GET /v1/thing/1\nIf-None-Match: "1"', '200 [1]'],
  ['no success', () => reply(303, [1], TAGGED), 'GET /v1/thing/1\nIf-None-Match: "1"',
    '303 [1] | ETag: W/"1" | Cache-Control: no-cache | Content-Language: en | Content-Location: /a'],
  ['a different method', () => reply(200, [1], TAGGED), 'PUT /v1/thing/1 1\nIf-None-Match: "1"',
    '200 [1] | ETag: W/"1" | Cache-Control: no-cache | Content-Language: en | Content-Location: /a'],
] as readonly (readonly [string, () => Reply<unknown>, string, string])[]) {
  facts(conditional, declareReply(make), [[why, request, response]]);
}
facts(conditional, (server) => server.registerEndpoint('/thing', { id: stringId, list: () => reply(200, [1], TAGGED) }), [
  ['of a List', 'GET /v1/thing\nIf-None-Match: "1"', '304 | ETag: W/"1" | Cache-Control: no-cache | Content-Location: /a'],
]);

const cycle: Record<string, unknown> = {};
cycle['cycle'] = cycle;

const unsendable = suite('R10: a reply that cannot be sent');
for (const [why, make, text] of [
  ['a cycle', () => reply(200, cycle), /the result cannot be written as JSON: .* refers to an object that contains it$/],
  ['a BigInt', () => reply(200, 1n), /the result cannot be written as JSON: it is a bigint: /],
  ['a function', () => reply(200, () => 1), /^GET .*: Internal error: the result cannot be written as JSON: it is of type function$/],
  ['too long', () => reply(200, 'x'.repeat(2 ** 29 - 24), CSV), /too long/],
  ['a web stream that is locked', () => {
    const stream = new ReadableStream();
    stream.getReader();
    return reply(200, stream);
  }, /locked/],
  ['a stream that cannot be begun', () => reply(200, { [Symbol.asyncIterator]: () => { throw new Error('not today'); } }), /not today/],
  ['reply itself throws', () => reply(99 as number), /must be from 200 to 399/],
] as readonly (readonly [string, () => Reply<unknown>, RegExp])[]) {
  unsendable(`${why} -> 500, logged, and the connection is kept`, async () => {
    let times = 0;
    await serve(declareReply(() => ((times += 1) === 1 ? make() : reply(200, 'good'))), async ({ port, errors }) => {
      const client = await RawClient.send(port, message('GET', '/v1/thing/1'));
      readProblem(await client.response());
      client.send(message('GET', '/v1/thing/1'));
      assert.is((await client.response()).body, '"good"');
      client.destroy();
      assert.is(errors.length, 1);
      assert.match(errors[0]?.message ?? '', text);
    });
  });
}

const plain = suite('R4: a stream as a plain result');
for (const [why, make] of [
  ['a Readable', () => Readable.from(['a'])],
  ['a web stream', () => new ReadableStream()],
  ['a generator', () => (async function* () {})()],
] as const) {
  for (const [method, target] of [['GET', '/v1/thing/1'], ['POST', '/v1/thing/make']] as const) {
    plain(`${why}: ${method} ${target} -> 500, logged, and the stream is closed`, async () => {
      let stream: unknown;
      await serve(declareReply(() => (stream = make())), async ({ port, errors }) => {
        readProblem(await send(port, message(method, target)));
        assert.match(errors[0]?.message ?? '', /: Internal error: a stream can only be sent as the body of a reply: reply\(200, stream\)$/);
        if (stream instanceof Readable) assert.ok(stream.destroyed);
      });
    });
  }
}
facts(plain, declareReply(() => ({ [Symbol.asyncIterator]: () => { throw new Error('no iterator'); } })), [
  ['one that cannot be closed: its failure ends nothing', 'GET /v1/thing/1', '500',
    'GET /v1/thing/:id: Internal error: a stream can only be sent as the body of a reply: reply(200, stream)'],
]);
facts(plain, declareReply(() => ({ async *[Symbol.asyncIterator]() {}, toJSON: () => [1] })),
  [['an async iterable with a toJSON is sent as that', 'GET /v1/thing/1', '200 [1]']]);
