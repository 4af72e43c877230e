/** The page of the zoo in a real browser: it shows the document, sends requests and shows the responses, and needs no other host. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SwaggerUi } from './page-swagger-ui.js';
import { Program } from './program.js';

const PROGRAM = fileURLToPath(new URL('../../build/examples/zoo-page.js', import.meta.url));
const FOLDER = fileURLToPath(new URL('.', import.meta.url));

const TOKEN = 'a-token-of-the-page';

/** The address that it listens on, and the contents of its store. */
class Zoo {
  constructor(url) {
    this.url = url;
  }

  async json(path) {
    const response = await fetch(this.url + path);
    if (!response.ok) throw new Error(`GET ${path} -> ${response.status}`);
    return response.json();
  }
}

/** Starts the example `zoo-page.js` on a free port with an empty store, uses it, and ends it. Its page is of this folder's `node_modules`. Throws if it does not exit with 0 on SIGTERM. */
async function withZoo(use) {
  const folder = mkdtempSync(join(tmpdir(), 'restpoint-page-'));
  const env = { ...process.env, HOST: '', PORT: '0', ZOO_DB: join(folder, 'zoo.db'), ZOO_TOKEN: TOKEN };
  const program = new Program(process.execPath, [PROGRAM], { cwd: FOLDER, env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [, url] = await program.printed(/^The page is at (\S+)\/docs$/m);
    await use(new Zoo(url));
    const status = await program.end('SIGTERM');
    if (status !== 0) throw new Error(`the zoo ended with ${status}`);
  } finally {
    await program.end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

const OTHER = 'http://other.example/';
const PHOTO = new URL('../../examples/zoo/rex.png', import.meta.url);
const ASP = { name: 'Asp', legs: 0, lethal: true };

/** The operations of the document, as the page shows them. */
function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
}

const withPage = async (browser, url, use) => {
  const page = await SwaggerUi.open(browser, url);
  try {
    await use(page);
  } finally {
    await page.close();
  }
};

async function checkCreate(check, zoo, page) {
  await check('it shows every operation of the document, and has no complaint', async () => {
    const operations = operationsOf(await zoo.json('/openapi.json'));
    assert.ok(operations.includes('POST /v1/zoo/{zoo}/pet'));
    assert.deepEqual((await page.operations()).sort(), operations.sort());
  });
  await check('a Create without a token: the page proposes a pet, shows 401, and nothing is stored', async () => {
    await page.tryOut('zooPetCreate');
    assert.deepEqual(Object.keys(JSON.parse(await page.body('zooPetCreate'))), Object.keys(ASP));
    const { status, body } = await page.execute('zooPetCreate', { zoo: '1' }, JSON.stringify(ASP));
    assert.deepEqual([status, JSON.parse(body).detail], ['401', 'The request needs a bearer token.']);
    assert.deepEqual(await zoo.json('/v1/zoo/1/pet'), []);
  });
  await check('a Create with a token: the page shows 201, the id and its Location, and the pet is stored', async () => {
    await page.authorize(TOKEN);
    const { status, body, text } = await page.execute('zooPetCreate', { zoo: '1' }, JSON.stringify(ASP));
    assert.deepEqual([status, body], ['201', '1']);
    assert.match(text, /location: \/v1\/zoo\/1\/pet\/1\s/);
    assert.deepEqual(await zoo.json('/v1/zoo/1/pet/1'), { id: 1, ...ASP, eaten: 0 });
  });
  await check('a Create that is rejected: the page shows 400 and the reason, and nothing is stored', async () => {
    const { status, body } = await page.execute('zooPetCreate', { zoo: '1' }, JSON.stringify({ ...ASP, legs: 'none' }));
    assert.equal(status, '400');
    assert.deepEqual(JSON.parse(body).detail, 'Bad arguments: legs: expected an integer from 0 to 4294967295');
    assert.equal((await zoo.json('/v1/zoo/1/pet')).length, 1);
  });
  await check('a photo that is sent from the page is shown by it', async () => {
    const pet = { zoo: '1', pet: '1' };
    await page.tryOut('zooPetPhotoUpdate');
    assert.equal((await page.execute('zooPetPhotoUpdate', pet, PHOTO)).status, '204');
    await page.tryOut('zooPetPhotoGet');
    assert.equal((await page.execute('zooPetPhotoGet', pet)).status, '200');
    const { scheme, width } = await page.picture('zooPetPhotoGet');
    assert.equal(scheme, 'blob:');
    assert.ok(width > 0);
  });
}

/** At the end: the requests of the page to other hosts, and the loads that its policy rejected. */
async function checkNetwork(check, page) {
  await check('it has sent nothing to a different host, and has wanted nothing that its policy rejects', async () => {
    assert.ok(page.own > 8, `${page.own} requests`);
    assert.deepEqual({ outside: page.outside, violations: await page.violations() }, { outside: [], violations: [] });
  });
  await check('its policy rejects a script, a picture and a request of a different host', async () => {
    await page.evaluate(async (other) => {
      const rejected = (tag) => new Promise((resolve) => {
        document.body.append(Object.assign(document.createElement(tag), { src: other, onerror: resolve }));
      });
      await Promise.all([fetch(other).catch(() => {}), rejected('script'), rejected('img')]);
    }, OTHER);
    const rejected = ['connect-src', 'img-src', 'script-src-elem'].map((directive) => `${directive} ${OTHER}`);
    assert.deepEqual({ outside: page.outside, violations: (await page.violations()).sort() }, { outside: [], violations: rejected });
  });
}

async function checkCount(check, browser, { url }) {
  await check('a request to a different host is counted, where no policy rejects it', async () => {
    await withPage(browser, `${url}/health`, async (page) => {
      await page.evaluate((other) => fetch(other).catch(() => {}), OTHER);
      assert.deepEqual(page.outside, [OTHER]);
    });
  });
}

export function checkZooPage(check, browser) {
  return withZoo(async (zoo) => {
    await withPage(browser, `${zoo.url}/docs`, async (page) => {
      await checkCreate(check, zoo, page);
      await checkNetwork(check, page);
    });
    await checkCount(check, browser, zoo);
  });
}
