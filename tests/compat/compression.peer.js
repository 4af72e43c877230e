/** `compression`: a compressed body is whole and has no wrong length; one that it leaves alone has its own. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get as httpGet } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import compression from 'compression';
import { checking } from './checks.js';
import { makeQuickEvents, withEvents } from './events-api.js';
import { serveBehind, checkUnchanged, JSON_TYPE, sendPipelined, send } from './middleware.js';
import { waitUntil } from './until.js';
import { BODILESS, LONG as LONG_TEXT, KINDS } from './replies.js';
import { formatRequest, WireClient } from './wire.js';

const LONG = { name: 'Äsp'.repeat(20_000), legs: 0 };
const ASCII = { name: 'asp'.repeat(20_000), legs: 0 };
const SHORT = { name: 'Äsp', legs: 0 };
const GZIP = { 'accept-encoding': 'gzip' };
const create = (pet) => ({ method: 'POST', path: '/v1/pet', body: JSON.stringify(pet) });
const reply = (kind, headers = {}) => ({ method: 'GET', path: `/v1/reply/${kind}`, headers });
const get = (id, headers = {}) => ({ method: 'GET', path: `/v1/pet/${id}`, headers });

await checking('compression', async (check) => {
  for (const [pet, what] of [[LONG, 'with other characters than ASCII'], [ASCII, 'in ASCII'], [SHORT, 'that is short']]) {
    for (const encoding of ['gzip', 'br', 'deflate', 'identity']) {
      await check(`a body ${what}, ${encoding}: fetch gets all of it`, () => serveBehind([compression()], async ({ url }) => {
        await fetch(`${url}/v1/pet`, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(pet) });
        for (let time = 0; time < 3; time += 1) {
          const response = await fetch(`${url}/v1/pet/1`, { headers: { 'accept-encoding': encoding } });
          const isCompressed = pet !== SHORT && encoding !== 'identity';
          assert.deepEqual([response.status, response.headers.get('content-encoding')], [200, isCompressed ? encoding : null]);
          assert.equal(response.headers.has('content-length'), !isCompressed);
          assert.equal(response.headers.get('vary'), 'Accept-Encoding');
          assert.deepEqual(await response.json(), pet);
        }
      }));
    }
  }
  for (const [encoding, decompress] of [['gzip', gunzipSync], ['br', brotliDecompressSync]]) {
    await check(`every body by ${encoding}, problems too: its chunks are whole on the wire, and the next response is behind it`, () => {
      return serveBehind([compression({ threshold: 0 })], async ({ port }) => {
        const headers = { 'accept-encoding': encoding };
        const responses = await sendPipelined(port, [create(LONG), get(1, headers), get(9, headers), { method: 'POST', path: '/v1/pet/count', headers }, get(1)]);
        assert.deepEqual(responses.map(({ status }) => status), [201, 200, 404, 200, 200]);
        for (const { headers: { 'content-length': length, 'transfer-encoding': coding }, bytes } of responses.slice(1, 4)) {
          assert.deepEqual([length, coding], [undefined, 'chunked']);
          JSON.parse(decompress(bytes).toString());
        }
        assert.deepEqual(JSON.parse(decompress(responses[1].bytes).toString()), LONG);
        assert.equal(responses[4].headers['content-length'], String(Buffer.byteLength(JSON.stringify(LONG))));
      });
    });
  }
  for (const [encoding, decompress] of [['gzip', gunzipSync], ['br', brotliDecompressSync]]) {
    for (const kind of KINDS) {
      await check(`a reply, ${kind}, by ${encoding}: whole, without a length, and the next response is behind it`, () => serveBehind([compression()], async ({ port, errors }) => {
        const [response, next] = await sendPipelined(port, [reply(kind, { 'accept-encoding': encoding }), { method: 'GET', path: '/health' }]);
        const { 'content-encoding': coding, 'content-length': length, 'transfer-encoding': transfer } = response.headers;
        assert.deepEqual([response.status, coding, length, transfer], [200, encoding, undefined, 'chunked']);
        assert.match(response.headers.vary, /Accept-Encoding/);
        assert.ok(decompress(response.bytes).toString() === LONG_TEXT);
        assert.deepEqual([next.status, errors], [200, []]);
      }));
    }
  }
  for (const kind of KINDS) {
    await check(`a reply, ${kind}, that is not compressed: whole, and of the length that it has`, () => serveBehind([compression()], async ({ port }) => {
      const { headers, bytes } = await send(port, reply(kind));
      assert.ok(bytes.toString() === LONG_TEXT);
      const isStream = ['iterable', 'readable', 'web'].includes(kind);
      assert.equal(headers['content-length'], isStream ? undefined : String(Buffer.byteLength(LONG_TEXT)));
      assert.equal(headers['content-encoding'], undefined);
    }));
  }
  await check('a stream to a client that stops reading now and then: whole', () => serveBehind([compression({ level: 0 })], async ({ url }) => {
    const [response] = await once(httpGet(`${url}/v1/reply/iterable`, { headers: GZIP }), 'response');
    const pieces = [];
    for await (const piece of response) {
      pieces.push(piece);
      if (pieces.length % 16 === 1) await sleep(20);
    }
    assert.ok(response.complete);
    assert.ok(gunzipSync(Buffer.concat(pieces)).toString() === LONG_TEXT);
  }));
  await check('replies without a body, and to HEAD, stay as they are', () => serveBehind([compression({ threshold: 0 })], async ({ port }) => {
    for (const [kind, status] of BODILESS) {
      const { status: got, headers } = await send(port, reply(kind, GZIP));
      assert.deepEqual([got, headers['content-encoding'], headers['transfer-encoding']], [status, undefined, undefined]);
    }
    for (const kind of KINDS) {
      const [{ status, headers }, next] = await sendPipelined(port, [{ ...reply(kind, GZIP), method: 'HEAD' }, { method: 'GET', path: '/health' }]);
      assert.deepEqual([status, headers['content-encoding'], next.status], [200, undefined, 200]);
    }
    const { status, headers } = await send(port, reply('same', { ...GZIP, 'if-none-match': '"1"' }));
    assert.deepEqual([status, headers.etag, headers['content-encoding']], [304, '"1"', undefined]);
  }));
  await check('responses without a body stay as they are: HEAD, 204, OPTIONS, 405', () => serveBehind([compression({ threshold: 0 })], async ({ port }) => {
    await send(port, create(LONG));
    const length = String(Buffer.byteLength(JSON.stringify(LONG)));
    for (const [method, path, status, expected] of [
      ['HEAD', '/v1/pet/1', 200, length],
      ['OPTIONS', '/v1/pet/1', 200, '0'],
      ['PATCH', '/v1/pet/1', 405, '0'],
      ['DELETE', '/v1/pet/1', 204, undefined],
    ]) {
      const [{ headers, ...response }, behindIt] = await sendPipelined(port, [{ method, path, headers: GZIP }, { method: 'GET', path: '/health' }]);
      assert.deepEqual([response.status, headers['content-length'], headers['content-encoding']], [status, expected, undefined]);
      assert.deepEqual([headers['transfer-encoding'], behindIt.status], [undefined, 200]);
    }
  }));
  await check('the last response of a connection says Connection: close, and is whole', () => serveBehind([compression()], async ({ port }) => {
    await send(port, create(LONG));
    const client = await WireClient.connect(port);
    client.write(formatRequest(get(1, { ...GZIP, connection: 'close' })));
    const { headers, bytes } = await client.response('GET');
    assert.equal(headers.connection, 'close');
    assert.deepEqual(JSON.parse(gunzipSync(bytes).toString()), LONG);
    assert.equal(await client.closed(), '');
  }));
  await check('stop() waits for a response that is being compressed', async () => {
    let called = false;
    let open;
    const opened = new Promise((resolve) => (open = resolve));
    await serveBehind([compression()], async ({ server, port }) => {
      const client = await WireClient.connect(port);
      client.write(formatRequest({ method: 'POST', path: '/v1/pet/wait', headers: GZIP }));
      await waitUntil(() => called);
      open('x'.repeat(1_000_000));
      // The operation replies in the microtasks, and zlib some turns later.
      await new Promise((resolve) => setImmediate(resolve));
      const stopped = server.stop();
      const { bytes } = await client.response('POST');
      assert.equal(JSON.parse(gunzipSync(bytes).toString()).length, 1_000_000);
      assert.equal(await client.closed(), '');
      client.destroy();
      await stopped;
    }, () => ((called = true), opened));
  });
  await check('a mount is compressed as well', () => serveBehind([compression({ threshold: 0 })], async ({ url }) => {
    const response = await fetch(`${url}/health`, { headers: GZIP });
    assert.equal(response.headers.get('content-encoding'), 'gzip');
    assert.equal((await response.json()).below, '/');
  }));
  await check('events are not compressed: each arrives as it is sent, behind comments, and stop() ends them', checkEvents);
  await checkUnchanged(check, () => [compression({ threshold: 0 })]);
});

async function checkEvents() {
  const options = { output: makeQuickEvents(20), listeners: [compression({ threshold: 0 })] };
  await withEvents(options, async (api) => {
    const fetching = fetch(`${api.url}/v1/event`, { headers: GZIP });
    await api.asked(1);
    api.send({ data: 'first' });
    const response = await fetching;
    assert.deepEqual([response.headers.get('content-encoding'), response.headers.get('cache-control')], [null, 'no-store, no-transform']);
    let text = '';
    const reading = (async () => {
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) text += piece;
    })();
    for (let data = 1; data <= 10; data += 1) {
      api.send({ data });
      await waitUntil(() => text.includes(`data: ${data}\n\n`) && text.endsWith(':\n\n'), () => `event ${data} and a comment behind ${text}`);
    }
    await api.stop();
    await reading;
  });
}
