/** `morgan`: one line for each request, with its status and length, when its response is out. */
import assert from 'node:assert/strict';
import morgan from 'morgan';
import { checking } from './checks.js';
import { serveBehind, checkUnchanged, LOGGED, sendPipelined } from './middleware.js';
import { waitUntil } from './until.js';

await checking('morgan', async (check) => {
  await check('each request has a line', async () => {
    const lines = [];
    const stream = { write: (line) => lines.push(line.trimEnd()) };
    const listener = morgan(':method :url :status :res[content-length] :response-time', { stream });
    await serveBehind([listener], async ({ port }) => {
      const responses = await sendPipelined(port, LOGGED);
      assert.deepEqual(responses.map(({ status }) => status), LOGGED.map(({ status }) => status));
      await waitUntil(() => lines.length === LOGGED.length);
      LOGGED.forEach(({ method, path }, at) => {
        const { status, headers } = responses[at];
        // Node itself adds the length of the mount's response, where nobody sees it.
        const length = path === '/health/a' ? undefined : headers['content-length'];
        assert.equal(lines[at].replace(/ [\d.]+$/, ''), `${method} ${path} ${status} ${length ?? '-'}`);
        assert.match(lines[at], / [\d.]+$/);
      });
    });
  });
  await checkUnchanged(check, () => [morgan('combined', { stream: { write() {} } })]);
});
