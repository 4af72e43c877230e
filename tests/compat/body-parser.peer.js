/** `body-parser`, which nobody needs here: an operation whose body it has read is a logged 500, never a hang. */
import assert from 'node:assert/strict';
import bodyParser from 'body-parser';
import { checking } from './checks.js';
import { serveBehind, REX, send } from './middleware.js';
import { formatRequest, WireClient } from './wire.js';

const body = JSON.stringify(REX);

await checking('body-parser', async (check) => {
  for (const [how, sent] of [['with a length', body], ['in chunks', [body.slice(0, 9), body.slice(9)]]]) {
    await check(`a body ${how} -> 500, logged with the reason`, () => serveBehind([bodyParser.json()], async ({ port, errors }) => {
      assert.equal((await send(port, { method: 'POST', path: '/v1/pet', body: sent })).status, 500);
      assert.match(errors[0].message, /the body was read before the operation could/);
    }));
  }
  await check('a client that waits for 100 Continue is told to send its body, and gets the 500', () => serveBehind([bodyParser.json()], async ({ port, errors }) => {
    const client = await WireClient.connect(port);
    const bytes = formatRequest({ method: 'POST', path: '/v1/pet', headers: { expect: '100-continue' }, body });
    client.write(bytes.subarray(0, -body.length));
    assert.equal((await client.response('POST')).status, 100);
    client.write(bytes.subarray(-body.length));
    assert.equal((await client.response('POST')).status, 500);
    assert.equal(errors.length, 1);
    client.destroy();
  }));
  await check('a body that it rejects -> its status, and its message', () => serveBehind([bodyParser.json({ limit: 5 })], async ({ port, errors }) => {
    const { status, body: problem } = await send(port, { method: 'POST', path: '/v1/pet', body });
    assert.deepEqual([status, JSON.parse(problem).detail, errors], [413, 'request entity too large', []]);
  }));
  await check('requests without a body, and bodies that it leaves alone, get the usual responses', () => serveBehind([bodyParser.urlencoded()], async ({ port }) => {
    assert.equal((await send(port, { method: 'POST', path: '/v1/pet', body })).status, 201);
    assert.equal((await send(port, { method: 'GET', path: '/v1/pet/1' })).status, 200);
  }));
});
