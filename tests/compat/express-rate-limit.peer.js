/**
 * `express-rate-limit`, with the user's `keyGenerator` and `handler`, since `request.ip` and `response.status()` are Express's: it
 * responds before the body is read.
 */
import assert from 'node:assert/strict';
import { rateLimit } from 'express-rate-limit';
import { ApiError } from '../../dist/index.js';
import { checking } from './checks.js';
import { serveBehind, checkUnchanged, REX, send } from './middleware.js';
import { formatRequest, WireClient } from './wire.js';

const body = JSON.stringify(REX);
const CREATE = { method: 'POST', path: '/v1/pet', body, headers: { 'x-key': 'a' } };

const reject = (_request, _response, next) => next(Object.assign(new Error('too many requests'), { status: 429, expose: true }));

function limited(limit, handler = reject) {
  return rateLimit({ limit, windowMs: 60_000, legacyHeaders: false, standardHeaders: 'draft-7', keyGenerator: ({ headers }) => String(headers['x-key']), handler });
}

await checking('express-rate-limit', async (check) => {
  await check('a request over the limit -> 429, a problem with the headers of the limit; other keys are served', () => serveBehind([limited(2)], async ({ port, errors }) => {
    for (const status of [201, 201, 429, 429]) {
      const response = await send(port, CREATE);
      assert.equal(response.status, status);
      assert.match(response.headers.ratelimit, /^limit=2, remaining=/);
      if (status === 429) assert.deepEqual(JSON.parse(response.body), { type: 'about:blank', title: 'Too Many Requests', status, detail: 'too many requests' });
    }
    assert.equal((await send(port, { ...CREATE, headers: { 'x-key': 'b' } })).status, 201);
    assert.equal((await send(port, { method: 'POST', path: '/v1/pet/count', headers: { 'x-key': 'c' } })).body, '3');
    assert.deepEqual(errors, []);
  }));
  for (const [how, handler, expected] of [
    ['by next(error)', reject, 429],
    ['by itself', (_request, response) => void response.writeHead(429).end('too many requests'), 429],
    ['by an ApiError', (_request, _response, next) => next(ApiError.status(429, 'too many requests', { headers: { 'Retry-After': '60' } })), 429],
  ]) {
    await check(`${how}, before the body is read: for a client that has not sent it, and for one that waits for 100 Continue`, () => {
      return serveBehind([limited(1, handler)], async ({ port }) => {
        assert.equal((await send(port, CREATE)).status, 201);
        for (const expectation of [{}, { expect: '100-continue' }]) {
          const client = await WireClient.connect(port);
          const bytes = formatRequest({ ...CREATE, headers: { ...CREATE.headers, ...expectation } });
          client.write(bytes.subarray(0, -body.length));
          const response = await client.response('POST');
          assert.equal(response.status, expected);
          assert.match(response.body, /too many requests/);
          client.destroy();
        }
      });
    });
  }
  await check('a client over the limit that goes on sending 8 MiB reads the 429, 20 times of 20', () => serveBehind([limited(1)], async ({ port, errors }) => {
    assert.equal((await send(port, CREATE)).status, 201);
    const long = Buffer.alloc(8 * 2 ** 20, ' ');
    for (let round = 0; round < 20; round += 1) {
      const client = await WireClient.connect(port);
      const headers = { ...CREATE.headers, 'content-type': 'application/json', 'content-length': String(long.length) };
      client.write(formatRequest({ ...CREATE, body: undefined, headers }));
      client.write(long);
      const response = await client.response('POST');
      assert.deepEqual([response.status, JSON.parse(response.body).detail], [429, 'too many requests']);
      assert.equal(await client.closed(), '');
      client.destroy();
    }
    assert.deepEqual(errors, []);
  }));
  await checkUnchanged(check, () => [limited(1000)]);
});
