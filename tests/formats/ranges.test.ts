/** Parts of a body, over the wire. */
import { writeFile } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ranges } from '../../src/formats/index.ts';
import { bytes, defineEndpoint, defineFormat, reply, stringId, type ApiServer, type ResponseHeaders } from '../../src/index.ts';
import { waitUntil } from '../support/wait.ts';
import { message, readProblem } from '../support/messages.ts';
import { RawClient, send } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { StreamSource } from '../support/declare-stream.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';

const BYTES = Buffer.from('0123456789');
const HEADERS = { ETag: '"a"', 'Content-Type': 'video/mp4' };

function film(reads: string[], headers: ResponseHeaders = HEADERS, properties: object = {}): (server: ApiServer) => void {
  const read = (from: number, to: number): Uint8Array => {
    reads.push(`${from}-${to}`);
    return BYTES.subarray(from, to + 1);
  };
  return (server) => server.registerEndpoint('/film', defineEndpoint({
    id: stringId,
    get: (id) => reply(200, ranges({ size: id === 'empty' ? 0 : 10, read }), headers),
    ...properties,
  }));
}

function rangesOf(bytes: Buffer): ReturnType<typeof ranges> {
  return ranges({ size: bytes.length, read: (from, to) => bytes.subarray(from, to + 1) });
}

const unmet = suite('V21: a 304 of ranges');
for (const [why, given, properties, expected] of [
  ['without Cache-Control', {}, {}, 'no-transform'],
  ['with its Cache-Control', { 'Cache-Control': 'max-age=60' }, {}, 'max-age=60, no-transform'],
  ['of an endpoint with a context', {}, { context: () => 'ann' }, 'private, no-cache, no-transform'],
] as const) {
  unmet(`${why}: it has every header of RFC 9110 section 15.4.5 that the 200 and the 206 have`, async () => {
    const reads: string[] = [];
    const headers = { ...HEADERS, ...given, Vary: 'Accept', 'Content-Location': '/film/1', Expires: 'Sun, 06 Nov 1994 08:49:37 GMT' };
    await serve(film(reads, headers, properties), async ({ port }) => {
      const responses = [];
      for (const lines of [[], ['Range: bytes=2-4'], ['If-None-Match: "a"'], ['If-None-Match: "a"', 'Range: bytes=2-4']]) {
        responses.push(await send(port, message('GET', '/v1/film/1', '', lines)));
      }
      assert.equal(responses.map(({ status }) => status), [200, 206, 304, 304]);
      for (const response of responses) {
        const names = ['cache-control', 'content-location', 'etag', 'expires', 'vary'];
        assert.equal(names.map((name) => response.headers.get(name)), [expected, '/film/1', '"a"', headers.Expires, 'Accept']);
        assert.ok(response.headers.has('date'));
        if (response.status === 304) assert.equal([response.body, response.headers.get('content-type'), response.headers.get('content-length')], ['', undefined, undefined]);
      }
      assert.is(reads.length, 2);
    });
  });
}
unmet.run();

const parts = suite('F11: a GET of ranges');
for (const [allHeaders, status, body, contentRange, why] of [
  [[], 200, '0123456789', undefined, 'without Range'],
  [['Range: bytes=2-4'], 206, '234', 'bytes 2-4/10', 'a part'],
  [['Range: bytes=0-0'], 206, '0', 'bytes 0-0/10', 'the first byte'],
  [['Range: bytes=-3'], 206, '789', 'bytes 7-9/10', 'the end'],
  [['Range: bytes=0-'], 206, '0123456789', 'bytes 0-9/10', 'all of it'],
  [['Range: bytes=5-999'], 206, '56789', 'bytes 5-9/10', 'more than there is'],
  [['Range: bytes=0-1,4-5'], 200, '0123456789', undefined, 'several'],
  [['Range: lines=0-1'], 200, '0123456789', undefined, 'another unit'],
  [['Range: bytes=2-4', 'If-Range: "a"'], 206, '234', 'bytes 2-4/10', 'the same representation'],
  [['Range: bytes=2-4', 'If-Range: "b"'], 200, '0123456789', undefined, 'another representation'],
  [['Range: bytes=2-4', 'If-Range: W/"a"'], 200, '0123456789', undefined, 'a weak tag'],
] as const) {
  parts(`${allHeaders.join(', ') || 'plain'}: ${why} -> ${status}`, async () => {
    const reads: string[] = [];
    await serve(film(reads), async ({ port }) => {
      const { headers, ...response } = await send(port, message('GET', '/v1/film/1', '', allHeaders));
      const isResumed = status === 206 && allHeaders.length === 2;
      assert.equal([response.status, response.body, headers.get('content-range')], [status, body, contentRange]);
      assert.is(headers.get('content-length'), String(body.length));
      assert.equal([headers.get('accept-ranges'), headers.get('etag'), headers.get('content-type')], ['bytes', '"a"', isResumed ? undefined : 'video/mp4']);
      assert.is(headers.get('cache-control'), 'no-transform');
      assert.is(reads.length, 1);
    });
  });
}
for (const [what, headers] of [['the reply', HEADERS], ['the default', { ETag: '"a"' }]] as const) {
  parts(`of a client that has a part already -> 206 without the Content-Type of ${what}`, async () => {
    await serve(film([], headers), async ({ port }) => {
      const part = await send(port, message('GET', '/v1/film/1', '', ['Range: bytes=2-4', 'If-Range: "a"']));
      assert.equal([part.status, part.headers.get('content-type'), part.headers.get('etag'), part.body], [206, undefined, '"a"', '234']);
    });
  });
}
for (const [fact, properties] of [
  ['of a format of the user', { output: defineFormat({ types: ['video/mp4'], encode: (bytes: Buffer) => rangesOf(bytes) }), run: () => BYTES }],
  ['of bytes(), as a reply', { output: { 200: bytes({ types: ['video/mp4'] }) }, run: () => reply(200, rangesOf(BYTES), { 'Content-Type': 'video/mp4' }) }],
  ['of bytes(), as a plain result', { output: { 200: bytes({ types: ['video/mp4'] }) }, run: () => rangesOf(BYTES) }],
] as const) {
  parts(`${fact} -> 206 with its type`, () => serve((server) => server.registerEndpoint('/film', { get: properties }), async ({ port }) => {
    const { status, headers, body } = await send(port, message('GET', '/v1/film', '', ['Range: bytes=2-4']));
    assert.equal([status, headers.get('content-type'), headers.get('content-range'), body], [206, 'video/mp4', 'bytes 2-4/10', '234']);
  }));
}
for (const [path, range, size] of [['1', 'bytes=10-', 10], ['1', 'bytes=-0', 10], ['empty', 'bytes=0-', 0]] as const) {
  parts(`${range} of ${size} bytes -> 416 with the size, and nothing is read`, async () => {
    const reads: string[] = [];
    await serve(film(reads), async ({ port }) => {
      const response = await send(port, message('GET', `/v1/film/${path}`, '', [`Range: ${range}`]));
      const { status, detail = '' } = readProblem(response);
      assert.is(status, 416);
      assert.match(detail, `there are ${size} bytes.`);
      if (range === 'bytes=10-') assert.is(detail, 'The range begins after the end: there are 10 bytes.');
      assert.is(response.headers.get('content-range'), `bytes */${size}`);
      assert.equal(reads, []);
    });
  });
}
parts('If-None-Match comes before Range: 304', async () => {
  await serve(film([]), async ({ port }) => {
    const { status, body } = await send(port, message('GET', '/v1/film/1', '', ['Range: bytes=2-4', 'If-None-Match: "a"']));
    assert.equal([status, body], [304, '']);
  });
});
parts('HEAD is as without Range, and nothing is read', async () => {
  const reads: string[] = [];
  await serve(film(reads), async ({ port }) => {
    for (const allHeaders of [[], ['Range: bytes=2-4'], ['Range: bytes=99-']]) {
      const { status, headers } = await send(port, message('HEAD', '/v1/film/1', '', allHeaders));
      assert.equal([status, headers.get('content-length'), headers.get('accept-ranges')], [200, '10', 'bytes']);
    }
    assert.equal(reads, []);
  });
});
parts('of nothing: 200 and no byte', async () => {
  await serve(film([]), async ({ port }) => {
    const { status, headers } = await send(port, message('GET', '/v1/film/empty', '', ['Range: bytes=-5']));
    assert.equal([status, headers.get('content-length')], [200, '0']);
  });
});
for (const [given, context, expected] of [
  ['max-age=60', false, 'max-age=60, no-transform'],
  ['max-age=60, no-transform', false, 'max-age=60, no-transform'],
  ['x-no-transformer', false, 'x-no-transformer, no-transform'],
  [undefined, true, 'private, no-cache, no-transform'],
  ['public', true, 'public, no-transform'],
] as const) {
  parts(`Cache-Control ${given ?? 'none'}${context ? ' with a context' : ''} -> ${expected}`, async () => {
    const properties = context ? { context: () => 'ann' } : {};
    await serve(film([], { ...HEADERS, ...(given !== undefined && { 'Cache-Control': given }) }, properties), async ({ port }) => {
      assert.is((await send(port, message('GET', '/v1/film/1', '', ['Range: bytes=2-4']))).headers.get('cache-control'), expected);
    });
  });
}
parts('Cache-Control of middleware stays, with no-transform', async () => {
  await serve((server) => {
    server.use((_request, response, next) => {
      response.setHeader('Cache-Control', 'max-age=5');
      next();
    });
    film([])(server);
  }, async ({ port }) => {
    const { headers, status } = await send(port, message('GET', '/v1/film/1', '', ['Range: bytes=2-4']));
    assert.equal([status, headers.get('cache-control')], [206, 'max-age=5, no-transform']);
  });
});
parts('a different status, or a POST, has no parts', async () => {
  const give = (status: 200 | 203) => () => reply(status, ranges({ size: 10, read: () => BYTES }), HEADERS);
  await serve((server) => {
    server.registerEndpoint('/film', defineEndpoint({ id: stringId, get: give(203), custom: { find: { run: give(200) } } }));
  }, async ({ port }) => {
    const get = await send(port, message('GET', '/v1/film/1', '', ['Range: bytes=2-4']));
    assert.equal([get.status, get.body], [203, '0123456789']);
    const post = await send(port, message('POST', '/v1/film/find', '', ['Range: bytes=2-4']));
    assert.equal([post.status, post.body], [200, '0123456789']);
  });
});
parts('of a file: Node streams, with their ends in the range', async () => {
  await withTemporaryFolder(async (folder) => {
    const file = join(folder, 'film');
    await writeFile(file, BYTES);
    await serve((server) => server.registerEndpoint('/film', defineEndpoint({
      id: stringId, get: () => reply(200, ranges({ size: 10, read: (start, end) => createReadStream(file, { start, end }) })),
    })), async ({ port }) => {
      const { status, body, headers } = await send(port, message('GET', '/v1/film/1', '', ['Range: bytes=3-5']));
      assert.equal([status, body, headers.get('content-type')], [206, '345', 'application/octet-stream']);
    });
  });
});
parts('a part that is closed when the client leaves', async () => {
  const source = new StreamSource('x'.repeat(1000));
  await serve((server) => server.registerEndpoint('/film', defineEndpoint({
    id: stringId, get: () => reply(200, ranges({ size: 2 ** 40, read: () => source.readable() })),
  })), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/film/1', '', ['Range: bytes=5-']));
    await client.receives('xxx');
    assert.is(source.closed, 0);
    client.destroy();
    await waitUntil(() => source.closed === 1, 'closed');
  });
});
parts('read that gives another number of bytes: 500, logged', async () => {
  await serve((server) => server.registerEndpoint('/film', defineEndpoint({
    id: stringId, get: () => reply(200, ranges({ size: 10, read: () => BYTES })),
  })), async ({ port, errors }) => {
    assert.is((await send(port, message('GET', '/v1/film/1', '', ['Range: bytes=3-5']))).status, 500);
    assert.match(errors[0]?.message ?? '', /a stream had 10 bytes, but its Content-Length is 3/);
  });
});
parts.run();

const options = suite('ranges');
for (const [given, text] of [
  [{ size: -1, read: () => BYTES }, 'options.size must be a whole number from 0 to 9007199254740991: -1'],
  [{ size: 1 }, 'options.read is required'],
  [{ size: 1, read: 1 }, 'options.read must be a function: number'],
  [{ size: 1, read: () => BYTES, close: BYTES }, 'options.close must be a function: object'],
  [{ size: 1, read: () => BYTES, length: 1 }, 'unknown option options.length: it can be one of size, read, close'],
] as const) {
  options(`TypeError: ${text}`, () => {
    assert.throws(() => ranges(given as never), (thrown: unknown) => thrown instanceof TypeError && thrown.message === text);
  });
}
options('a Content-Length of the user is rejected: it is the part\'s', () => {
  assert.throws(() => reply(200, ranges({ size: 1, read: () => BYTES }), { 'Content-Length': '1' }), /header Content-Length cannot be set/);
});
options.run();
