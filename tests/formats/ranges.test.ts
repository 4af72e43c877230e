/** Parts of a body, over the wire. */
import { writeFile } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { ranges } from '../../src/formats/index.ts';
import { bytes, defineEndpoint, defineFormat, reply, stringId, type ApiServer, type ResponseHeaders } from '../../src/index.ts';
import { StreamSource } from '../support/declare-stream.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { assert, facts, message, RawClient, rejections, send, serve, suite, waitUntil } from '../support/facts.ts';

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

const PART = 'GET /v1/film/1\nRange: bytes=2-4';

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

const parts = suite('F11: a GET of ranges');
const WHOLE = '200 video/mp4 0123456789 | Accept-Ranges: bytes | Cache-Control: no-transform | ETag: "a"';
for (const [lines, response, why] of [
  ['', WHOLE, 'without Range'],
  ['\nRange: bytes=2-4', '206 video/mp4 234 | Accept-Ranges: bytes | Cache-Control: no-transform | Content-Range: bytes 2-4/10 | ETag: "a"', 'a part'],
  ['\nRange: bytes=0-0', '206 video/mp4 0 | Accept-Ranges: bytes | Cache-Control: no-transform | Content-Range: bytes 0-0/10 | ETag: "a"', 'the first byte'],
  ['\nRange: bytes=-3', '206 video/mp4 789 | Accept-Ranges: bytes | Cache-Control: no-transform | Content-Range: bytes 7-9/10 | ETag: "a"', 'the end'],
  ['\nRange: bytes=0-', '206 video/mp4 0123456789 | Accept-Ranges: bytes | Cache-Control: no-transform | Content-Range: bytes 0-9/10 | ETag: "a"', 'all of it'],
  ['\nRange: bytes=5-999',
    '206 video/mp4 56789 | Accept-Ranges: bytes | Cache-Control: no-transform | Content-Range: bytes 5-9/10 | ETag: "a"', 'more than there is'],
  ['\nRange: bytes=0-1,4-5', WHOLE, 'several'],
  ['\nRange: lines=0-1', WHOLE, 'another unit'],
  ['\nRange: bytes=2-4\nIf-Range: "a"', '206 234 | Accept-Ranges: bytes | Cache-Control: no-transform | Content-Range: bytes 2-4/10 | ETag: "a"',
    'the same representation: without its Content-Type'],
  ['\nRange: bytes=2-4\nIf-Range: "b"', WHOLE, 'another representation'],
  ['\nRange: bytes=2-4\nIf-Range: W/"a"', WHOLE, 'a weak tag'],
] as const) {
  const reads: string[] = [];
  facts(parts, film(reads), [[why, `GET /v1/film/1${lines}`, response]], { after: () => assert.is(reads.length, 1) });
}
facts(parts, film([], { ETag: '"a"' }), [
  ['of a client that has a part already: without the Content-Type of the default', 'GET /v1/film/1\nRange: bytes=2-4\nIf-Range: "a"',
    '206 234 | Accept-Ranges: bytes | Cache-Control: no-transform | Content-Range: bytes 2-4/10 | ETag: "a"'],
]);
for (const [fact, properties] of [
  ['of a format of the user', { output: defineFormat({ types: ['video/mp4'], encode: (bytes: Buffer) => rangesOf(bytes) }), run: () => BYTES }],
  ['of bytes(), as a reply', { output: { 200: bytes({ types: ['video/mp4'] }) }, run: () => reply(200, rangesOf(BYTES), { 'Content-Type': 'video/mp4' }) }],
  ['of bytes(), as a plain result', { output: { 200: bytes({ types: ['video/mp4'] }) }, run: () => rangesOf(BYTES) }],
] as const) {
  facts(parts, (server) => server.registerEndpoint('/film', { get: properties }), [[`${fact}: with its type`, 'GET /v1/film\nRange: bytes=2-4', '206 video/mp4 234 | Accept-Ranges: bytes | Cache-Control: no-transform | Content-Range: bytes 2-4/10']]);
}
const unread: string[] = [];
facts(parts, film(unread), [
  ['after the end', 'GET /v1/film/1\nRange: bytes=10-',
    '416 The range begins after the end: there are 10 bytes. | Accept-Ranges: bytes | Content-Range: bytes */10'],
  ['the last byte of none', 'GET /v1/film/1\nRange: bytes=-0',
    '416 The range begins after the end: there are 10 bytes. | Accept-Ranges: bytes | Content-Range: bytes */10'],
  ['a part of nothing', 'GET /v1/film/empty\nRange: bytes=0-',
    '416 The range begins after the end: there are 0 bytes. | Accept-Ranges: bytes | Content-Range: bytes */0'],
  ['If-None-Match comes before Range', 'GET /v1/film/1\nRange: bytes=2-4\nIf-None-Match: "a"',
    '304 | Accept-Ranges: bytes | Cache-Control: no-transform | ETag: "a"'],
  ['HEAD is as without Range', ['HEAD /v1/film/1', 'HEAD /v1/film/1\nRange: bytes=2-4', 'HEAD /v1/film/1\nRange: bytes=99-'], ['200 length 10 | Accept-Ranges: bytes | Cache-Control: no-transform | ETag: "a"', '200 length 10 | Accept-Ranges: bytes | Cache-Control: no-transform | ETag: "a"', '200 length 10 | Accept-Ranges: bytes | Cache-Control: no-transform | ETag: "a"']],
  ['of nothing: no byte', 'GET /v1/film/empty\nRange: bytes=-5', '200 video/mp4  | Accept-Ranges: bytes | Cache-Control: no-transform | ETag: "a"'],
], { after: () => assert.equal(unread, []) });
for (const [given, context, expected] of [
  ['max-age=60', false, 'max-age=60, no-transform'],
  ['max-age=60, no-transform', false, 'max-age=60, no-transform'],
  ['x-no-transformer', false, 'x-no-transformer, no-transform'],
  [undefined, true, 'private, no-cache, no-transform'],
  ['public', true, 'public, no-transform'],
] as const) {
  const headers = { ...HEADERS, ...(given !== undefined && { 'Cache-Control': given }) };
  facts(parts, film([], headers, context ? { context: () => 'ann' } : {}), [
    [`Cache-Control ${given ?? 'none'}${context ? ' with a context' : ''}`, PART,
      `206 video/mp4 234 | Accept-Ranges: bytes | Cache-Control: ${expected} | Content-Range: bytes 2-4/10 | ETag: "a"`],
  ]);
}
facts(parts, (server) => {
  server.use((_request, response, next) => {
    response.setHeader('Cache-Control', 'max-age=5');
    next();
  });
  film([])(server);
}, [['Cache-Control of middleware stays, with no-transform', PART, '206 video/mp4 234 | Accept-Ranges: bytes | Cache-Control: max-age=5, no-transform | Content-Range: bytes 2-4/10 | ETag: "a"']]);
const give = (status: 200 | 203) => () => reply(status, ranges({ size: 10, read: () => BYTES }), HEADERS);
facts(parts, (server) => server.registerEndpoint('/film', defineEndpoint({ id: stringId, get: give(203), custom: { find: { run: give(200) } } })), [
  ['a different status, or a POST, has no parts', [PART, 'POST /v1/film/find\nRange: bytes=2-4'], ['203 video/mp4 0123456789 | Accept-Ranges: bytes | Cache-Control: no-transform | ETag: "a"', '200 video/mp4 0123456789 | Accept-Ranges: bytes | Cache-Control: no-transform | ETag: "a"']],
]);
parts('of a file: Node streams, with their ends in the range', () => withTemporaryFolder(async (folder) => {
  const file = join(folder, 'film');
  await writeFile(file, BYTES);
  await serve((server) => server.registerEndpoint('/film', defineEndpoint({
    id: stringId, get: () => reply(200, ranges({ size: 10, read: (start, end) => createReadStream(file, { start, end }) })),
  })), async ({ port }) => {
    const { status, body, headers } = await send(port, message('GET', '/v1/film/1', '', ['Range: bytes=3-5']));
    assert.equal([status, body, headers.get('content-type')], [206, '345', 'application/octet-stream']);
  });
}));
parts('a part that is closed when the client leaves', async () => {
  const source = new StreamSource('x'.repeat(1000));
  await serve((server) => server.registerEndpoint('/film', defineEndpoint({
    id: stringId, get: () => reply(200, ranges({ size: 2 ** 40, read: () => source.readable() })),
  })), async ({ port }) => {
    const client = await RawClient.send(port, message('GET', '/v1/film/1', '', ['Range: bytes=5-']));
    await client.receives('xxx');
    assert.is(source.closed, 0);
    client.destroy();
    await waitUntil(() => source.closed === 1, 'closed');
  });
});
facts(parts, (server) => server.registerEndpoint('/film', defineEndpoint({ id: stringId, get: () => reply(200, ranges({ size: 10, read: () => BYTES })) })), [
  ['read that gives another number of bytes', 'GET /v1/film/1\nRange: bytes=3-5', '500', /a stream had 10 bytes, but its Content-Length is 3/],
]);

const options = suite('ranges');
for (const [given, text] of [
  [{ size: -1, read: () => BYTES }, 'options.size must be a whole number from 0 to 9007199254740991: -1'],
  [{ size: 1 }, 'options.read is required'],
  [{ size: 1, read: 1 }, 'options.read must be a function: number'],
  [{ size: 1, read: () => BYTES, close: BYTES }, 'options.close must be a function: object'],
  [{ size: 1, read: () => BYTES, length: 1 }, 'unknown option options.length: it can be one of size, read, close'],
] as const) {
  rejections(options, [[JSON.stringify(given), () => ranges(given as never), text]]);
}
options('a Content-Length of the user is rejected: it is the part\'s', () => {
  assert.throws(() => reply(200, ranges({ size: 1, read: () => BYTES }), { 'Content-Length': '1' }), /header Content-Length cannot be set/);
});
