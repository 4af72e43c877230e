/** The responses of the example's page, over a stand-in of swagger-ui-dist. `tests/compat/browser-page.js` opens the real one in a browser. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { apiPage } from '../../examples/page.ts';
import { Child } from '../support/child.ts';
import { installSwaggerUi } from '../support/installed-package.ts';
import { RawClient, type RawResponse } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { inTemporaryFolder } from '../support/temporary.ts';

const ZOO_PAGE = fileURLToPath(new URL('../../examples/zoo-page.js', import.meta.url));
const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
  + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

type Ask = (target: string, method?: string, fields?: string) => Promise<RawResponse>;

/** Mounts the page at `/docs`. Requests to it are sent as they stand. */
function withPage(use: (ask: Ask) => Promise<void>): Promise<void> {
  return inTemporaryFolder(async (folder) => {
    await installSwaggerUi(folder);
    await serving((server) => server.registerHandler('/docs', apiPage('/docs', '/openapi.json', folder)), async ({ port }) => {
      const client = await RawClient.connect(port);
      try {
        await use((target, method = 'GET', fields = '') => {
          client.send(`${method} ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`);
          return client.response(method);
        });
      } finally {
        client.destroy();
      }
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
    const answer = await ask(target);
    assert.match(answer.body, body);
    const { status, headers } = answer;
    assert.equal([status, headers.get('content-type'), headers.get('x-content-type-options')], [200, type, 'nosniff']);
    assert.is(headers.get('content-security-policy'), POLICY);
    const head = await ask(target, 'HEAD');
    assert.equal([head.status, head.headers.get('content-length')], [200, String(answer.body.length)]);
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
page('has no inline script and no inline style, which the policy would refuse', () => withPage(async (ask) => {
  const { body } = await ask('/docs');
  assert.not.match(body, /<style|style=|\son\w+=|<script>/);
}));
page('mounted at /, it has its files there', () => inTemporaryFolder(async (folder) => {
  await installSwaggerUi(folder);
  await serving((server) => server.registerHandler('/', apiPage('/', '/openapi.json', folder)), async ({ url }) => {
    const html = await (await fetch(url)).text();
    assert.equal([...html.matchAll(/src="(.*?)"/g)].map(([, source]) => source), ['/swagger-ui-bundle.js', '/page.js']);
    assert.is(await (await fetch(`${url}/swagger-ui-bundle.js`)).text(), 'bundle();');
  });
}));
page('has its own policy, also if middleware has set another', () => inTemporaryFolder(async (folder) => {
  await installSwaggerUi(folder);
  await serving((server) => {
    server.use((_request, response, next) => {
      response.setHeader('Content-Security-Policy', "script-src 'none'");
      next();
    });
    server.registerHandler('/docs', apiPage('/docs', '/openapi.json', folder));
  }, async ({ url }) => {
    const { headers } = await fetch(`${url}/docs`);
    assert.is(headers.get('content-security-policy'), POLICY);
  });
}));
page('without the package, it throws an error that names the package', () => inTemporaryFolder(async (folder) => {
  const message = `swagger-ui-dist is not installed in ${folder}: npm install --ignore-scripts swagger-ui-dist`;
  assert.throws(() => apiPage('/docs', '/openapi.json', folder), (error: Error) => error.message === message && error.cause instanceof Error);
}));
page.run();

const program = suite('the zoo with a page');
program('opens with the package of the folder that is named, has a zoo to put pets in, and ends on SIGTERM', () => inTemporaryFolder(async (folder) => {
  await installSwaggerUi(folder);
  const child = new Child([ZOO_PAGE, folder], { HOST: '', PORT: '0', ZOO_DB: join(folder, 'zoo.db'), ZOO_TOKEN: '' });
  try {
    const [, url = '', token = ''] = await child.printed(/^The page is at (\S+)\/docs$\n^token, to paste under Authorize: (\S+)$/m);
    assert.match(await (await fetch(`${url}/docs`)).text(), /^<!doctype html>/);
    const { paths } = await (await fetch(`${url}/openapi.json`)).json() as { paths: Record<string, object> };
    assert.ok('post' in (paths['/v1/zoo/{zoo}/pet'] ?? {}));
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
    const body = JSON.stringify({ name: 'Asp', legs: 0, lethal: true });
    assert.is((await fetch(`${url}/v1/zoo/1/pet`, { method: 'POST', headers, body })).status, 201);
    assert.is(await child.end(), 0);
  } finally {
    await child.end('SIGKILL');
  }
}));
program('without the package, it names the package to install, and exits with 1', () => inTemporaryFolder(async (folder) => {
  const child = new Child([ZOO_PAGE], { PORT: '0', ZOO_DB: join(folder, 'zoo.db') }, folder);
  assert.is(await child.exit(), 1);
  assert.match(child.output, `Error: swagger-ui-dist is not installed in `);
}));
program.run();
