/** The zoo with a page, over a stand-in of swagger-ui-dist. `tests/compat/browser-page.js` opens the real one in a browser. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Child } from '../support/child.ts';
import { installSwaggerUi } from '../support/installed-package.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { assert, suite } from '../support/facts.ts';

const ZOO_PAGE = fileURLToPath(new URL('../../examples/zoo-page.js', import.meta.url));

const program = suite('the zoo with a page');
program('opens with the package of the folder that is named, has a zoo to put pets in, and ends on SIGTERM', () => withTemporaryFolder(async (folder) => {
  await installSwaggerUi(folder);
  const child = new Child([ZOO_PAGE, folder], { HOST: '', PORT: '0', ZOO_DB: join(folder, 'zoo.db'), ZOO_TOKEN: '' });
  try {
    const [, url = '', token = ''] = await child.waitForOutput(/^The page is at (\S+)\/docs$\n^token, to paste under Authorize: (\S+)$/m);
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
program('without the package, it names the package to install, and exits with 1', () => withTemporaryFolder(async (folder) => {
  const child = new Child([ZOO_PAGE], { PORT: '0', ZOO_DB: join(folder, 'zoo.db') }, folder);
  assert.is(await child.exit(), 1);
  assert.match(child.output, 'npm install --ignore-scripts swagger-ui-dist');
}));
