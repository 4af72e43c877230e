/** `cors`: a preflight gets its response, or that of discovery with its headers; and every response has them. */
import assert from 'node:assert/strict';
import cors from 'cors';
import { checking } from './checks.js';
import { serveBehind, checkUnchanged, JSON_TYPE, REX, send } from './middleware.js';

const ORIGIN = 'https://app.example';
const PREFLIGHT = { origin: ORIGIN, 'access-control-request-method': 'PUT', 'access-control-request-headers': 'content-type' };

await checking('cors', async (check) => {
  await check('a preflight gets the response of cors itself', () => serveBehind([cors({ origin: ORIGIN })], async ({ port }) => {
    for (const path of ['/v1/pet/1', '/v1/pet', '/health', '/v1/nothing']) {
      const { status, headers, body } = await send(port, { method: 'OPTIONS', path, headers: PREFLIGHT });
      assert.deepEqual([status, body, headers.allow], [204, '', undefined]);
      assert.equal(headers['access-control-allow-origin'], ORIGIN);
      assert.equal(headers['access-control-allow-headers'], 'content-type');
      assert.match(headers['access-control-allow-methods'], /PUT/);
    }
  }));
  await check('with preflightContinue, it gets the response of discovery, with the headers of cors', () => {
    return serveBehind([cors({ origin: ORIGIN, preflightContinue: true })], async ({ port }) => {
      for (const [path, status, allow] of [
        ['/v1/pet/1', 200, 'GET, PUT, DELETE'],
        ['/v1/pet', 200, 'POST, POST, POST, POST, POST'],
        ['/v1/nothing', 404, undefined],
      ]) {
        const { headers, ...response } = await send(port, { method: 'OPTIONS', path, headers: PREFLIGHT });
        assert.deepEqual([response.status, headers.allow], [status, allow]);
        assert.equal(headers['access-control-allow-origin'], ORIGIN);
        assert.match(headers['access-control-allow-methods'], /PUT/);
        assert.match(headers.vary, /Origin/);
      }
    });
  });
  await check('each response has the headers, whatever its status', () => serveBehind([cors({ origin: [ORIGIN] })], async ({ port, url }) => {
    const headers = { origin: ORIGIN };
    for (const [method, path, status, body] of [
      ['POST', '/v1/pet', 201, JSON.stringify(REX)],
      ['GET', '/v1/pet/1', 200],
      ['HEAD', '/v1/pet/1', 200],
      ['DELETE', '/v1/pet/1', 204],
      ['GET', '/v1/pet/1', 404],
      ['POST', '/v1/pet', 400, '{'],
      ['PATCH', '/v1/pet', 405],
      ['POST', '/v1/pet/fail', 500],
      ['GET', '/v1/private/1', 401],
      ['GET', '/v1/reply/iterable', 200],
      ['GET', '/v1/reply/none', 204],
      ['GET', '/health', 200],
    ]) {
      const response = await fetch(url + path, { method, headers: { ...headers, ...JSON_TYPE }, body });
      await response.text();
      assert.deepEqual([response.status, response.headers.get('access-control-allow-origin')], [status, ORIGIN], `${method} ${path}`);
      assert.match(response.headers.get('vary'), /Origin/);
    }
    const other = await send(port, { method: 'GET', path: '/health', headers: { origin: 'https://other.example' } });
    assert.equal(other.headers['access-control-allow-origin'], undefined);
  }));
  await check('an origin that it rejects by an error -> 500', () => {
    const rejecting = cors({ origin: (_origin, done) => setImmediate(done, new Error('no such origin')) });
    return serveBehind([rejecting], async ({ port, errors }) => {
      assert.equal((await send(port, { method: 'GET', path: '/v1/pet/1', headers: { origin: ORIGIN } })).status, 500);
      assert.equal(errors.length, 1);
    });
  });
  await checkUnchanged(check, () => [cors({ preflightContinue: true })]);
});
