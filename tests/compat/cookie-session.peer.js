/** `cookie-session`: the session is in the operation's reach, and its cookie is on the response. */
import assert from 'node:assert/strict';
import cookieSession from 'cookie-session';
import { ApiServer, stringId } from '../../dist/index.js';
import { checking } from './checks.js';
import { serveBehind, checkUnchanged } from './middleware.js';

const session = () => cookieSession({ name: 'zoo', keys: ['secret'] });

/** Serves a count of visits, which is in the session. */
async function visiting(listeners, use) {
  const server = new ApiServer('', { logger: { info() {}, error: console.error } });
  for (const listener of listeners) server.use(listener);
  server.registerEndpoint('/visits', {
    id: stringId,
    get: (_id, { raw: { session } }) => ({ visits: session.visits ?? 0 }),
    custom: { visit: { run: async ({ raw: { session } }) => ({ visits: (session.visits = (session.visits ?? 0) + 1) }) } },
    delete: (_id, { raw }) => void (raw.session = null),
  });
  const { url } = await server.start('127.0.0.1:0');
  try {
    await use(url);
  } finally {
    await server.stop();
  }
}

/** The cookies of a response, as a client sends them back. */
function cookiesOf(response) {
  return response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]).join('; ');
}

await checking('cookie-session', async (check) => {
  await check('what an operation puts into the session comes with the next request, and is signed', () => visiting([session()], async (url) => {
    let cookie = '';
    for (const visits of [1, 2, 3]) {
      const response = await fetch(`${url}/visits/visit`, { method: 'POST', headers: { cookie, 'content-type': 'application/json' } });
      assert.deepEqual([response.status, await response.json()], [200, { visits }]);
      assert.equal(response.headers.getSetCookie().length, 2);
      cookie = cookiesOf(response);
    }
    const read = await fetch(`${url}/visits/1`, { headers: { cookie } });
    assert.deepEqual([await read.json(), read.headers.getSetCookie()], [{ visits: 3 }, []]);
    const forged = await fetch(`${url}/visits/1`, { headers: { cookie: cookie.replace(/zoo\.sig=./, 'zoo.sig=_') } });
    assert.deepEqual(await forged.json(), { visits: 0 });
    const left = await fetch(`${url}/visits/1`, { method: 'DELETE', headers: { cookie } });
    assert.equal(left.status, 204);
    assert.match(left.headers.getSetCookie().join(), /zoo=;.*expires=Thu, 01 Jan 1970/i);
  }));
  await check('its cookies stand beside those of other middleware', async () => {
    const setting = (_request, response, next) => (response.setHeader('Set-Cookie', ['a=1', 'b=2']), next());
    await visiting([setting, session()], async (url) => {
      for (let time = 0; time < 2; time += 1) {
        const response = await fetch(`${url}/visits/visit`, { method: 'POST' });
        assert.deepEqual(response.headers.getSetCookie().map((cookie) => cookie.split('=')[0]), ['a', 'b', 'zoo', 'zoo.sig']);
      }
    });
  });
  for (const [kind, status] of [['json', 200], ['text', 200], ['bytes', 200], ['iterable', 200], ['sized', 200], ['created', 201], ['see', 303], ['none', 204], ['same', 304]]) {
    await check(`its cookies, those of other middleware and those of a reply stand side by side: ${kind}`, () => {
      const setting = (_request, response, next) => (response.setHeader('Set-Cookie', 'before=1'), next());
      const visiting = (request, _response, next) => ((request.session.visits = 1), next());
      return serveBehind([setting, session(), visiting], async ({ url }) => {
        for (const method of ['GET', 'HEAD']) {
          const headers = kind === 'same' ? { 'if-none-match': '"1"' } : {};
          const response = await fetch(`${url}/v1/reply/${kind}`, { method, headers, redirect: 'manual' });
          assert.equal(response.status, status);
          await response.arrayBuffer();
          const names = response.headers.getSetCookie().map((cookie) => cookie.split('=')[0]);
          assert.deepEqual(names.sort(), ['before', 'other', 'own', 'zoo', 'zoo.sig']);
          assert.deepEqual([response.headers.get('x-own'), response.headers.get('vary')], ['yes', 'Accept-Language']);
        }
      });
    });
  }
  await checkUnchanged(check, () => [session()]);
});
