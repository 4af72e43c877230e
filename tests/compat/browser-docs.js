/**
 * The site of the documents in a real browser: its pages, their links, and its search. It needs no other host.
 *
 *   npm run docs && npm --prefix tests/compat ci && node tests/compat/browser-docs.js
 *
 * Exits with 0 if every check passed, with 1 if not, and with 77 if Chromium is missing and cannot be installed.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen, withChromium, withTab } from './browser-chromium.js';
import { checking } from './checks.js';
import { PATIENCE_MS } from './until.js';

const SITE = fileURLToPath(new URL('../../scripts/docs/site/', import.meta.url));
const DOCS = fileURLToPath(new URL('../../docs/', import.meta.url));
const TYPES = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json',
};

/** Serves the files of the site, and nothing else. */
function serveSite() {
  const files = new Map(readdirSync(SITE, { recursive: true }).map((name) => [`/${name}`, join(SITE, name)]));
  return listen(({ url }, response) => {
    const { pathname } = new URL(url, 'http://a');
    const file = files.get(pathname === '/' ? '/index.html' : decodeURI(pathname));
    if (file === undefined || extname(file) === '') response.writeHead(404).end();
    else response.writeHead(200, { 'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
  });
}

/** Opens a page, and notes its failures and its requests to other hosts. */
async function withPage(browser, url, use) {
  const errors = [];
  await withTab(browser, url, async (page) => {
    await page.waitForNetworkIdle({ timeout: PATIENCE_MS });
    await use(page);
  }, (page) => {
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('response', (response) => response.status() >= 400 && errors.push(`${response.status()} ${response.url()}`));
    page.on('request', (request) => {
      const isOwn = /^(?:data|blob):/.test(request.url()) || request.url().startsWith(new URL(url).origin);
      if (!isOwn) errors.push(request.url());
    });
  });
  assert.deepEqual(errors, []);
}

// This runs in the page.
function linksInPage() {
  return [...document.querySelectorAll('.vp-doc a[href]')].map(({ href }) => href).filter((href) => href.startsWith(location.origin));
}

/** The links of a page that lead to no page, or to no place in it. */
async function brokenLinks(page, idsOf) {
  const links = (await page.evaluate(linksInPage)).map((link) => new URL(link));
  const broken = [];
  for (const { pathname, hash } of links) {
    const ids = await idsOf(pathname);
    if (ids === undefined || (hash.length > 1 && !ids.has(decodeURIComponent(hash.slice(1))))) broken.push(pathname + hash);
  }
  return { broken, count: links.length };
}

function idsFrom(url) {
  const found = new Map();
  return async (path) => {
    if (!found.has(path)) {
      const response = await fetch(url + path);
      const html = await response.text();
      found.set(path, response.ok ? new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)) : undefined);
    }
    return found.get(path);
  };
}

async function checkPages(check, browser, url) {
  const idsOf = idsFrom(url);
  const documents = readdirSync(DOCS).map((name) => `/docs/${name.replace(/\.md$/, '.html')}`);
  const paths = ['/', '/SECURITY.html', '/STABILITY.html', '/CHANGELOG.html', ...documents];
  for (const path of paths) {
    await check(`${path} is shown, with links that lead somewhere`, () => withPage(browser, url + path, async (page) => {
      assert.ok(await page.$eval('.vp-doc h1', ({ textContent }) => textContent.length > 3));
      const { broken, count } = await brokenLinks(page, idsOf);
      assert.deepEqual(broken, []);
      assert.ok(count > 0);
    }));
  }
  await check('its sidebar has each page', () => withPage(browser, url, async (page) => {
    const links = await page.$$eval('.VPSidebar a', (found) => found.map(({ href }) => new URL(href).pathname));
    assert.deepEqual(links.sort(), paths.sort());
  }));
}

async function checkFirstScreen(check, browser, url) {
  await check('its first page begins with what it is and a table, and shows whole lines of the program', () => withPage(browser, url, async (page) => {
    await page.setViewport({ width: 1440, height: 900 });
    const [table, program] = await page.$$eval('.vp-doc table, .vp-doc pre', ([first, second]) => [
      first.tagName === 'TABLE' && first.getBoundingClientRect().top, second.scrollWidth - second.clientWidth,
    ]);
    assert.ok(table > 0 && table < 400, `the table is at ${table}`);
    assert.ok(program <= 0, `${program} pixels are not shown`);
  }));
}

async function checkSearch(check, browser, url) {
  await check('its search finds a message, and leads to it', () => withPage(browser, url, async (page) => {
    await page.click('#local-search button');
    await page.waitForSelector('#localsearch-input', { timeout: PATIENCE_MS });
    await page.type('#localsearch-input', 'slow readers');
    await page.waitForSelector('.result', { timeout: PATIENCE_MS });
    const found = await page.$$eval('.result', (results) => results.map(({ href }) => new URL(href).pathname));
    assert.ok(found.includes('/docs/messages.html'), found.join(', '));
    await page.evaluate(() => document.querySelector('.result[href*="/docs/messages.html"]').click());
    const isThere = () => location.pathname === '/docs/messages.html' && document.querySelector('.vp-doc h1') !== null;
    await page.waitForFunction(isThere, { timeout: PATIENCE_MS });
  }));
}

const { url, close } = await serveSite();
await checking('the site in Chromium', (check) => withChromium(async (browser) => {
  await checkPages(check, browser, url);
  await checkFirstScreen(check, browser, url);
  await checkSearch(check, browser, url);
}));
close();
