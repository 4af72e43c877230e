/** `ranges` by curl: parts, and downloads that are resumed. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ranges } from '../../dist/formats/index.js';
import { ApiServer, reply } from '../../dist/index.js';
import { checking } from './checks.js';
import { need } from './programs.js';

need('curl', 'curl');

const FILM = randomBytes(1_000_000);
const SIZE = FILM.length;
const ETAG = '"1"';
// Exit statuses of curl.
const OK = 0;
const PARTIAL_FILE = 18;
const CANNOT_RESUME = 33;

/** The ranges that the server read, and how many bytes of one it gives before it fails. */
const reads = [];
let giveUpAfter = Infinity;

async function* read(from, to) {
  reads.push(`${from}-${to}`);
  const limit = giveUpAfter;
  giveUpAfter = Infinity;
  for (let at = from; at <= to; at += 10_000) {
    if (at - from >= limit) throw new Error('the film tears');
    yield FILM.subarray(at, Math.min(at + 10_000, to + 1));
  }
}

let url;
const errors = [];
const server = new ApiServer('/v1', { logger: { info() {}, error: ({ cause }) => errors.push(cause.message) } });
server.registerEndpoint('/film', { get: () => reply(200, ranges({ size: SIZE, read }), { ETag: ETAG, 'Content-Type': 'video/mp4' }) });

const folder = mkdtempSync(join(tmpdir(), 'restpoint-ranges-'));
const file = join(folder, 'film');

/** Runs curl, which writes to `file`. Resolves to its exit status, and the status and `Content-Range` of the response. */
function curl(...options) {
  const format = '%{http_code} %header{content-range}';
  const args = ['-q', '-s', '--noproxy', '*', '--max-time', '20', '-o', file, '-w', format, ...options, url];
  return new Promise((resolve) => execFile('curl', args, (error, stdout) => resolve([error?.code ?? OK, ...stdout.trimEnd().split(' ')])));
}

await checking('ranges', async (check) => {
  const started = await server.start('127.0.0.1:0');
  url = `${started.url}/v1/film`;
  try {
    await checkParts(check);
    await checkResume(check);
    await check('no other failure is logged', () => assert.deepEqual(errors, []));
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function checkParts(check) {
  for (const [options, status, from, to] of [
    [[], '200', 0, SIZE - 1],
    [['-r', '0-99'], '206', 0, 99],
    [['-r', '100-'], '206', 100, SIZE - 1],
    [['-r', '-100'], '206', SIZE - 100, SIZE - 1],
    [['-r', '999999-2000000'], '206', SIZE - 1, SIZE - 1],
    [['-r', '0-1,4-5'], '200', 0, SIZE - 1],
    [['-r', '0-99', '-H', `If-Range: ${ETAG}`], '206', 0, 99],
    [['-r', '0-99', '-H', 'If-Range: "2"'], '200', 0, SIZE - 1],
  ]) {
    await check(`${['curl', ...options].join(' ')} -> ${status}, and the bytes from ${from} to ${to}`, async () => {
      reads.length = 0;
      assert.deepEqual(await curl(...options), [OK, status, ...(status === '206' ? ['bytes', `${from}-${to}/${SIZE}`] : [])]);
      assert.ok(readFileSync(file).equals(FILM.subarray(from, to + 1)));
      assert.deepEqual(reads, [`${from}-${to}`]);
    });
  }
  await check(`curl -r ${SIZE}- -> 416, and nothing is read`, async () => {
    reads.length = 0;
    assert.deepEqual(await curl('-r', `${SIZE}-`), [OK, '416', 'bytes', `*/${SIZE}`]);
    assert.deepEqual(reads, []);
  });
}

async function checkResume(check) {
  await check('curl -C - of a download that broke off: the rest of it', async () => {
    rmSync(file, { force: true });
    giveUpAfter = 300_000;
    assert.deepEqual(await curl(), [PARTIAL_FILE, '200']);
    assert.deepEqual(errors.splice(0), ['the film tears']);
    const { length } = readFileSync(file);
    assert.ok(length > 0 && length <= 300_000, `${length} bytes`);
    reads.length = 0;
    assert.deepEqual(await curl('-C', '-'), [OK, '206', 'bytes', `${length}-${SIZE - 1}/${SIZE}`]);
    assert.ok(readFileSync(file).equals(FILM));
    assert.deepEqual(reads, [`${length}-${SIZE - 1}`]);
  });
  await check('curl -C - of a whole film: 416, and the file stays as it is', async () => {
    writeFileSync(file, FILM);
    assert.deepEqual(await curl('-C', '-'), [OK, '416', 'bytes', `*/${SIZE}`]);
    assert.ok(readFileSync(file).equals(FILM));
  });
  await check('curl -C - of another film, by If-Range: rejected, and the file stays as it is', async () => {
    writeFileSync(file, 'another');
    assert.deepEqual(await curl('-C', '-', '-H', 'If-Range: "2"'), [CANNOT_RESUME, '200']);
    assert.equal(readFileSync(file, 'utf8'), 'another');
  });
}
