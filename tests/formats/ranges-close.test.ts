/** F11: `close` of `ranges` is called exactly once, however its response ends; `read` can be asynchronous. */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ranges } from '../../src/formats/index.ts';
import { ApiError, bytes, defineEndpoint, reply, stringId, type ApiServer, type Interceptor } from '../../src/index.ts';
import { SOURCE_KINDS, StreamSource } from '../support/declare-stream.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { assert, delay, Gate, message, RawClient, serve, suite, waitUntil } from '../support/facts.ts';

const BYTES = Buffer.from('0123456789');
const HEADERS = { ETag: '"a"' };
const never = new Promise<never>(() => {});

type Read = Parameters<typeof ranges>[0]['read'];

const part: Read = (from, to) => BYTES.subarray(from, to + 1);
const readLater: Read = async (from, to) => (await delay(1), BYTES.subarray(from, to + 1));

/** Declares `GET /film/:id`, whose body counts its calls of `close`. */
class Film {
  closed = 0;
  reads = 0;
  readonly #read: Read;
  readonly #properties: object;
  readonly #size: number;

  constructor(read: Read, properties: object = {}, size = 10) {
    this.#read = read;
    this.#properties = properties;
    this.#size = size;
  }

  body(): ReturnType<typeof ranges> {
    const read: Read = (from, to) => {
      this.reads += 1;
      return this.#read(from, to);
    };
    return ranges({ size: this.#size, read, close: () => void (this.closed += 1) });
  }

  readonly declare = (server: ApiServer): void => {
    server.registerEndpoint('/film', defineEndpoint({ id: stringId, get: () => reply(200, this.body(), HEADERS), ...this.#properties }));
  };
}

const get = (...headers: string[]): string => message('GET', '/v1/film/1', '', headers);
const encoding: Interceptor = { around: async (call, run) => call.encode(await run()) };

const once = suite('close of ranges');
for (const { why, sent = get(), read = part, properties = {}, size = 10, status, reads, logged = 0 } of [
  { why: 'the whole', status: 200, reads: 1 },
  { why: 'a part', sent: get('Range: bytes=2-4'), status: 206, reads: 1 },
  { why: 'an async read', read: readLater, status: 200, reads: 1 },
  { why: 'an async read of a part', sent: get('Range: bytes=2-4'), read: readLater, status: 206, reads: 1 },
  { why: 'HEAD', sent: message('HEAD', '/v1/film/1'), status: 200, reads: 0 },
  { why: 'HEAD of a part', sent: message('HEAD', '/v1/film/1', '', ['Range: bytes=2-4']), status: 200, reads: 0 },
  { why: 'If-None-Match', sent: get('If-None-Match: "a"'), status: 304, reads: 0 },
  { why: 'If-None-Match of a HEAD', sent: message('HEAD', '/v1/film/1', '', ['If-None-Match: "a"']), status: 304, reads: 0 },
  { why: 'If-Match', sent: get('If-Match: "b"'), status: 412, reads: 0 },
  { why: 'a range after the end', sent: get('Range: bytes=10-'), status: 416, reads: 0 },
  { why: 'no bytes', size: 0, status: 200, reads: 0 },
  { why: 'a read that throws', read: () => { throw new Error('lost'); }, status: 500, reads: 1, logged: 1 },
  { why: 'a read that rejects', read: async () => { throw new Error('lost'); }, status: 500, reads: 1, logged: 1 },
  { why: 'a read that rejects with an ApiError', read: async () => { throw ApiError.status(410, 'Gone.'); }, status: 410, reads: 1 },
  { why: 'a read of too many bytes', sent: get('Range: bytes=2-4'), read: async () => BYTES, status: 500, reads: 1, logged: 1 },
  { why: 'a status that output does not declare', properties: { get: { output: { 201: bytes() }, run: undefined } }, status: 500, reads: 0, logged: 1 },
  { why: 'an interceptor that encodes it', properties: { use: encoding }, status: 200, reads: 1 },
  { why: 'an If-Match of DELETE, which asks get for the version',
    sent: message('DELETE', '/v1/film/1', '', ['If-Match: *']), properties: { delete: () => {} }, status: 204, reads: 0 },
] as { why: string; sent?: string; read?: Read; properties?: Record<string, any>; size?: number; status: number; reads: number; logged?: number }[]) {
  once(`${why} -> ${status}: called once`, async () => {
    const film = new Film(read, properties, size);
    if (properties['get'] !== undefined) properties['get'].run = () => reply(200, film.body(), HEADERS);
    await serve(film.declare, async ({ port, errors }) => {
      const client = await RawClient.send(port, sent);
      const response = await client.response(sent.slice(0, sent.indexOf(' ')));
      assert.is(response.status, status);
      if (response.status === 200 && reads > 0) assert.is(response.body, '0123456789');
      if (response.status === 206) assert.is(response.body, '234');
      await waitUntil(() => film.closed > 0, 'close');
      client.destroy();
      assert.equal([film.reads, errors.length], [reads, logged]);
    });
    assert.is(film.closed, 1);
  });
}
for (const kind of SOURCE_KINDS) {
  once(`a client that leaves in the middle of a stream (${kind}): called once, and the stream is closed`, async () => {
    const source = new StreamSource('x'.repeat(1000));
    const film = new Film(async () => source[kind]() as AsyncIterable<string>, {}, 2 ** 40);
    await serve(film.declare, async ({ port }) => {
      const client = await RawClient.send(port, get('Range: bytes=5-'));
      await client.receives('xxx');
      assert.is(film.closed, 0);
      client.destroy();
      await waitUntil(() => film.closed === 1 && source.closed === 1, 'closed');
    });
    assert.equal([film.closed, source.closed], [1, 1]);
  });
}
for (const [what, late] of [
  ['a stream', () => new StreamSource().readable()],
  ['a stream that fails as it is closed',
    () => new StreamSource().readable().on('close', function (this: NodeJS.EventEmitter) { this.emit('error', new Error('closed')); })],
  ['bytes', () => BYTES],
] as const) {
  once(`a client that leaves while read is waited for, which then gives ${what}: called once, at once`, async () => {
    const gate = new Gate();
    const given: unknown[] = [];
    const film = new Film(async () => {
      await gate.passed;
      given.push(late());
      return given[0] as Uint8Array;
    });
    await serve(film.declare, async ({ port }) => {
      const client = await RawClient.send(port, get());
      await waitUntil(() => film.reads === 1, 'read');
      client.destroy();
      await waitUntil(() => film.closed === 1, 'close');
      gate.open();
      await waitUntil(() => given.length === 1, 'the late part');
      await waitUntil(() => Buffer.isBuffer(given[0]) || (given[0] as { destroyed: boolean }).destroyed, 'the late part to be closed');
    });
    assert.is(film.closed, 1);
  });
}
once('an operation that gives it after its deadline: called once', async () => {
  const gate = new Gate();
  const film = new Film(part, { get: async () => (await gate.passed, reply(200, film.body(), HEADERS)) });
  await serve(film.declare, async ({ port, errors }) => {
    const client = await RawClient.send(port, get());
    assert.is((await client.response()).status, 503);
    gate.open();
    await waitUntil(() => film.closed === 1, 'close');
    client.destroy();
    assert.equal([film.reads, errors.length], [0, 1]);
  }, { limits: { operationMs: 20 } });
  assert.is(film.closed, 1);
});
for (const [how, close] of [['throws', () => { throw new Error('not closed'); }], ['rejects', async () => { throw new Error('not closed'); }]] as const) {
  once(`that ${how}: the response is whole, the connection stays, and the failure is logged`, () => serve((server) => server.registerEndpoint('/film', defineEndpoint({
    id: stringId, get: () => reply(200, ranges({ size: 10, read: part, close }), HEADERS),
  })), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    for (const [headers, status] of [[[], 200], [['If-None-Match: "a"'], 304], [['Range: bytes=99-'], 416], [['Range: bytes=2-4'], 206]] as const) {
      client.send(get(...headers));
      assert.is((await client.response()).status, status);
    }
    await waitUntil(() => errors.length === 4, 'four lines');
    assert.match(errors[0]?.message ?? '', 'not closed');
    client.destroy();
  }));
}
once('that never settles: the next response is not delayed', () => serve((server) => server.registerEndpoint('/film', defineEndpoint({
  id: stringId, get: () => reply(200, ranges({ size: 10, read: part, close: () => never }), HEADERS),
})), async ({ port }) => {
  const client = await RawClient.send(port, get() + get());
  for (let count = 0; count < 2; count += 1) assert.is((await client.response()).body, '0123456789');
  client.destroy();
}));
once('of a body that is given twice: called once', async () => {
  const film = new Film(part);
  const body = film.body();
  await serve((server) => server.registerEndpoint('/film', defineEndpoint({ id: stringId, get: () => reply(200, body, HEADERS) })), async ({ port }) => {
    const client = await RawClient.send(port, get() + get());
    for (let count = 0; count < 2; count += 1) assert.is((await client.response()).status, 200);
  });
  assert.is(film.closed, 1);
});
once('of an open file: the file is closed after each response', () => withTemporaryFolder(async (folder) => {
  const name = join(folder, 'film');
  await writeFile(name, BYTES);
  const files: { readonly fd: number }[] = [];
  const run = async () => {
    const file = await open(name);
    files.push(file);
    const { size } = await file.stat();
    return reply(200, ranges({ size, read: (start, end) => file.createReadStream({ start, end }), close: () => file.close() }), HEADERS);
  };
  await serve((server) => server.registerEndpoint('/film', defineEndpoint({ id: stringId, get: run })), async ({ port }) => {
    const client = await RawClient.connect(port);
    for (const [sent, status] of [
      [get(), 200], [get('Range: bytes=2-4'), 206], [message('HEAD', '/v1/film/1'), 200], [get('If-None-Match: "a"'), 304], [get('Range: bytes=99-'), 416],
    ] as const) {
      client.send(sent);
      assert.is((await client.response(sent.slice(0, sent.indexOf(' ')))).status, status);
    }
    client.destroy();
    await waitUntil(() => files.length === 5 && files.every(({ fd }) => fd === -1), 'all files to be closed');
  });
}));
