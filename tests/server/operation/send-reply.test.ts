/** Responses that operations spell out with `reply`, on the wire. */
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, defineEndpoint, reply, stringId, type ApiServer, type ApiServerOptions, type Reply } from '../../../src/index.ts';
import { message, readProblem, decodeUtf8 } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

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

const OPERATIONS = [
  ['GET', '/v1/thing/1', ''], ['POST', '/v1/thing', '1'], ['PUT', '/v1/thing/1', '1'], ['DELETE', '/v1/thing/1', ''], ['POST', '/v1/thing/make', ''],
] as const;

const CSV = { 'Content-Type': 'text/csv' };

const replied = suite('R1 R3: a reply');
for (const [why, make, status, headers, body] of [
  ['a status alone', () => reply(200), 200, { 'content-length': '0', 'content-type': undefined }, ''],
  ['204', () => reply(204), 204, { 'content-length': undefined, 'content-type': undefined }, ''],
  ['205', () => reply(205), 205, { 'content-length': '0', 'content-type': undefined }, ''],
  ['304', () => reply(304, undefined, { ETag: '"1"' }), 304, { 'content-length': undefined, 'content-type': undefined, etag: '"1"' }, ''],
  ['a redirect', () => reply(303, undefined, { Location: '/a' }), 303, { location: '/a', 'content-length': '0' }, ''],
  ['JSON', () => reply(202, { a: 'ä' }), 202, { 'content-type': 'application/json', 'content-length': '10' }, '{"a":"ä"}'],
  ['null', () => reply(200, null), 200, { 'content-type': 'application/json', 'content-length': '4' }, 'null'],
  ['a string as JSON', () => reply(200, 'a'), 200, { 'content-type': 'application/json' }, '"a"'],
  ['JSON of a type', () => reply(200, [1], { 'content-type': 'application/ld+json' }), 200, { 'content-type': 'application/ld+json' }, '[1]'],
  ['text', () => reply(200, 'ä,b', CSV), 200, { 'content-type': 'text/csv', 'content-length': '4' }, 'ä,b'],
  ['empty text', () => reply(200, '', CSV), 200, { 'content-type': 'text/csv', 'content-length': '0' }, ''],
  ['bytes', () => reply(200, Buffer.from('ä')), 200, { 'content-type': 'application/octet-stream', 'content-length': '2' }, 'ä'],
  ['bytes of a type', () => reply(200, new Uint8Array([65]), CSV), 200, { 'content-type': 'text/csv', 'content-length': '1' }, 'A'],
  ['bytes with their length', () => reply(200, new Uint8Array([65]), { 'Content-Length': '1' }), 200, { 'content-length': '1' }, 'A'],
  ['a list', () => reply(200, 1, { 'Set-Cookie': ['a=1', 'b=2'] }), 200, { 'set-cookie': 'a=1, b=2' }, '1'],
  ['a stream', () => reply(200, Readable.from(['ä', Buffer.from('b')])), 200, { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' }, 'äb'],
  ['a stream with its length', () => reply(206, Readable.from(['ä']), { 'Content-Length': '2' }), 206, { 'content-length': '2', 'transfer-encoding': undefined }, 'ä'],
  ['a stream without a chunk', () => reply(200, Readable.from([])), 200, { 'transfer-encoding': 'chunked' }, ''],
] as readonly (readonly [string, () => Reply<unknown>, number, Record<string, string | undefined>, string])[]) {
  replied(`${why} -> ${status} of each operation, and the connection is kept`, async () => {
    await serve(declareReply(make), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      for (const [method, target, sent] of OPERATIONS) {
        for (let time = 0; time < 2; time += 1) {
          client.send(message(method, target, sent));
          const response = await client.response(method);
          assert.is(response.status, status);
          assert.is(decodeUtf8(response.body), body);
          for (const [name, value] of Object.entries(headers)) assert.is(response.headers.get(name), value, name);
          assert.is(response.headers.get('location'), headers['location']);
        }
      }
      client.destroy();
      assert.equal(errors, []);
    });
  });
}
replied('by a promise', async () => {
  await serve(declareReply(async () => reply(201, 'made')), async ({ port }) => {
    assert.is((await send(port, message('PUT', '/v1/thing/1', '1'))).body, '"made"');
  });
});
replied('with a pipelined request after it: both get their responses in order', async () => {
  let count = 0;
  await serve(declareReply(() => reply(200, Readable.from([`${(count += 1)}`]))), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/thing/1') + message('POST', '/v1/thing/make') + message('GET', '/v1/thing/1', '', ['Connection: close']));
    for (const body of ['1', '2', '3']) assert.is((await client.response()).body, body);
    assert.is(await client.closed(), '');
    client.destroy();
  });
});
replied.run();

const bodiless = suite('R8: a reply to HEAD');
for (const [why, make, headers] of [
  ['JSON', () => reply(200, [1]), { 'content-length': '3', 'content-type': 'application/json' }],
  ['bytes', () => reply(200, new Uint8Array(7), CSV), { 'content-length': '7', 'content-type': 'text/csv' }],
  ['a stream with its length', () => reply(200, Readable.from(['abc']), { 'Content-Length': '3' }), { 'content-length': '3' }],
  ['a stream', () => reply(200, Readable.from(['abc']), CSV), { 'content-type': 'text/csv', 'content-length': undefined }],
] as readonly (readonly [string, () => Reply<unknown>, Record<string, string | undefined>])[]) {
  bodiless(`${why}: the head of the response to GET, no body, and the connection is kept`, async () => {
    await serve(declareReply(make), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(message('HEAD', '/v1/thing/1') + message('HEAD', '/v1/thing/1', '', ['Connection: close']));
      for (let time = 0; time < 2; time += 1) {
        const response = await client.response('HEAD');
        for (const [name, value] of Object.entries(headers)) assert.is(response.headers.get(name), value, name);
      }
      assert.is(await client.closed(), '');
      client.destroy();
      assert.equal(errors, []);
    });
  });
}
bodiless.run();

const decoded = suite('O8: a reply with an output for its body');
for (const [why, give, status, body] of [
  ['a plain result', () => 1, 200, '"1 by 200"'],
  ['of its status', () => reply(200, 1), 200, '"1 by 200"'],
  ['of a different status', () => reply(201, 1), 201, '"1 by 201, later"'],
  ['of a status that it lacks', () => reply(202, 1), 500, ''],
  ['of a status that it lacks, as text', () => reply(202, '1', CSV), 500, ''],
  ['of a status that it lacks, without a body', () => reply(204), 500, ''],
  ['of a status that has none', () => reply(205), 205, ''],
  ['with a body, of a status that has none', () => reply(207, 1), 500, ''],
  ['a redirect that it lacks', () => reply(303, undefined, { Location: '/a' }), 303, ''],
  ['as text', () => reply(200, '1', CSV), 200, '1'],
  ['rejected', () => reply(203, 1), 500, ''],
  ['failing', () => reply(206, 1), 500, ''],
] as const) {
  decoded(`${why} -> ${status} ${body}`, async () => {
    const declare = (server: ApiServer): void => server.registerEndpoint('/thing', {
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
    });
    await serve(declare, async ({ port, errors }) => {
      const response = await send(port, message('GET', '/v1/thing/1'));
      assert.is(response.status, status);
      if (status !== 500) assert.is(response.body, body);
      assert.is(errors.length, status === 500 ? 1 : 0);
    });
  });
}
decoded.run();

const owned = suite('O15: a reply of an endpoint with a context');
for (const [why, make, method, expected] of [
  ['JSON', () => reply(200, 1), 'GET', 'private, no-cache'],
  ['a stream', () => reply(200, Readable.from(['a'])), 'GET', 'private, no-cache'],
  ['a stream, to HEAD', () => reply(200, Readable.from(['a'])), 'HEAD', 'private, no-cache'],
  ['its own Cache-Control', () => reply(200, 1, { 'cache-control': 'no-store' }), 'GET', 'no-store'],
  ['a stream with its own Cache-Control', () => reply(200, Readable.from(['a']), { 'Cache-Control': 'no-store' }), 'GET', 'no-store'],
] as readonly (readonly [string, () => Reply<unknown>, string, string])[]) {
  owned(`${why}: Cache-Control: ${expected}`, async () => {
    const declare = (server: ApiServer): void => server.registerEndpoint('/thing', { id: stringId, context: () => 'me', get: make });
    await serve(declare, async ({ port }) => {
      assert.is((await send(port, message(method, '/v1/thing/1'))).headers.get('cache-control'), expected);
    });
  });
}
owned.run();

const TAGGED = { ETag: 'W/"1"', 'Cache-Control': 'no-cache', 'Content-Type': 'application/json', 'Content-Language': 'en', 'Content-Location': '/a' };

const conditional = suite('R9 V18 V21: a reply with an ETag');
for (const [why, make, method, condition, status] of [
  ['the client has it', () => reply(200, [1], TAGGED), 'GET', 'If-None-Match: "1"', 304],
  ['in a list', () => reply(200, [1], TAGGED), 'GET', 'If-None-Match: "2", W/"1"', 304],
  ['in a second line', () => reply(200, [1], TAGGED), 'GET', 'If-None-Match: "2"\r\nif-none-match: "1"', 304],
  ['any', () => reply(200, [1], TAGGED), 'GET', 'If-None-Match: *', 304],
  ['as bytes', () => reply(200, Buffer.from('[1]'), TAGGED), 'GET', 'If-None-Match: "1"', 304],
  ['to HEAD', () => reply(200, [1], TAGGED), 'HEAD', 'If-None-Match: "1"', 304],
  ['as a 203', () => reply(203, [1], TAGGED), 'GET', 'If-None-Match: "1"', 304],
  ['another', () => reply(200, [1], TAGGED), 'GET', 'If-None-Match: "2"', 200],
  ['no condition', () => reply(200, [1], TAGGED), 'GET', 'If-Matches: "1"', 200],
  ['no ETag, and another', () => reply(200, [1]), 'GET', 'If-None-Match: "1"', 200],
  ['no success', () => reply(303, [1], TAGGED), 'GET', 'If-None-Match: "1"', 303],
  ['a different method', () => reply(200, [1], TAGGED), 'PUT', 'If-None-Match: "1"', 200],
] as readonly (readonly [string, () => Reply<unknown>, string, string, number])[]) {
  conditional(`${why} -> ${status}`, async () => {
    await serve(declareReply(make), async ({ port }) => {
      const { status: got, headers, body } = await send(port, message(method, '/v1/thing/1', method === 'PUT' ? '1' : '', [condition]));
      assert.is(got, status);
      assert.is(body, status === 304 || method === 'HEAD' ? '' : '[1]');
      if (status !== 304) return;
      assert.is(headers.get('etag'), 'W/"1"');
      assert.is(headers.get('cache-control'), 'no-cache');
      assert.is(headers.get('content-location'), '/a');
      for (const name of ['content-type', 'content-length', 'content-language', 'transfer-encoding']) assert.is(headers.get(name), undefined);
    });
  });
}
conditional('of a List -> 304', async () => {
  await serve((server) => server.registerEndpoint('/thing', { id: stringId, list: () => reply(200, [1], TAGGED) }), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing', '', ['If-None-Match: "1"']))).status, 304);
  });
});
conditional.run();

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
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/thing/1'));
      readProblem(await client.response());
      client.send(message('GET', '/v1/thing/1'));
      assert.is((await client.response()).body, '"good"');
      client.destroy();
      assert.is(errors.length, 1);
      assert.match(errors[0]?.message ?? '', text);
    });
  });
}
unsendable.run();

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
plain('one that cannot be closed: 500, and its failure ends nothing', async () => {
  const failing = { [Symbol.asyncIterator]: () => { throw new Error('no iterator'); } };
  await serve(declareReply(() => failing), async ({ port, errors }) => {
    readProblem(await send(port, message('GET', '/v1/thing/1')));
    assert.equal(errors.map((error) => error.message), [
      'GET /v1/thing/:id: Internal error: a stream can only be sent as the body of a reply: reply(200, stream)',
    ]);
  });
});
plain('an async iterable with a toJSON is sent as that', async () => {
  const list = { async *[Symbol.asyncIterator]() {}, toJSON: () => [1] };
  await serve(declareReply(() => list), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).body, '[1]');
  });
});
plain.run();

const options: ApiServerOptions = { stringify: (value) => `{"written":${JSON.stringify(value)}}` };

const written = suite('R11: stringify of the server');
for (const [why, give, method, target, sent, body] of [
  ['a plain result', () => [1], 'GET', '/v1/thing/1', '', '{"written":[1]}'],
  ['of a Custom', () => [1], 'POST', '/v1/thing/make', '', '{"written":[1]}'],
  ['a reply', () => reply(200, [1]), 'GET', '/v1/thing/1', '', '{"written":[1]}'],
  ['a reply of a Create', () => reply(200, [1]), 'POST', '/v1/thing', '1', '{"written":[1]}'],
  ['the id of a Create', () => 'id', 'POST', '/v1/thing', '1', 'id'],
  ['text', () => reply(200, 'a', CSV), 'GET', '/v1/thing/1', '', 'a'],
  ['bytes', () => reply(200, Buffer.from('a')), 'GET', '/v1/thing/1', '', 'a'],
] as const) {
  written(`${why} -> ${body}`, async () => {
    await serve(declareReply(give), async ({ port }) => {
      assert.is((await send(port, message(method, target, sent))).body, body);
    }, options);
  });
}
written("an operation's own comes first for plain results, and the server's writes replies", async () => {
  const declare = (server: ApiServer): void => server.registerEndpoint('/thing', defineEndpoint({
    id: stringId,
    get: { run: (id): unknown => (id === 'reply' ? reply(200, [1]) : [1]), stringify: () => 'own' },
  }));
  await serve(declare, async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).body, 'own');
    assert.is((await send(port, message('GET', '/v1/thing/reply'))).body, '{"written":[1]}');
  }, options);
});
for (const [why, stringify, text] of [
  ['throws', () => { throw new Error('not this'); }, 'not this'],
  ['gives undefined', () => undefined, 'stringify must return a string: it returned undefined'],
  ['gives a promise', async () => { throw new Error(); }, 'stringify must return a string: it returned a promise, which is not awaited'],
] as const) {
  for (const give of [() => 1, () => reply(200, 1)]) {
    written(`it ${why} -> 500, logged`, async () => {
      await serve(declareReply(give), async ({ port, errors }) => {
        readProblem(await send(port, message('GET', '/v1/thing/1')));
        assert.is(errors[0]?.message, `GET /v1/thing/:id: Internal error: ${text}`);
      }, { stringify: stringify as () => string });
    });
  }
}
written.run();
