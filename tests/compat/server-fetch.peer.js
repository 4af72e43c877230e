/** `server.fetch` in each engine, and in Hono, which hands over a `Request` and takes a `Response`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import * as restpoint from '../../dist/index.js';
import { checking } from './checks.js';
import { checkFetches } from './server-fetch-requests.js';
import { zooServer } from './zoo.js';
import { PATIENCE_MS } from './until.js';

const run = promisify(execFile);
const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
const PROGRAM = fileURLToPath(new URL('server-fetch-program.js', import.meta.url));

/** Calls `use` with the URL of an app of Hono that passes all requests to a server. */
async function withHono(server, use) {
  const app = new Hono();
  app.all('/*', (context) => server.fetch(context.req.raw));
  const listening = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
  await once(listening, 'listening');
  try {
    await use(`http://127.0.0.1:${listening.address().port}`);
  } finally {
    listening.close();
    listening.closeAllConnections();
    await server.stop();
  }
}

await checking('server.fetch', async (check) => {
  for (const [engine, program, options] of [
    ['Node', process.execPath, []],
    ['Bun', bin('bun'), ['run', '--no-install']],
    ['Deno', bin('deno'), ['run', '--quiet', '--no-prompt', '--no-config']],
  ]) {
    await check(`every kind of call, in ${engine}`, async () => {
      const { stdout } = await run(program, [...options, PROGRAM], { timeout: PATIENCE_MS });
      assert.equal(stdout.trim(), 'wrong: []');
    });
  }
  const server = zooServer(restpoint);
  await checkFetches(check, server.fetch);
  await withHono(zooServer(restpoint), async (url) => {
    await checkFetches((what, holds) => check(`${what}, in Hono`, holds), (path, init) => fetch(url + path, init));
  });
  let leave;
  const left = new Promise((resolve) => (leave = resolve));
  const waiting = zooServer(restpoint, ({ signal }) => {
    signal.addEventListener('abort', () => leave('left'));
    return new Promise(() => {});
  });
  await withHono(waiting, async (url) => {
    await check('a client of Hono that leaves aborts the signal of the operation', async () => {
      const controller = new AbortController();
      const call = fetch(`${url}/v1/pet/wait`, { method: 'POST', signal: controller.signal });
      setTimeout(() => controller.abort(), 100);
      await assert.rejects(call, { name: 'AbortError' });
      assert.equal(await left, 'left');
    });
  });
});
