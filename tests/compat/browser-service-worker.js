/** The client in a service worker of a page, whose API is of a different origin. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { HTML, listen, PAGE, withTab } from './browser-chromium.js';
import { startClientApi, startZooForPages } from './client-api.js';
import { bundleProgram } from './tanstack-page.js';
import { TOKEN } from './zoo-server.js';

const PROGRAM = fileURLToPath(new URL('service-worker-program.js', import.meta.url));

/** Serves a page, and the script of its worker. */
function servePage(script) {
  return listen(({ url }, response) => {
    if (url.startsWith('/worker.js')) response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script);
    else response.writeHead(200, HTML).end(PAGE);
  });
}

// These run in the page.
async function startWorker(addresses) {
  const controlled = new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
  await navigator.serviceWorker.register(`/worker.js?${new URLSearchParams(addresses)}`);
  await controlled;
}

function wrongInWorker() {
  const { port1, port2 } = new MessageChannel();
  navigator.serviceWorker.controller.postMessage('call', [port2]);
  return new Promise((resolve) => (port1.onmessage = ({ data }) => resolve(data)));
}

async function getResponse(path) {
  const response = await fetch(path);
  return [response.status, await response.json()];
}

export async function checkServiceWorker(check, browser) {
  const servers = [await startZooForPages(), await startClientApi()];
  const [zoo, other] = servers.map(({ url }) => `${url}/v1`);
  const site = await servePage(await bundleProgram(PROGRAM));
  try {
    await withTab(browser, site.url, async (page) => {
      await page.evaluate(startWorker, { zoo, other, token: TOKEN });
      await check('every kind of call, in a service worker', async () => assert.deepEqual(await page.evaluate(wrongInWorker), []));
      await check('a service worker responds to requests of its page with results and problems of the API', async () => {
        assert.deepEqual(await page.evaluate(getResponse, '/zoo/1'), [200, { id: 1, name: 'The zoo', city: 'Utrecht' }]);
        const [status, { title }] = await page.evaluate(getResponse, '/zoo/9');
        assert.deepEqual([status, title], [404, 'Not Found']);
      });
    });
  } finally {
    site.close();
    for (const server of servers) await server.stop();
  }
}
