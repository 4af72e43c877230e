/** Gigabytes through each format, up and down: the server holds little of it. */
import { once } from 'node:events';
import { get, request, type IncomingMessage } from 'node:http';
import * as assert from 'uvu/assert';
import type { Check } from '../support/checks.ts';
import { CHUNK_BYTES, chunkLike, TOTAL_BYTES, type LoadServer } from './load-server.ts';
import { Pattern } from './pattern.ts';
import { isItemAt, LINE_BYTES, lineAt, LINES, type Item } from './sequences.ts';

const ALLOWED_GROWTH = 60e6;
// Where the pattern of the body begins anew.
const FROM = 251 * CHUNK_BYTES;

export async function bytesUp(server: LoadServer, port: number, check: Check): Promise<void> {
  const chunks = Math.floor(TOTAL_BYTES / CHUNK_BYTES);
  await measureMove(server, check, 'up as bytes', async () => {
    assert.is(await upload(port, '/v1/bytes', 'application/octet-stream', chunks, chunkLike), chunks * CHUNK_BYTES);
  });
}

export async function linesUp(server: LoadServer, port: number, check: Check): Promise<void> {
  await measureMove(server, check, 'up as NDJSON', async () => {
    assert.is(await upload(port, '/v1/lines', 'application/x-ndjson', LINES, lineAt), LINES);
  });
}

export async function rangesDown(server: LoadServer, port: number, check: Check): Promise<void> {
  await measureMove(server, check, 'down as a range', async () => {
    const response = await download(port, '/v1/bytes', { Range: `bytes=${FROM}-` });
    const pattern = new Pattern();
    for await (const piece of response) pattern.take(piece as Buffer);
    assert.equal([response.statusCode, response.complete, pattern.bytes], [206, true, TOTAL_BYTES - FROM]);
  });
}

export async function linesDown(server: LoadServer, port: number, check: Check): Promise<void> {
  await measureMove(server, check, 'down as NDJSON', async () => {
    const response = await download(port, '/v1/lines');
    assert.equal([await countLines(response), response.complete], [LINES, true]);
  });
}

/** Sends all of it, and checks the memory of the server. */
async function measureMove(server: LoadServer, check: Check, what: string, move: () => Promise<void>): Promise<void> {
  const before = await server.measure();
  const began = performance.now();
  await check(`${TOTAL_BYTES / 1e9} GB ${what} arrive whole`, move);
  const seconds = (performance.now() - began) / 1000;
  const { mostRss, failures } = await server.measure();
  const growth = mostRss - before.rss;
  await check(`the memory of the server grows by ${Math.round(growth / 1e6)} MB of the allowed 60 MB, in ${seconds.toFixed(1)} s`, () => {
    assert.ok(growth < ALLOWED_GROWTH);
  });
  await check('nothing is logged', () => assert.equal(failures, []));
}

/** Sends so many pieces. Returns the number that got a response. */
async function upload(port: number, path: string, type: string, count: number, pieceAt: (index: number) => Buffer): Promise<number> {
  const sent = request({ host: '127.0.0.1', port, method: 'POST', path, headers: { 'Content-Type': type } });
  const responded = once(sent, 'response') as Promise<[IncomingMessage]>;
  for (let index = 0; index < count; index += 1) {
    if (!sent.write(pieceAt(index))) await once(sent, 'drain');
  }
  sent.end();
  const [response] = await responded;
  let text = '';
  for await (const piece of response) text += String(piece);
  assert.is(response.statusCode, 200, text);
  return Number(text);
}

async function download(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
  const [response] = (await once(get({ host: '127.0.0.1', port, path, headers }), 'response')) as [IncomingMessage];
  return response;
}

/** Checks that each line is the next item. */
async function countLines(body: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of body) {
    rest = rest.length === 0 ? (piece as Buffer) : Buffer.concat([rest, piece as Buffer]);
    for (; rest.length >= LINE_BYTES; rest = rest.subarray(LINE_BYTES)) {
      assert.ok(isItemAt(count, JSON.parse(rest.toString('latin1', 0, LINE_BYTES)) as Item), `line ${count}`);
      count += 1;
    }
  }
  assert.is(rest.length, 0);
  return count;
}
