/** The programs in TypeScript of the pages of docs compile, also those that import other packages. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checking } from './checks.js';
import { generatePrisma, withScratch, PAGES, listPrograms } from './shown-programs.js';

const TSC = fileURLToPath(new URL('node_modules/typescript/bin/tsc', import.meta.url));
const CONFIG = {
  extends: '../../../examples/tsconfig.json',
  compilerOptions: { rootDir: '.', noEmit: true, skipLibCheck: true, experimentalDecorators: true, emitDecoratorMetadata: true },
  include: ['**/*.ts'],
  exclude: [],
};

/** Resolves to the complaints of the compiler about these programs. Each is in a folder of its own, with the files beside it. `lib`: other libraries. */
function complaintsAbout(programs, lib) {
  return withScratch(async (folder) => {
    for (const { name, code, files } of programs) {
      for (const { name: each, code: text } of [...files, { name, code }]) {
        const file = join(folder, name.replaceAll('/', '-'), each);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
      await generatePrisma(files, join(folder, name));
    }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...CONFIG, compilerOptions: { ...CONFIG.compilerOptions, lib } }));
    return promisify(execFile)(process.execPath, [TSC, '-p', folder]).then(() => '', ({ stdout }) => stdout);
  });
}

await checking('types of the recipes', async (check) => {
  const programs = PAGES.flatMap(listPrograms).filter(({ name }) => name.endsWith('.ts'));
  await check('all compile', async () => {
    assert.ok(programs.length >= 8);
    const names = programs.map(({ name }) => name);
    assert.deepEqual(names.filter((name, at) => names.indexOf(name) !== at), []);
    const withPages = programs.filter(({ files }) => files.some(({ name }) => name.endsWith('.html')));
    assert.ok(withPages.length > 0);
    assert.equal(await complaintsAbout(programs.filter((program) => !withPages.includes(program))), '');
    assert.equal(await complaintsAbout(withPages, ['es2023', 'dom']), '');
  });
  await check('a service of Nest that is used wrongly does not', async () => {
    const wrong = programs.filter(({ name }) => name === 'main.ts').map((program) => ({ ...program, code: program.code.replace('pets.find(id)', 'pets.find(String(id))') }));
    assert.match(await complaintsAbout(wrong), /main\.ts.*TS2345/);
  });
});
