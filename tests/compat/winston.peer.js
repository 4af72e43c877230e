/** winston as the server's logger, by the recipe of docs/logging.md: a failure has message, stack and cause. */
import assert from 'node:assert/strict';
import { checking } from './checks.js';
import { runLogged } from './logged.js';

await checking('winston', async (check) => {
  const lines = await runLogged('winston');
  const [first, second] = lines.filter(({ level }) => level === 'error');
  await check('each route has a line', async () => {
    const routes = lines.filter(({ level }) => level === 'info').map(({ message }) => message);
    assert.deepEqual(routes, ['route: GET /v1/pet', 'route: POST /v1/pet/feed', 'route: OPTIONS /v1/pet', 'route: OPTIONS /v1/pet/feed']);
  });
  await check('a failure says which request it was of, and has its stack', async () => {
    assert.equal(first.message, 'GET /v1/pet (request 7f3c): Internal error: the keeper is ill');
    assert.match(first.stack, /^Error: GET \/v1\/pet \(request 7f3c\): .*\n +at /);
  });
  await check('its causes are whole, each with its type, message and stack', async () => {
    assert.match(first.cause, /^Error: the keeper is ill\n +at .*failing\.js:\d+/);
    assert.match(first.cause, /\[cause\]: RangeError: too much cake\n +at .*failing\.js:\d+/);
  });
  await check('a string that was thrown is in the message, and an id with a quote is not', async () => {
    assert.equal(second.message, 'POST /v1/pet/feed: Internal error: only a string');
    assert.equal(second.cause, 'only a string');
  });
});
