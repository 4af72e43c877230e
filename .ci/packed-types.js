/**
 * Copies the type tests of the client into a project that has the package, where they import it by its name:
 *
 *   node .ci/packed-types.js <the project>
 *
 * `client` gets all of them. `emitted` gets only the assertions: the compiler emits the declarations of the endpoints there.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [, , project = ''] = process.argv;
const SOURCES = { client: ['client.types', 'client-endpoints.types', 'contract.types', 'schemas'], emitted: ['client.types'] };

/** The imports of a type test, as the project has them. */
function packed(text) {
  return text
    .replace("'../../src/index.ts'", "'restpoint'")
    .replaceAll(/'\.\.\/\.\.\/src\/(\w+)\/index\.ts'/g, "'restpoint/$1'")
    .replaceAll(/'(\.\/[\w.-]+)\.ts'/g, "'$1.mjs'");
}

for (const [folder, names] of Object.entries(SOURCES)) {
  mkdirSync(join(project, folder), { recursive: true });
  for (const name of names) {
    writeFileSync(join(project, folder, `${name}.mts`), packed(readFileSync(`tests/types/${name}.ts`, 'utf8')));
  }
}
