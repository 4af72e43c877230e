/** `pino-http`: one line for each request, with its status and headers; the operation logs through `request.raw.log`. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import pinoHttp from 'pino-http';
import { checking } from './checks.js';
import { serveBehind, checkUnchanged, LOGGED, sendPipelined } from './middleware.js';
import { waitUntil } from './until.js';
import { formatRequest, WireClient } from './wire.js';

/** A logger, and the lines that it has written. */
function logging() {
  const lines = [];
  const stream = new Writable({ write: (chunk, _encoding, done) => (lines.push(JSON.parse(chunk)), done()) });
  return { lines, listener: pinoHttp({}, stream) };
}

await checking('pino-http', async (check) => {
  await check('each request has a line with its status and the headers of its response', async () => {
    const { lines, listener } = logging();
    await serveBehind([listener], async ({ port }) => {
      const responses = await sendPipelined(port, LOGGED);
      assert.deepEqual(responses.map(({ status }) => status), LOGGED.map(({ status }) => status));
      await waitUntil(() => lines.length === LOGGED.length);
      assert.deepEqual(lines.map(({ req, res }) => [req.method, req.url, res.statusCode]), LOGGED.map(({ method, path }, at) => [method, path, responses[at].status]));
      // Node itself adds the length of the mount's response, where nobody sees it.
      const lengths = responses.map(({ headers }, at) => (LOGGED[at].path === '/health/a' ? undefined : headers['content-length']));
      assert.deepEqual(lines.map(({ res }) => res.headers['content-length']), lengths);
      assert.equal(lines[0].res.headers.location, '/v1/pet/1');
      assert.equal(new Set(lines.map(({ req }) => req.id)).size, LOGGED.length);
    });
  });
  await check('a client that leaves while its operation runs has a line too', async () => {
    const { lines, listener } = logging();
    let called = false;
    await serveBehind([listener], async ({ port }) => {
      const client = await WireClient.connect(port);
      client.write(formatRequest({ method: 'POST', path: '/v1/pet/wait' }));
      await waitUntil(() => called);
      client.destroy();
      await waitUntil(() => lines.length === 1);
      assert.match(lines[0].msg, /aborted/);
    }, () => new Promise(() => (called = true)));
  });
  await checkUnchanged(check, () => [logging().listener]);
});
