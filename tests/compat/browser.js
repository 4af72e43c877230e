/**
 * In a real browser, a page of a different origin can invoke nothing without a preflight. Pages of the server's origin see no difference. Also
 * the client: in the page of docs/react.md, in an upload, and in a service worker. The page of the zoo, which shows its
 * document and sends requests. Events, and ranges.
 *
 *   npm run build && npx tsc -p examples && npm --prefix tests/compat ci && node tests/compat/browser.js
 *
 * Exits with 0 if every check passed, with 1 if not, and with 77 if Chromium is missing and cannot be installed.
 */
import assert from 'node:assert/strict';
import { Api, startPages } from './browser-api.js';
import { withChromium, withTab } from './browser-chromium.js';
import { checkMedia } from './browser-media.js';
import { checkZooPage } from './browser-page.js';
import { ASKED_FOR, SENT_AT_ONCE } from './browser-requests.js';
import { checkServiceWorker } from './browser-service-worker.js';
import { checkTanStack } from './browser-tanstack.js';
import { checkUpload } from './browser-upload.js';
import { checking } from './checks.js';
import { startClientApi, startZooForPages } from './client-api.js';
import { startCorsApi } from './cors-api.js';
import { readableCalls } from './cors-calls.js';
import { checkEventSource } from './event-source.js';
import { waitUntil } from './until.js';
import { TOKEN } from './zoo-server.js';

/** Opens a page and sends from it. Returns the page's results after the server has sent so many `responses`. */
function sendFrom(browser, pageUrl, api, host, send, responses = 1) {
  return withTab(browser, pageUrl, async (page) => {
    api.reset();
    const got = await page.evaluate(send, `http://${host}:${api.port}/v1`);
    await waitUntil(() => api.responded.length >= responses, () => `responses; the server has sent only [${api.responded.join(', ')}]`);
    return got;
  });
}

/**
 * Pages of origins other than the server's, and the headers that browsers send for them. Over plain HTTP to a host other than localhost,
 * a browser sends only `Origin`.
 */
function otherPages({ port }) {
  return [
    { what: 'on another port', url: `http://127.0.0.1:${port}/`, host: '127.0.0.1', site: 'same-site', origin: `http://127.0.0.1:${port}` },
    { what: 'on a different host', url: `http://localhost:${port}/`, host: '127.0.0.1', site: 'cross-site', origin: `http://localhost:${port}` },
    { what: 'without an origin', url: `http://127.0.0.1:${port}/sandboxed`, host: '127.0.0.1', site: 'cross-site', origin: 'null' },
    { what: 'on a different host that is not local', url: `http://page.example:${port}/`, host: 'zoo.example', site: undefined, origin: `http://page.example:${port}` },
    { what: 'without an origin, not local', url: `http://zoo.example:${port}/sandboxed`, host: 'zoo.example', site: undefined, origin: 'null' },
  ];
}

async function checkUnasked(check, browser, pages, api) {
  for (const { what, url, host, site, origin } of otherPages(pages)) {
    for (const { name, send } of SENT_AT_ONCE) {
      await check(`a page ${what}: ${name} -> POST 415, and nothing is invoked`, async () => {
        await sendFrom(browser, url, api, host, send);
        assert.deepEqual({ responded: api.responded, invoked: api.invoked }, { responded: ['POST 415'], invoked: 0 });
        assert.deepEqual({ site: api.site, origin: api.origin }, { site, origin });
      });
    }
  }
}

async function checkOwnPage(check, browser, api) {
  for (const [host, site] of [['127.0.0.1', 'same-origin'], ['zoo.example', undefined]]) {
    const url = `http://${host}:${api.port}/page`;
    for (const { name, own, send } of SENT_AT_ONCE) {
      await check(`a page of ${host} itself: ${name} -> ${own}`, async () => {
        await sendFrom(browser, url, api, host, send);
        const invoked = /POST 20\d/.test(own) ? 1 : 0;
        assert.deepEqual({ responded: api.responded, invoked: api.invoked, site: api.site }, { responded: [own], invoked, site });
      });
    }
    for (const { name, gets, send } of ASKED_FOR) {
      await check(`a page of ${host} itself: ${name} -> ${gets}`, async () => {
        assert.equal(`${gets.split(' ')[0]} ${await sendFrom(browser, url, api, host, send)}`, gets);
        assert.deepEqual({ responded: api.responded, invoked: api.invoked }, { responded: [gets], invoked: 1 });
      });
    }
  }
}

/** If the server responds to preflights, the page gets its response. If not, the browser sends only the preflight. */
async function checkAsked(check, browser, pages, open, closed) {
  for (const { what, url, host } of otherPages(pages)) {
    for (const { name, gets, send } of ASKED_FOR) {
      await check(`a page ${what}, whose preflight is granted: ${name} -> ${gets}`, async () => {
        assert.equal(`${gets.split(' ')[0]} ${await sendFrom(browser, url, open, host, send, 2)}`, gets);
        assert.deepEqual({ responded: open.responded, invoked: open.invoked }, { responded: ['OPTIONS 204', gets], invoked: 1 });
      });
      await check(`a page ${what}, whose preflight is not granted: ${name} -> never sent`, async () => {
        await assert.rejects(sendFrom(browser, url, closed, host, send), /Failed to fetch/);
        assert.deepEqual({ responded: closed.responded, invoked: closed.invoked }, { responded: ['OPTIONS 200'], invoked: 0 });
      });
    }
  }
}

/** The client, in a page of a different origin: the option `cors` lets it call the example, and a server with the operations that the example lacks. */
async function checkClient(check, browser, pages) {
  for (const [what, start, makeCalls] of [
    ['the example', startZooForPages, callZoo],
    ['another server', startClientApi, callOther],
  ]) {
    await check(`a page on another port: every kind of call of the client, to ${what}`, async () => {
      const api = await start();
      try {
        await withTab(browser, pages.url, async (page) => assert.deepEqual(await page.evaluate(makeCalls, api.url, TOKEN), []));
      } finally {
        await api.stop();
      }
    });
  }
}

/** Every kind of operation, from a page of a listed origin that has a token or a cookie. A page of a different origin reads and changes nothing. */
async function checkCors(check, browser, { port }) {
  const listed = `http://127.0.0.1:${port}`;
  const inPage = async (url, use) => {
    const api = await startCorsApi(listed);
    try {
      await withTab(browser, `${api.url}/files`, async (page) => {
        await page.evaluate(() => fetch('/sign-in'));
        await page.goto(url);
        await use(page, api);
      });
    } finally {
      await api.stop();
    }
  };
  for (const [what, options] of [['a token', { headers: { Authorization: 'Bearer secret' } }], ['a cookie', { credentials: 'include' }]]) {
    await check(`a page of a listed origin, with ${what}: every kind of operation`, () => inPage(`${listed}/`, async (page, api) => {
      assert.deepEqual(await page.evaluate(callCors, api.url, options), []);
      assert.deepEqual({ kept: api.kept, asked: api.asked, unmodified: api.unmodified }, { kept: 1, asked: 2, unmodified: 1 });
      assert.equal(api.changes > 0, options.credentials === 'include');
    }));
  }
  for (const [what, url] of [['a different origin', `http://localhost:${port}/`], ['an opaque origin', `${listed}/sandboxed`]]) {
    await check(`a page of ${what}: reads and changes nothing`, () => inPage(url, async (page, api) => {
      // It may not import the module from there.
      assert.deepEqual(await page.evaluate(readableCalls, api.url), []);
      assert.equal(api.changes, 0);
    }));
  }
}

// These run in the page.
async function callZoo(url, token) {
  const names = ['client/index.js', 'client-zoo-calls.js'];
  const [client, { findWrongZooCalls }] = await Promise.all(names.map((name) => import(`${url}/modules/${name}`)));
  return findWrongZooCalls(client, `${url}/v1`, token);
}

async function callOther(url) {
  const names = ['client/index.js', 'client-calls.js'];
  const [client, { findWrongCalls }] = await Promise.all(names.map((name) => import(`${url}/modules/${name}`)));
  return findWrongCalls(client, `${url}/v1`);
}

async function callCors(url, options) {
  const names = ['client/index.js', 'cors-calls.js'];
  const [client, { findWrongCorsCalls }] = await Promise.all(names.map((name) => import(`${url}/modules/${name}`)));
  return findWrongCorsCalls(client, url, options);
}

const api = await Api.start(false);
const open = await Api.start(true);
const pages = await startPages();
await checking('Chromium', (check) => withChromium(async (browser) => {
  console.log(`      ${await browser.version()}`);
  await checkUnasked(check, browser, pages, api);
  await checkOwnPage(check, browser, api);
  await checkAsked(check, browser, pages, open, api);
  await checkClient(check, browser, pages);
  await checkCors(check, browser, pages);
  await checkTanStack(check, browser);
  await checkUpload(check, browser);
  await checkServiceWorker(check, browser);
  await checkZooPage(check, browser);
  await checkEventSource(check, (url, use) => withTab(browser, `${url}/page`, (page) => use((call, ...values) => page.evaluate(call, ...values))));
  await checkMedia(check, browser);
}));
for (const each of [api, open, pages]) each.close();
