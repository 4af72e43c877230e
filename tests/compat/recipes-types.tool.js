/** The programs in TypeScript of the recipes in docs compile, also those that import other packages. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checking } from './checks.js';
import { inScratch, programsOf } from './shown-programs.js';

const TSC = fileURLToPath(new URL('node_modules/typescript/bin/tsc', import.meta.url));
const CONFIG = {
  extends: '../../../examples/tsconfig.json',
  compilerOptions: { rootDir: '.', noEmit: true, skipLibCheck: true, experimentalDecorators: true, emitDecoratorMetadata: true },
  include: ['*.ts'],
  exclude: [],
};

/** Resolves to the complaints of the compiler about these programs. */
function complaintsAbout(programs) {
  return inScratch(async (folder) => {
    for (const { name, code } of programs) writeFileSync(join(folder, name), code);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
    return promisify(execFile)(process.execPath, [TSC, '-p', folder]).then(() => '', ({ stdout }) => stdout);
  });
}

await checking('types of the recipes', async (check) => {
  const pages = readdirSync(new URL('../../docs/', import.meta.url)).filter((page) => page.startsWith('recipes'));
  const programs = pages.flatMap(programsOf).filter(({ name }) => name.endsWith('.ts'));
  await check('all compile', async () => {
    assert.ok(programs.length >= 8);
    assert.equal(new Set(programs.map(({ name }) => name)).size, programs.length);
    assert.equal(await complaintsAbout(programs), '');
  });
  await check('a service of Nest that is used wrongly does not', async () => {
    const wrong = programs.map(({ name, code }) => ({ name, code: code.replace('pets.find(id)', 'pets.find(String(id))') }));
    assert.match(await complaintsAbout(wrong), /main\.ts.*TS2345/);
  });
});
