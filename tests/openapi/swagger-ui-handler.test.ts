/** The responses of the page, over a stand-in of swagger-ui-dist. `tests/compat/browser-page.js` opens the real one in a browser. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { swaggerUiHandler } from '../../src/openapi/index.ts';
import { installSwaggerUi } from '../support/installed-package.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { assert, isTypeError, RawClient, type RawResponse, serve, suite } from '../support/facts.ts';

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
  + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Ask = (target: string, method?: string, fields?: string) => Promise<RawResponse>;

/** The page over the package of a folder. */
const pageIn = (folder: string, assets: string | URL = join(folder, 'node_modules', 'swagger-ui-dist')) => swaggerUiHandler({ url: '/openapi.json', assets });

/** Mounts the page at `/docs`. Requests to it are sent as they stand. */
function withPage(use: (ask: Ask) => Promise<void>): Promise<void> {
  return withTemporaryFolder(async (folder) => {
    await installSwaggerUi(folder);
    await serve((server) => server.mount('/docs', pageIn(folder)), async ({ port }) => {
      const client = await RawClient.connect(port);
      await use((target, method = 'GET', fields = '') => {
        client.send(`${method} ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`);
        return client.response(method);
      });
    });
  });
}

const page = suite('the page of an API');
for (const [target, type, body] of [
  ['/docs', HTML, /^<!doctype html>.*<script src="\/docs\/swagger-ui-bundle\.js"><\/script>\n<script src="\/docs\/page\.js"><\/script>\n$/s],
  ['/docs/', HTML, /^<!doctype html>/],
  ['/docs?url=http://other.example/', HTML, /^<!doctype html>/],
  ['/docs/page.js', SCRIPT, /^SwaggerUIBundle\(\{ url: "\/openapi\.json", dom_id: '#page' \}\);\n$/],
  ['/docs/swagger-ui.css', CSS, /^css \{\}$/],
  ['/docs/swagger-ui-bundle.js?v=1', SCRIPT, /^bundle\(\);$/],
] as const) {
  page(`GET ${target} -> 200, ${type}, with the policy`, () => withPage(async (ask) => {
    const response = await ask(target);
    assert.match(response.body, body);
    const { status, headers } = response;
    assert.equal([status, headers.get('content-type'), headers.get('x-content-type-options')], [200, type, 'nosniff']);
    assert.is(headers.get('content-security-policy'), POLICY);
    const head = await ask(target, 'HEAD');
    assert.equal([head.status, head.headers.get('content-length')], [200, String(response.body.length)]);
    const again = await ask(target, 'GET', `If-None-Match: ${headers.get('etag')}\r\n`);
    assert.equal([again.status, again.body, again.headers.get('etag')], [304, '', headers.get('etag')]);
  }));
}
for (const target of [
  '/docs/package.json', '/docs/swagger-ui-dist/package.json', '/docs/../node_modules/swagger-ui-dist/package.json',
  '/docs/%2e%2e/%2e%2e/package.json', '/docs/..%2fpackage.json', '/docs//swagger-ui.css', '/docs/./swagger-ui.css', '/docs/swagger-ui.css/',
  '/docs/__proto__', '/docs/constructor', '/docsX',
]) {
  page(`GET ${target} -> 404, and nothing of a file`, () => withPage(async (ask) => {
    const { status, body } = await ask(target);
    assert.is(status, 404);
    assert.not.match(body, /swagger-ui|css/);
  }));
}
page('POST -> 405 with Allow', () => withPage(async (ask) => {
  const { status, headers } = await ask('/docs', 'POST', 'Content-Length: 0\r\n');
  assert.equal([status, headers.get('allow')], [405, 'GET, HEAD']);
}));
page('has no inline script and no inline style, which the policy would reject', () => withPage(async (ask) => {
  const { body } = await ask('/docs');
  assert.not.match(body, /<style|style=|\son\w+=|<script>/);
}));
page('mounted at /, it has its files there', () => withTemporaryFolder(async (folder) => {
  await installSwaggerUi(folder);
  await serve((server) => server.mount('/', pageIn(folder)), async ({ url }) => {
    const html = await (await fetch(url)).text();
    assert.equal([...html.matchAll(/src="(.*?)"/g)].map(([, source]) => source), ['/swagger-ui-bundle.js', '/page.js']);
    assert.is(await (await fetch(`${url}/swagger-ui-bundle.js`)).text(), 'bundle();');
  });
}));
page('has its own policy, also if middleware has set another', () => withTemporaryFolder(async (folder) => {
  await installSwaggerUi(folder);
  await serve((server) => {
    server.use((_request, response, next) => {
      response.setHeader('Content-Security-Policy', "script-src 'none'");
      next();
    });
    server.mount('/docs', pageIn(folder));
  }, async ({ url }) => {
    const { headers } = await fetch(`${url}/docs`);
    assert.is(headers.get('content-security-policy'), POLICY);
  });
}));
for (const [why, assetsOf] of [
  ['its folder', (folder: string) => folder],
  ['one of its files', (folder: string) => join(folder, 'package.json')],
  ['the URL of its folder', (folder: string) => pathToFileURL(folder)],
  ['the URL of one of its files, as a string', (folder: string) => pathToFileURL(join(folder, 'package.json')).href],
] as const) {
  page(`assets can be ${why}`, () => withTemporaryFolder(async (folder) => {
    await installSwaggerUi(folder);
    const assets = assetsOf(join(folder, 'node_modules', 'swagger-ui-dist'));
    await serve((server) => server.mount('/docs', pageIn(folder, assets)), async ({ url }) => {
      assert.is(await (await fetch(`${url}/docs/swagger-ui-bundle.js`)).text(), 'bundle();');
    });
  }));
}
page('behind the router of another server, it has its files below the whole route, and no markup from a request', () => withTemporaryFolder(async (folder) => {
  await installSwaggerUi(folder);
  const listener = pageIn(folder);
  const host = createServer((request, response) => listener(Object.assign(request, { baseUrl: '/a&b"><script>', url: '/' }), response));
  await new Promise<void>((resolve) => void host.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = host.address() as AddressInfo;
    const html = await (await fetch(`http://127.0.0.1:${port}`)).text();
    assert.match(html, '<script src="/a&amp;b&quot;>&lt;script>/page.js"></script>');
  } finally {
    host.close();
  }
}));

const options = suite('the options of the page');
options('url: undefined -> TypeError', () => assert.throws(() => swaggerUiHandler({ assets: '.' } as never), /^options\.url is required$/));
for (const [url, shown] of [['openapi.json', 'openapi.json'], ['//a/openapi.json', '//a/openapi.json'], ['http://a/', 'http://a/']] as const) {
  options(`url: ${shown} -> TypeError`, () => {
    const message = `options.url must be a path such as /openapi.json: ${shown}`;
    assert.throws(() => swaggerUiHandler({ url, assets: '.' } as never), isTypeError(message));
  });
}
for (const assets of [undefined, 7, null, 'nowhere', '.', 'http://a/', 'file://a/', new URL('https://a/')]) {
  options(`assets: ${String(assets)} -> TypeError that names the package and how to install it, with its cause`, () => {
    const message = `options.assets must be swagger-ui-dist, installed by "npm install --ignore-scripts swagger-ui-dist": ${String(assets)}`;
    assert.throws(() => swaggerUiHandler({ url: '/openapi.json', assets } as never), (thrown: unknown) => {
      return thrown instanceof TypeError && thrown.message === message && thrown.cause instanceof Error;
    });
  });
}
options('another option, or none -> TypeError', () => {
  assert.throws(() => swaggerUiHandler({ url: '/', assets: '.', route: '/docs' } as never), /^unknown option options\.route: it can be one of url, assets$/);
  assert.throws(() => swaggerUiHandler(undefined as never), /^options must be an object: undefined$/);
});
