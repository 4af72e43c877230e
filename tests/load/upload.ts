/** A long upload into a file: it arrives whole, and the server holds one piece of it at a time. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import * as assert from 'uvu/assert';
import type { Check } from '../support/checks.ts';
import { assertGrowth } from './download.ts';
import { BLOB, BLOB_BYTES, CHUNK_BYTES, chunkLike, type LoadServer } from './load-server.ts';
import { Pattern } from './pattern.ts';

export async function upload(server: LoadServer, port: number, check: Check, file: string): Promise<void> {
  const before = await server.measure();
  const sent = request({ host: '127.0.0.1', port, method: 'POST', path: '/v1/file', headers: { 'Content-Length': BLOB_BYTES } });
  const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (let index = 0; index * CHUNK_BYTES < BLOB_BYTES; index += 1) {
    if (!sent.write(chunkLike(index))) await once(sent, 'drain');
  }
  sent.end();
  const [response] = await responded;
  response.resume();
  const end = await server.measure();
  const stored = new Pattern();
  for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 })) stored.take(piece as Buffer);
  await check(`${BLOB} by \`bytes\` is in the file, whole`, () => {
    assert.equal([response.statusCode, end.given, stored.bytes], [201, BLOB_BYTES, BLOB_BYTES]);
  });
  await check('the operation gets at most 64 KiB at a time', () => {
    assert.ok(end.longestChunk > 0 && end.longestChunk <= CHUNK_BYTES, `${end.longestChunk} bytes`);
  });
  await check('the memory of the server grows by less than 64 MiB', () => assertGrowth(before, end));
  await check('nothing is logged', () => assert.equal(end.failures, []));
}
