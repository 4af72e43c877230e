/**
 * The recipes of docs/logging.md: its `js` blocks, as modules. The shown code is the code that runs.
 *
 *   const { listener } = await recipe('Prometheus');
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// From here, the packages of the peers are found.
const FOLDER = new URL('./node_modules/.recipes/', import.meta.url);
const DIST = new URL('../../dist/', import.meta.url);
const DOCUMENT = fileURLToPath(new URL('../../docs/logging.md', import.meta.url));

/** The block under a heading. */
export function readRecipe(heading) {
  const [, section] = readFileSync(DOCUMENT, 'utf8').split(new RegExp(`^#+ ${heading}\n`, 'm'));
  const [, code] = /^```js\n(.*?)^```$/ms.exec(section.split(/^#+ /m)[0]);
  return code;
}

/** Imports the block under a heading. The library is the one that was built. */
export async function recipe(heading) {
  mkdirSync(FOLDER, { recursive: true });
  const file = new URL(`${heading.toLowerCase().replaceAll(/\W+/g, '-')}.mjs`, FOLDER);
  writeFileSync(file, readRecipe(heading).replaceAll(/'restpoint(?:\/(\w+))?'/g, (_, entry) => `'${DIST}${entry ? `${entry}/` : ''}index.js'`));
  return import(file);
}
