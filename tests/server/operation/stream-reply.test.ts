/** Streams as the body of a reply: the sent bytes, and the handling of streams that fail. */
import { Readable, Transform } from 'node:stream';
import { gunzipSync, createGzip } from 'node:zlib';
import { ApiError } from '../../../src/index.ts';
import { declareStream } from '../../support/declare-stream.ts';
import { captureUnhandled } from '../../support/capture-unhandled.ts';
import { assert, decodeUtf8, Gate, message, RawClient, send, sendUntilClosed, serve, suite, waitUntil } from '../../support/facts.ts';

const GET = message('GET', '/v1/stream/1');
const GOOD = message('GET', '/v1/good/1');

/** An iterable whose `next` is this. */
function iterable(next: () => unknown, others: object = {}): unknown {
  return { [Symbol.asyncIterator]: () => ({ next, ...others }) };
}

/** A `next` that returns these results, one after the other. */
function returnInTurn(...results: unknown[]): () => unknown {
  return () => results.shift();
}

const DONE = { done: true, value: undefined };
const raise = (thrown: unknown): never => { throw thrown; };

const sent = suite('R3 R12: a stream that is sent');
for (const [why, make, body] of [
  ['a generator', () => (async function* () { yield 'a'; yield Buffer.from('b'); })(), 'ab'],
  ['a generator that ends with a value', () => (async function* () { yield 'a'; return 'b'; })(), 'a'],
  ['a generator of text and of empty chunks', () => (async function* () { yield ''; yield 'ä'; yield new Uint8Array(0); yield '€'; })(), 'ä€'],
  ['a Readable', () => Readable.from([Buffer.from('a'), Buffer.from('b')]), 'ab'],
  ['a Readable of bytes', () => Readable.from([Buffer.from('ä')], { objectMode: false }), 'ä'],
  ['a Readable with an encoding', () => Readable.from([Buffer.from('ä')], { objectMode: false }).setEncoding('utf8'), 'ä'],
  ['a Transform', () => Readable.from(['a', 'b']).pipe(new Transform({ transform: (chunk, _, done) => done(null, `${chunk}!`) })), 'a!b!'],
  ['a web stream', () => new Blob(['a', 'ä']).stream(), 'aä'],
  ['a web stream of strings', () => ReadableStream.from(['a', 'b']), 'ab'],
  ['the body of a fetch', () => new Response('fetched').body, 'fetched'],
  ['an iterable that promises nothing', () => iterable(returnInTurn({ value: 'a' }, { done: false, value: 'b' }, DONE)), 'ab'],
  ['an iterable that gives thenables', () => iterable(returnInTurn({ then: (then: (step: object) => void) => then({ value: 'a' }) }, DONE)), 'a'],
  ['an iterable that ends twice', () => iterable(returnInTurn({ value: 'a' }, DONE, DONE)), 'a'],
] as readonly (readonly [string, () => unknown, string])[]) {
  sent(`${why} -> ${body}, and the connection is kept`, () => serve(declareStream(make), async ({ port, errors }) => {
    const client = await RawClient.send(port, GET + GOOD);
    assert.is(decodeUtf8((await client.response()).body), body);
    assert.is((await client.response()).body, '"1"');
    client.destroy();
    assert.equal(errors, []);
  }));
}
sent('through gzip: the bytes as they are', async () => {
  const text = 'ant '.repeat(100_000);
  await serve(declareStream(() => Readable.from([text]).pipe(createGzip())), async ({ port }) => {
    const { body } = await send(port, GET);
    assert.is(gunzipSync(Buffer.from(body, 'latin1')).toString(), text);
  });
});
sent('to a client of HTTP/1.0: without chunks, and to the end of the connection', () => serve(declareStream(() => Readable.from(['a', 'b'])), async ({ port }) => {
  const received = await sendUntilClosed(port, GET.replace('HTTP/1.1', 'HTTP/1.0'));
  assert.match(received, /\r\n\r\nab$/);
  assert.not.match(received, /chunked/);
}));
sent('its head is there before its first chunk', () => serve(declareStream(() => new Readable({ read: () => {} })), async ({ port }) => {
  const client = await RawClient.send(port, GET);
  await waitUntil(() => client.unread.endsWith('\r\n\r\n'), 'the head');
}));
sent('after a long unread body: the connection closes after it', () => serve(declareStream(() => Readable.from(['a', 'b'])), async ({ port }) => {
  const received = await sendUntilClosed(port, message('GET', '/v1/stream/1', 'x'.repeat(70_000)) + GOOD);
  assert.match(received, /Connection: close\r\n/);
  assert.match(received, /0\r\n\r\n$/);
}));
sent('that always has more, to a client that takes it: others get their turns', async () => {
  let turns = 0;
  let most = 0;
  const make = async function* (): AsyncGenerator<string> {
    const chunk = 'x'.repeat(1024);
    for (let times = 0, seen = -1, inTurn = 0; times < 3000; times += 1) {
      inTurn = seen === turns ? inTurn + 1 : 0;
      seen = turns;
      most = Math.max(most, inTurn);
      yield chunk;
    }
  };
  await serve(declareStream(make), async ({ port }) => {
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    turn();
    await fetch(`http://127.0.0.1:${port}/v1/stream/1`).then((response) => response.arrayBuffer());
    isOver = true;
  });
  // The bytes that a socket buffers before it asks for a pause, and those on the way.
  assert.ok(most < 300, `${most} chunks in one turn`);
});

const LENGTH = { 'Content-Length': '3' };
const failure = new Error('the disk is gone');

type FailingStream = readonly [why: string, make: () => unknown, text: string | RegExp, headers?: Record<string, string>];
const TARGETS = ['GET /v1/stream/:id', 'POST /v1/stream/make'];

function assertLogged(errors: readonly Error[], target: string, text: string | RegExp): void {
  assert.is(errors.length, 1);
  if (typeof text === 'string') assert.is(errors[0]?.message, `${target}: ${text}`);
  else assert.match(errors[0]?.message ?? '', text);
  if (/disk/.test(String(text))) assert.is(errors[0]?.cause, failure);
}

/** Sends a request for a stream, and another one behind it. */
async function requestStream(
  [, make, text, headers]: FailingStream, target: string, use: (port: number, request: string) => Promise<void>,
): Promise<void> {
  const unhandled = await captureUnhandled(() => serve(declareStream(make, headers), async ({ port, errors }) => {
    const [method = '', path = ''] = target.replace(':id', '1').split(' ');
    await use(port, message(method, path) + GOOD);
    assert.is((await send(port, GOOD)).body, '"1"');
    assertLogged(errors, target, text);
  }));
  assert.equal(unhandled, []);
}

const failing = suite('R7 R12: a stream that fails');
for (const row of [
  ['at once', () => (async function* () { raise(failure); })(), 'Internal error: the disk is gone'],
  ['a Readable, at once', () => new Readable({ read() { this.destroy(failure); } }), 'Internal error: the disk is gone'],
  ['a Readable that is destroyed', () => new Readable({ read() { this.destroy(); } }), 'Internal error: Premature close'],
  ['a web stream', () => new ReadableStream({ start: (controller) => controller.error(failure) }), 'Internal error: the disk is gone'],
  ['next throws', () => iterable(() => raise(failure)), 'Internal error: the disk is gone'],
  ['next gives a thenable that rejects',
    () => iterable(() => ({ then: (_: unknown, no: (thrown: unknown) => void) => no(failure) })), 'Internal error: the disk is gone'],
  ['next gives undefined', () => iterable(() => undefined), /undefined/],
  ['a chunk is a number', () => iterable(() => ({ value: 1 })), 'Internal error: a stream had a chunk of type number: it must be a string or a Uint8Array'],
  ['a chunk is null', () => iterable(() => ({ value: null })), /a chunk of type object/],
  ['a chunk is another view', () => iterable(() => ({ value: new Uint16Array(1) })), /a chunk of type object/],
  ['a chunk of a Readable is an object', () => Readable.from([{ a: 1 }]), /a chunk of type object/],
  ['a chunk of a web stream is an object', () => ReadableStream.from([{ a: 1 }]), /a chunk of type object/],
  ['no bytes for its length', () => Readable.from([]), /had 0 bytes/, LENGTH],
  ['more bytes than its length, in one character', () => Readable.from(['𝄞']), /had 4 bytes/, LENGTH],
] as readonly FailingStream[]) {
  for (const target of TARGETS) {
    failing(`${row[0]}, before its first chunk, ${target}: 500, logged, and the connection is kept`, () => requestStream(row, target, async (port, request) => {
      const client = await RawClient.send(port, request);
      const { status, headers, body } = await client.response();
      assert.equal([status, headers.get('content-type')], [500, 'application/problem+json']);
      assert.not.match(body, /disk/);
      assert.is((await client.response()).body, '"1"');
      client.destroy();
    }));
  }
}
for (const row of [
  ['half-way', () => (async function* () { yield 'half'; raise(failure); })(), 'Internal error: the disk is gone'],
  ['at its end', () => (async function* () { try { yield 'half'; } finally { raise(failure); } })(), 'Internal error: the disk is gone'],
  ['with an ApiError', () => (async function* () { yield 'half'; throw ApiError.notFound(); })(), 'Not found.'],
  ['with null', () => (async function* () { yield 'half'; raise(null); })(), 'Internal error: null'],
  ['a Readable, later', () => Readable.from((async function* () { yield 'half'; raise(failure); })()), 'Internal error: the disk is gone'],
  ['fewer bytes than its length', () => Readable.from(['ab']), 'Internal error: a stream had 2 bytes, but its Content-Length is 3', LENGTH],
  ['more bytes than its length', () => Readable.from(['ab', 'cd']), /had 4 bytes/, LENGTH],
  ['it fails after its length', () => (async function* () { yield 'abc'; raise(failure); })(), /the disk is gone/, LENGTH],
] as readonly FailingStream[]) {
  for (const target of TARGETS) {
    failing(`${row[0]}, ${target}: logged, the connection is destroyed, and the server lives on`, () => requestStream(row, target, async (port, request) => {
      const received = await sendUntilClosed(port, request);
      assert.match(received, /^(?:HTTP\/1\.1 200 OK\r\n[^]*)?$/);
      assert.not.match(received, /0\r\n\r\n|"1"/);
    }));
  }
}
for (const [why, make] of [
  ['errors again', (emit: (stream: Readable) => void) => {
    const stream = new Readable({ read: () => {} });
    stream.on('close', () => setTimeout(emit, 5, stream));
    setTimeout(() => stream.destroy(failure), 5);
    return stream;
  }],
  ['errors when it has ended', (emit: (stream: Readable) => void) => {
    const stream = Readable.from(['a']);
    return stream.on('close', () => setTimeout(emit, 5, stream));
  }],
] as const) {
  failing(`a Readable that ${why}: no uncaught exception`, async () => {
    const emitted = new Gate();
    const emit = (stream: Readable): void => {
      stream.emit('error', new Error('again'));
      emitted.open();
    };
    await serve(declareStream(() => make(emit)), async ({ port, errors }) => {
      await sendUntilClosed(port, message('GET', '/v1/stream/1', '', ['Connection: close']));
      await emitted.passed;
      assert.is((await send(port, GOOD)).body, '"1"');
      assert.is(errors.length, why === 'errors again' ? 1 : 0);
    });
  });
}
failing('a first chunk that is a number: the stream is closed once', async () => {
  let closed = 0;
  const source = (): unknown => iterable(() => ({ value: 1 }), { return: () => (closed += 1) });
  await serve(declareStream(source), async ({ port, errors }) => {
    assert.is((await send(port, GET)).status, 500);
    await waitUntil(() => closed > 0, 'the end of the stream');
    assert.is((await send(port, GOOD)).status, 200);
    assert.equal([closed, errors.length], [1, 1]);
  });
});
