/** Bytes that are collected from pieces. */
import { ByteBuffer } from '../../src/util/bytes.ts';
import { assert, suite } from '../support/facts.ts';

const collected = suite('ByteBuffer');
for (const { name, pieces } of [
  { name: 'no piece', pieces: [] },
  { name: 'one piece', pieces: ['abc'] },
  { name: 'empty pieces', pieces: ['', 'a', '', 'bc', ''] },
  { name: 'pieces of one byte', pieces: [...'a body in pieces of one byte'] },
  { name: 'short and long pieces', pieces: ['a', 'b'.repeat(1000), 'c', 'd'.repeat(3), 'e'.repeat(5000)] },
]) {
  collected(`${name}: take returns all bytes in order, and then none`, () => {
    const bytes = new ByteBuffer();
    for (const piece of pieces) bytes.add(Buffer.from(piece));
    assert.is(bytes.length, pieces.join('').length);
    assert.is(bytes.take().toString(), pieces.join(''));
    assert.is(bytes.length, 0);
    assert.is(bytes.take().length, 0);
  });
}
collected('one piece is not copied; a later one does not change its bytes', () => {
  const bytes = new ByteBuffer();
  const slab = Buffer.from('abcdef');
  bytes.add(slab.subarray(0, 2));
  assert.is(bytes.take().buffer, slab.buffer);
  bytes.add(slab.subarray(0, 2));
  bytes.add(Buffer.from('XYZ'));
  assert.is(bytes.take().toString(), 'abXYZ');
  assert.is(slab.toString(), 'abcdef');
});
collected('a plain Uint8Array becomes a Buffer', () => {
  const bytes = new ByteBuffer();
  bytes.add(new Uint8Array([0x61, 0x62]));
  assert.is(bytes.take().toString(), 'ab');
});
collected('addWithin adds up to a maximum, and forgets everything above it', () => {
  const bytes = new ByteBuffer();
  assert.equal([bytes.addWithin(Buffer.from('ab'), 3), bytes.addWithin(Buffer.from('c'), 3), bytes.length], [true, true, 3]);
  assert.equal([bytes.addWithin(Buffer.from('d'), 3), bytes.length], [false, 0]);
  assert.equal([bytes.addWithin(Buffer.alloc(0), 0), bytes.addWithin(Buffer.from('a'), -1)], [true, false]);
});
collected('holds at most twice the bytes of pieces of one byte', () => {
  const bytes = new ByteBuffer();
  for (let count = 0; count < 10_000; count += 1) bytes.add(Buffer.alloc(1));
  assert.ok(bytes.take().buffer.byteLength <= 20_000);
});
collected('clear forgets all bytes', () => {
  const bytes = new ByteBuffer();
  bytes.add(Buffer.from('ab'));
  bytes.clear();
  bytes.add(Buffer.from('c'));
  assert.is(bytes.take().toString(), 'c');
});
