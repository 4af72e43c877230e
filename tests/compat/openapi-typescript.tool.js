/** Types that `openapi-typescript` makes with the command of `docs/openapi.md`, and calls through `openapi-fetch` with them. */
import assert from 'node:assert/strict';
import { checking } from './checks.js';
import { runCalls, COMPILERS, compileProject, findDocumented, EXPECTED, generate, withProject } from './generated-clients.js';

const TOOL = 'openapi-typescript/bin/cli.js';
const PROGRAM = 'openapi-fetch-program.ts';
const { words, example } = findDocumented('openapi-typescript', 'openapi-typescript');

await checking('openapi-typescript', async (check) => {
  await withProject(PROGRAM, example, { exactOptionalPropertyTypes: true }, async (folder) => {
    await check('it reads the document', () => generate(folder, TOOL, words));
    for (const compiler of COMPILERS) {
      await check(`${compiler.name} compiles a strict program, and rejects each wrong call in it`, async () => {
        assert.deepEqual(await compileProject(folder, compiler), []);
      });
    }
    await check('each call gives what the server has responded', async () => assert.deepEqual(await runCalls(folder), EXPECTED));
    await check('--check accepts these types, and rejects others', async () => {
      await generate(folder, TOOL, `${words} --check`);
      await assert.rejects(generate(folder, TOOL, `${words.replace('=false', '=true')} --check`));
    });
    await check('without the option, a client must send what has a default', async () => {
      await generate(folder, TOOL, words.replace('--default-non-nullable=false ', ''));
      const lines = await compileProject(folder, COMPILERS[0]);
      const missing = lines.flatMap((line) => /Property '(\w+)' is missing/.exec(line)?.[1] ?? []);
      assert.deepEqual([...new Set(missing)].sort(), ['legs', 'lives']);
    });
  });
});
