/** What programs export that is made with this package, in the declarations that the other compilers emit: TypeScript 5.7 and 5.9. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { compileExporting, EXPORTING, makeExportingProject, removeExportingProject } from '../../build/tests/support/exported-values.js';
import { checking } from './checks.js';

await checking('types of exports', async (check) => {
  for (const name of ['typescript', 'typescript-5.7']) {
    const compiler = fileURLToPath(new URL(`node_modules/${name}/bin/tsc`, import.meta.url));
    const project = await makeExportingProject();
    for (const program of Object.keys(EXPORTING)) {
      await check(`${name}: ${program} names only what the entries of the package export`, () => assert.equal(compileExporting(project, program, compiler), ''));
    }
    removeExportingProject(project);
  }
});
