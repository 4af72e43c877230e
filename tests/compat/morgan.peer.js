/** `morgan`: one line for each request, with its status and length, when its answer is out. */
import assert from 'node:assert/strict';
import morgan from 'morgan';
import { checking } from './checks.js';
import { behind, checkUnchanged, pipelined, REX, until } from './middleware.js';

await checking('morgan', async (check) => {
  await check('each request has a line', async () => {
    const lines = [];
    const stream = { write: (line) => lines.push(line.trimEnd()) };
    const listener = morgan(':method :url :status :res[content-length] :response-time', { stream });
    await behind([listener], async ({ port }) => {
      const requests = [
        { method: 'POST', path: '/v1/pet', body: JSON.stringify(REX) },
        { method: 'GET', path: '/v1/pet/1?full' },
        { method: 'HEAD', path: '/v1/pet/1' },
        { method: 'DELETE', path: '/v1/pet/1' },
        { method: 'GET', path: '/v1/pet/1' },
        { method: 'POST', path: '/v1/pet', body: '{' },
        { method: 'PATCH', path: '/v1/pet' },
        { method: 'POST', path: '/v1/pet/fail' },
        { method: 'GET', path: '/v1/private/1' },
        { method: 'POST', path: '/v1/private', body: '{}' },
        { method: 'GET', path: '/v1/reply/iterable' },
        { method: 'GET', path: '/v1/reply/sized' },
        { method: 'GET', path: '/v1/reply/none' },
        { method: 'OPTIONS', path: '/v1/pet' },
        { method: 'GET', path: '/health/a' },
        { method: 'GET', path: '/nowhere' },
      ];
      const answers = await pipelined(port, requests);
      assert.deepEqual(answers.map(({ status }) => status), [201, 200, 200, 204, 404, 400, 405, 500, 401, 401, 200, 200, 204, 200, 200, 404]);
      await until(() => lines.length === requests.length);
      requests.forEach(({ method, path }, at) => {
        const { status, headers } = answers[at];
        // Node itself adds the length of the mount's answer, where nobody sees it.
        const length = path === '/health/a' ? undefined : headers['content-length'];
        assert.equal(lines[at].replace(/ [\d.]+$/, ''), `${method} ${path} ${status} ${length ?? '-'}`);
        assert.match(lines[at], / [\d.]+$/);
      });
    });
  });
  await checkUnchanged(check, () => [morgan('combined', { stream: { write() {} } })]);
});
