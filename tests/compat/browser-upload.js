/** An upload in a real browser, which reports its progress as docs/files.md says. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ApiServer, bytes, defineEndpoint, integerId, reply } from '../../dist/index.js';
import { HTML, withTab } from './browser-chromium.js';
import { bundleProgram, withProject } from './tanstack-page.js';
import { waitUntil } from './until.js';

// So long that the buffers of the browser and the system are a small part of it.
const UPLOAD = 64 * 2 ** 20;

/** Uploads to a server that stops reading in the middle. When the page reports progress, `react` is called, which lets the server proceed. */
async function upload(browser, folder, react) {
  const parts = [];
  let isAborted = false;
  let proceed;
  const proceeded = new Promise((resolve) => (proceed = resolve));
  const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
  server.registerEndpoints({
    '/upload': defineEndpoint({
      id: integerId,
      update: {
        input: bytes(),
        limits: { bodyBytes: UPLOAD },
        run: async (_, body, { signal }) => {
          signal.addEventListener('abort', () => (isAborted = true));
          let length = 0;
          for await (const chunk of body) if ((length += chunk.length) > UPLOAD / 4) await proceeded;
          return reply(200, { length });
        },
      },
    }),
  });
  const script = await bundleProgram(join(folder, 'upload.ts'));
  server.mount('/page', (_, response) => response.writeHead(200, HTML).end(`<!doctype html><script>${script}</script>`));
  const { url } = await server.start('127.0.0.1:0');
  try {
    const result = await withTab(browser, `${url}/page`, async (tab) => {
      await tab.exposeFunction('report', async (part) => {
        parts.push(part);
        await react({ tab, proceed });
      });
      const uploaded = await tab.evaluate((size) => globalThis.upload(size), UPLOAD);
      if (uploaded === 'AbortError') await waitUntil(() => isAborted, () => 'the abort of the request');
      return uploaded;
    });
    return { result, parts };
  } finally {
    proceed();
    await server.stop();
  }
}

export async function checkUpload(check, browser) {
  await withProject(async (folder) => {
    await check('an upload reports its progress, in rising parts up to the whole', async () => {
      const { result, parts } = await upload(browser, folder, ({ proceed }) => proceed());
      assert.deepEqual(result, { length: UPLOAD });
      assert.ok(parts[0] < 1 && parts.at(-1) === 1 && parts.every((part, at) => at === 0 || part >= parts[at - 1]), parts.join());
    });
    await check('an upload that is aborted: the call rejects, and the request aborts on the server', async () => {
      const { result, parts } = await upload(browser, folder, async ({ tab, proceed }) => {
        await tab.evaluate(() => globalThis.left.abort());
        proceed();
      });
      assert.equal(result, 'AbortError');
      assert.ok(parts.at(-1) < 1, parts.join());
    });
  });
}
