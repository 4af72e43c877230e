/** Functions that `@hey-api/openapi-ts` makes with the command of `docs/openapi.md`. */
import assert from 'node:assert/strict';
import { checking } from './checks.js';
import { runCalls, COMPILERS, compileProject, findDocumented, EXPECTED, generate, withProject } from './generated-clients.js';

const TOOL = '@hey-api/openapi-ts/bin/run.js';
const PROGRAM = 'hey-api-program.ts';
const { words, example } = findDocumented('Hey API', 'openapi-ts');

await checking('@hey-api/openapi-ts', async (check) => {
  await withProject(PROGRAM, example, {}, async (folder) => {
    await check('it reads the document', () => generate(folder, TOOL, words));
    for (const compiler of COMPILERS) {
      await check(`${compiler.name} compiles a strict program, and rejects each wrong call in it`, async () => {
        assert.deepEqual(await compileProject(folder, compiler), []);
      });
    }
    await check('each call gives what the server has responded', async () => assert.deepEqual(await runCalls(folder), EXPECTED));
  });
  await withProject(PROGRAM, example, { exactOptionalPropertyTypes: true }, async (folder) => {
    await check('with exactOptionalPropertyTypes, files that it copies into each client do not compile', async () => {
      await generate(folder, TOOL, words);
      const files = (await compileProject(folder, COMPILERS[0])).flatMap((line) => /^[^ (]+/.exec(line) ?? []);
      assert.ok(files.includes('client/client/client.gen.ts'), files.join());
      assert.deepEqual(files.filter((file) => !/^client\/(?:client|core)\//.test(file)), []);
    });
  });
});
