/** What a call in memory relies on in Node's requests and responses, shown on plain Node objects, so that a change in Node fails here. */
import { once } from 'node:events';
import { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, pipeline } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { BodySource } from '../../../src/server/exchange/memory/memory-body.ts';
import type { ResponseHead, ResponseReader } from '../../../src/server/exchange/memory/memory-parts.ts';
import { makeMessages, MemoryRequest, MemorySocket } from '../../../src/server/exchange/memory/node/memory-messages.ts';
import { assert, suite, waitUntil } from '../../support/facts.ts';

/** Notes what it gets. */
class RecordingReader implements ResponseReader {
  readonly events: string[] = [];
  head: ResponseHead | undefined;
  body = '';
  /** Lets the writer go on. */
  release: (() => void) | undefined;
  readonly holds: boolean;

  constructor(holds = false) {
    this.holds = holds;
  }

  whole(head: ResponseHead, body: Buffer): void {
    this.events.push('whole');
    this.head = head;
    this.body = body.toString('latin1');
  }

  begin(head: ResponseHead): void {
    this.events.push('begin');
    this.head = head;
  }

  write(chunk: Buffer, done: () => void): void {
    this.events.push('write');
    this.body += chunk.toString('latin1');
    if (this.holds) this.release = done;
    else done();
  }

  end(): void {
    this.events.push('end');
  }

  fail(): void {
    this.events.push('fail');
  }
}

interface Made {
  readonly reader: RecordingReader;
  readonly request: MemoryRequest;
  readonly response: ServerResponse;
  readonly socket: Socket;
}

function make({ method = 'GET', body, holds = false }: { method?: string; body?: Uint8Array | BodySource; holds?: boolean } = {}): Made {
  const reader = new RecordingReader(holds);
  const socket = MemorySocket.open(null, reader);
  const headers = ['Host', 'a', 'X-A', 'b', 'x-a', 'c'];
  return { reader, socket, ...makeMessages(socket, { method, target: '/a?b', headers, body }) };
}

const responses = suite('a response without a connection');
for (const [what, write, events, body] of [
  ['end with a string', (response) => response.end('é'), ['whole'], '\xc3\xa9'],
  ['end with Latin-1', (response) => response.end('é', 'latin1'), ['whole'], '\xe9'],
  ['end with bytes', (response) => response.end(Buffer.from([0xff, 0])), ['whole'], '\xff\0'],
  ['end alone', (response) => response.end(), ['whole'], ''],
  ['write and end in one turn', (response) => (response.write('a'), response.end('b')), ['whole'], 'ab'],
  ['write, and end later', (response) => (response.write('a'), setImmediate(() => response.end('b'))), ['begin', 'write', 'write', 'end'], 'ab'],
  ['write, and an empty end later', (response) => (response.write('a'), setImmediate(() => response.end())), ['begin', 'write', 'end'], 'a'],
  ['flushHeaders, and end later', (response) => (response.flushHeaders(), setImmediate(() => response.end('b'))), ['begin', 'write', 'end'], 'b'],
  ['pipe', (response) => pipeline([Buffer.from('a'), Buffer.from('b')], response, () => {}), ['whole'], 'ab'],
  ['informational responses before', (response) => (response.writeProcessing(), response.writeContinue(), response.end('a')), ['whole'], 'a'],
] as readonly (readonly [string, (response: ServerResponse) => unknown, string[], string])[]) {
  responses(`${what}: ${events.join(', ')}; without chunks, and it finishes, and closes once`, async () => {
    const { reader, request, response, socket } = make();
    const emitted: string[] = [];
    for (const event of ['finish', 'close'] as const) response.on(event, () => emitted.push(event));
    write(response);
    await waitUntil(() => socket.destroyed && emitted.includes('close'), 'the close');
    assert.equal([reader.events.filter((event, at) => event !== 'write' || at < 2 || body === 'ab'), reader.body], [events, body]);
    assert.equal(emitted, ['finish', 'close']);
    assert.equal([response.writableFinished, response.closed, response.destroyed, request.aborted], [true, true, true, false]);
  });
}
responses('has its status, its reason and its headers as they were written', async () => {
  const { reader, response } = make();
  response.setHeader('X-Two', ['a', 'b']);
  response.writeHead(418, 'Short and stout', { 'X-Empty': '', 'x-colon': 'a: b', 'X-High': '\xe9' }).end('a');
  await once(response, 'close');
  const { status, statusText, headers = [] } = reader.head ?? {};
  assert.equal([status, statusText], [418, 'Short and stout']);
  assert.equal(headers.slice(0, 10), ['X-Two', 'a', 'X-Two', 'b', 'X-Empty', '', 'x-colon', 'a: b', 'X-High', '\xe9']);
});
responses('to HEAD has no body, and the length of one', async () => {
  const { reader, response } = make({ method: 'HEAD' });
  response.setHeader('Content-Length', 3);
  response.end('abc');
  await once(response, 'close');
  assert.equal([reader.body, reader.head?.headers.slice(0, 2)], ['', ['Content-Length', '3']]);
});
responses('keeps its parts when its prototype is replaced, as Express does', async () => {
  const { reader, response } = make();
  Object.setPrototypeOf(response, Object.create(ServerResponse.prototype));
  response.end('a');
  await once(response, 'close');
  assert.equal([reader.events, reader.body], [['whole'], 'a']);
});
responses('that is not read: write returns false, its bytes are counted, and drain follows', async () => {
  const { reader, response, socket } = make({ holds: true });
  const large = 'x'.repeat(64 * 1024);
  assert.is(response.write(large), false);
  await waitUntil(() => reader.release !== undefined, 'the chunk');
  assert.equal([response.writableLength, response.writableNeedDrain, socket.bytesWritten], [large.length, true, large.length]);
  const drained = once(response, 'drain');
  reader.release?.();
  await drained;
  assert.equal([response.writableLength, response.writableNeedDrain], [0, false]);
  socket.destroy();
});
responses('whose first write was too long for its turn, and is read at once, drains', async () => {
  const { response, socket } = make();
  assert.is(response.write('x'.repeat(64 * 1024)), false);
  await once(response, 'drain');
  socket.destroy();
});
for (const [what, leave] of [
  ['its socket is destroyed', ({ socket }) => socket.destroy()],
  ['it is destroyed', ({ response }) => response.destroy()],
  ['its request is destroyed', ({ request }) => request.destroy()],
] as readonly (readonly [string, (made: Made) => unknown])[]) {
  responses(`fails when ${what}: it and its request close, and what is written later is dropped`, async () => {
    const made = make({ body: { pull() {}, discard() {} } });
    const { reader, request, response } = made;
    // As in Node, a listener for errors gets the abort.
    const closed = Promise.all([once(response, 'close'), new Promise((resolve) => request.on('error', () => {}).once('close', resolve))]);
    leave(made);
    await closed;
    response.on('error', () => {}).end('late');
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal([reader.events, request.aborted], [['fail'], true]);
  });
}
responses('is that which a connection writes in its place', async () => {
  const { reader, response, socket } = make();
  response.write('never');
  socket.end('HTTP/1.1 408 Request Timeout\r\nA: b\r\n\r\nlate');
  await once(response, 'close');
  assert.equal([reader.events, reader.head, reader.body],
    [['begin', 'write', 'end'], { status: 408, statusText: 'Request Timeout', headers: ['A', 'b'] }, 'late']);
});

const requests = suite('a request without a connection');
requests('has its head, as Node makes it of raw headers', () => {
  const { request } = make();
  assert.equal([request.method, request.url, request.httpVersion, request.headers], ['GET', '/a?b', '1.1', { host: 'a', 'x-a': 'b, c' }]);
  assert.equal([request.rawHeaders.length, request.rawTrailers.length, request.complete], [6, 0, true]);
});
for (const [what, read] of [
  ['as a stream', (request) => buffer(request)],
  ['by pipe', (request) => buffer(request.pipe(new PassThrough()))],
  ['whole', (request) => new Promise<Buffer>((resolve) => {
    const chunks: Buffer[] = [];
    request.collect((chunk) => (chunk === null ? resolve(Buffer.concat(chunks)) : chunks.push(chunk)));
  })],
] as readonly (readonly [string, (request: MemoryRequest) => Promise<Buffer>])[]) {
  for (const [kind, body] of [
    ['none', undefined],
    ['bytes', Buffer.from('abc')],
    ['a source',
      { pull: (request: MemoryRequest) => (request.push(Buffer.from('a')), request.push(Buffer.from('bc')), MemoryRequest.finish(request)), discard() {} }],
  ] as const) {
    requests(`whose body is ${kind} is read ${what}`, async () => {
      const { request } = make({ method: 'POST', ...(body !== undefined && { body }) });
      if (what !== 'whole') request.share();
      if (kind === 'bytes') request.receive();
      assert.is((await read(request)).toString(), kind === 'none' ? '' : 'abc');
      assert.is(request.complete, true);
    });
  }
}
requests('discards the rest of its source when its response has ended', async () => {
  let discarded = 0;
  const { response, request } = make({ method: 'POST', body: { pull() {}, discard: () => (discarded += 1) } });
  response.end('early');
  await once(response, 'close');
  assert.equal([discarded, request.destroyed], [1, true]);
});
