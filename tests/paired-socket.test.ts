/** A connection in memory behaves as one of TCP does, at both ends. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { PairedSocket } from './support/paired-socket.ts';
import { countTakenBytes } from '../src/server/exchange/node/internals/sockets.ts';
import { assert, suite, waitUntil } from './support/facts.ts';

const LARGE = Buffer.alloc(1024 * 1024, 'x');

/** What an end reads, and when it has read the end. */
function readSocket(socket: Socket): { text: string; isEnded: boolean } {
  const read = { text: '', isEnded: false };
  socket.on('data', (chunk) => (read.text += chunk.toString('latin1')));
  socket.on('end', () => (read.isEnded = true));
  return read;
}

const memory = suite('a connection in memory');
memory('passes on what is written, in a later turn: strings in their encodings, and corked pieces as one', async () => {
  const [one, other] = PairedSocket.pair();
  const read = readSocket(other);
  one.write('a');
  one.write('é', 'latin1');
  assert.is(read.text, '');
  await waitUntil(() => read.text === 'a\xe9', 'the strings');
  one.cork();
  one.write(Buffer.from('b'));
  one.write('63', 'hex');
  one.uncork();
  const [piece] = await once(other, 'data');
  assert.is(String(piece), 'bc');
});
memory('passes on copies', async () => {
  const [one, other] = PairedSocket.pair();
  const written = Buffer.from('written');
  one.write(written);
  const [read] = await once(other, 'data');
  written.fill('x');
  assert.is(String(read), 'written');
});
memory('that ends at one side: the other reads the end, and still writes', async () => {
  const [one, other] = PairedSocket.pair();
  const reads = [readSocket(one), readSocket(other)];
  one.end('last');
  await waitUntil(() => reads[1]?.isEnded === true, 'the end');
  assert.is(reads[1]?.text, 'last');
  other.end('reply');
  await Promise.all([once(one, 'close'), once(other, 'close')]);
  assert.is(reads[0]?.text, 'reply');
});
memory('that is destroyed at one side: the other reads all that was written, then the end, and its writes fail', async () => {
  const [one, other] = PairedSocket.pair();
  one.write('written');
  await waitUntil(() => one.writableLength === 0, 'the write');
  one.destroy();
  await once(one, 'close');
  const read = readSocket(other);
  await waitUntil(() => read.isEnded, 'the end');
  assert.is(read.text, 'written');
  const failed = once(other, 'error');
  other.write('more');
  const [error] = await failed;
  assert.equal([error.code, error.message], ['ECONNRESET', 'the other end is closed']);
});
memory('that is destroyed while the other side waits for room: that write fails', async () => {
  const [one, other] = PairedSocket.pair();
  const failed = once(one, 'error');
  one.write(LARGE);
  await waitUntil(() => other.bytesRead > 0, 'the bytes');
  other.destroy();
  const [error] = await failed;
  assert.is(error.code, 'ECONNRESET');
});
memory('whose reader reads nothing: the writer waits, and bytesTaken does not grow', async () => {
  const [one, other] = PairedSocket.pair();
  one.write(LARGE);
  one.write('more');
  await waitUntil(() => other.readableLength > 0, 'the first piece');
  assert.is(other.readableLength, 64 * 1024);
  assert.is(one.writableLength, LARGE.length + 4);
  assert.is(countTakenBytes(one), 0);
  assert.is(one.bytesWritten, LARGE.length + 4);
  const read = readSocket(other);
  await waitUntil(() => one.writableLength === 0, 'that all is taken');
  assert.is(countTakenBytes(one), LARGE.length + 4);
  await waitUntil(() => read.text.length === LARGE.length + 4, 'that all is read');
  assert.is(other.bytesRead, LARGE.length + 4);
});
memory('has the methods that code of a user calls', () => {
  const [one] = PairedSocket.pair();
  one.setTimeout(1000).setTimeout(0).setNoDelay(true).setKeepAlive(true).ref().unref();
  assert.is(one.remoteAddress, undefined);
  one.destroy();
});
