/** `helmet`: every response has its headers. */
import assert from 'node:assert/strict';
import helmet from 'helmet';
import { checking } from './checks.js';
import { serveBehind, checkUnchanged, send } from './middleware.js';

await checking('helmet', async (check) => {
  for (const [method, path, status] of [
    ['GET', '/v1/pet/1', 404],
    ['GET', '/v1/pet/none', 400],
    ['POST', '/v1/pet/count', 200],
    ['HEAD', '/v1/pet/1', 404],
    ['OPTIONS', '/v1/pet', 200],
    ['PATCH', '/v1/pet', 405],
    ['GET', '/nowhere', 404],
    ['POST', '/v1/pet/fail', 500],
    ['GET', '/health', 200],
    ['GET', '/v1/private/1', 401],
    ['GET', '/v1/reply/iterable', 200],
    ['GET', '/v1/reply/see', 303],
    ['GET', '/v1/reply/none', 204],
  ]) {
    await check(`${method} ${path} -> ${status} with its headers`, () => serveBehind([helmet()], async ({ port }) => {
      const response = await send(port, { method, path });
      assert.equal(response.status, status);
      assert.equal(response.headers['x-content-type-options'], 'nosniff');
      assert.match(response.headers['content-security-policy'], /default-src 'self'/);
      assert.match(response.headers['strict-transport-security'], /max-age=/);
    }));
  }
  await checkUnchanged(check, () => [helmet()]);
});
