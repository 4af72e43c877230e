/**
 * `server.fetch` where there is no socket of Node's: behind `Bun.serve` and `Deno.serve`, and in Cloudflare's `workerd`. One known limitation:
 * `workerd` does not tell a Worker that its client has left before the response has begun.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { Engine, withEngine } from './engine.js';
import { checkForms } from './form-requests.js';
import { findFreePort } from './free-port.js';
import { checkFetches } from './server-fetch-requests.js';
import { withScratch, printedBy, listPrograms } from './shown-programs.js';
import { waitUntil } from './until.js';
import { withWorkerd } from './workerd.js';

const bin = (name) => fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url));
const SERVED = [fileURLToPath(new URL('server-fetch-served.js', import.meta.url))];
const LENGTH = 160 * 64 * 1024;

const LEAVING = [
  ['within events aborts the signal of their operation', '/v1/endless'],
  ['before the response aborts the signal of its operation', '/v1/waiter/1'],
];

/** Checks an engine that serves the zoo at a port. `noticesEarly`: it notices a client that leaves before its response. */
async function checkServed(check, engine, port, noticesEarly) {
  const url = `http://127.0.0.1:${port}`;
  const inEngine = (what, holds) => check(`${what}, in ${engine}`, holds);
  await checkFetches(inEngine, (path, init) => fetch(url + path, init), { without: ['content-length'], isV8: !engine.startsWith('Bun') });
  await inEngine('a response as a stream', async () => {
    assert.equal((await (await fetch(`${url}/v1/stream`)).text()).length, LENGTH);
  });
  await inEngine('a body as a stream', async () => {
    let pieces = 0;
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(64 * 1024));
        if ((pieces += 1) === 160) controller.close();
      },
    });
    assert.equal(await (await fetch(`${url}/length`, { method: 'POST', body, duplex: 'half' })).text(), String(LENGTH));
  });
  await checkForms(inEngine, (path, init) => fetch(url + path, init));
  await inEngine('events', async () => {
    const response = await fetch(`${url}/v1/event`);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(await response.text(), [1, 2, 3].map((tick) => `id: ${tick}\ndata: {"tick":${tick}}\n\n`).join(''));
  });
  for (const [what, path] of LEAVING.slice(0, noticesEarly ? 2 : 1)) {
    await inEngine(`a client that leaves ${what}`, async () => {
      const counts = async () => (await fetch(`${url}/v1/left`)).json();
      const before = await counts();
      const controller = new AbortController();
      const call = fetch(url + path, { signal: controller.signal }).then((response) => response.text());
      await waitUntil(async () => (await counts()).waiting === before.waiting + 1);
      controller.abort();
      await assert.rejects(call, { name: 'AbortError' });
      await waitUntil(async () => (await counts()).left === before.left + 1);
    });
  }
  await inEngine('many calls at the same time', async () => {
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${url}/v1/pet/3`)).status));
    assert.deepEqual([...new Set(statuses)], [200]);
  });
}

const RECIPE = listPrograms('deployment.md').find(({ name }) => name === 'worker.ts');

/** Runs the commands of the recipe, for an engine that serves its module. */
async function checkRecipe(check, engine, start, port) {
  await check(`the recipe, in ${engine}`, () => withEngine(start, async () => {
    await waitUntil(() => isListening(port));
    const printed = await printedBy(RECIPE.commands, { port: String(port), pid: '' });
    assert.deepEqual(printed, RECIPE.commands.map(({ printed: shown }) => shown));
  }));
}

function isListening(port) {
  return fetch(`http://127.0.0.1:${port}/v1/nothing`).then(() => true, () => false);
}

/** The recipe with the built package. */
function recipeWith(specifier) {
  return RECIPE.code.replace("'restpoint'", JSON.stringify(specifier));
}

const DENO = ['--quiet', '--no-prompt', '--no-config', '--allow-net=127.0.0.1'];

await checking('server.fetch', async (check) => {
  await withScratch(async (folder) => {
    const recipe = join(folder, 'worker.ts');
    writeFileSync(recipe, recipeWith(new URL('../../dist/index.js', import.meta.url).href));
    for (const [name, program, options, serving] of [
      ['Bun', bin('bun'), ['run', '--no-install'], (port) => [{ PORT: String(port) }, ['run', '--no-install']]],
      ['Deno', bin('deno'), ['run', ...DENO], (port) => [{}, ['serve', ...DENO, '--host', '127.0.0.1', '--port', String(port)]]],
    ]) {
      await withEngine(() => new Engine(program, options, { NO_COLOR: '1' }, SERVED), async (engine) => {
        await checkServed(check, `${name}.serve`, await engine.port(), true);
      });
      const port = await findFreePort();
      const [environment, serve] = serving(port);
      await checkRecipe(check, name, () => new Engine(program, serve, { NO_COLOR: '1', ...environment }, [recipe]), port);
    }
  });
  const main = "import { server } from './tests/compat/server-fetch-served.js';\nexport default { fetch: server.fetch };";
  await withWorkerd(main, ['tests/compat/form-requests.js', 'tests/compat/server-fetch-served.js', 'tests/compat/zoo.js'], (start, port) => withEngine(start, async () => {
    await waitUntil(() => isListening(port));
    await checkServed(check, 'workerd', port, false);
  }));
  await withWorkerd(recipeWith('./dist/index.js'), [], (start, port) => checkRecipe(check, 'workerd', start, port));
});
