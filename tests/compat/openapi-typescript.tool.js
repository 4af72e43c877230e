/**
 * Types that `openapi-typescript` makes, and calls through `openapi-fetch` with them. The commands are those of `docs/openapi.md`, and so
 * are the traps: each is shown to be one.
 */
import assert from 'node:assert/strict';
import { checking } from './checks.js';
import { callsOf, COMPILERS, complaints, EXPECTED, generate, inProject } from './generated-clients.js';

const TOOL = 'openapi-typescript/bin/cli.js';
const PROGRAM = 'openapi-fetch-program.ts';
const STRICT = { exactOptionalPropertyTypes: true };

await checking('openapi-typescript', async (check) => {
  await inProject(PROGRAM, STRICT, async (folder) => {
    await check('it reads the document', () => generate(folder, TOOL, 'openapi.json --default-non-nullable=false -o api.ts'));
    for (const compiler of COMPILERS) {
      await check(`${compiler.name} compiles a strict program, and refuses each wrong call in it`, async () => {
        assert.deepEqual(await complaints(folder, compiler), []);
      });
    }
    await check('each call gives what the server has answered', async () => assert.deepEqual(await callsOf(folder), EXPECTED));
    await check('--check accepts these types, and refuses others', async () => {
      const words = 'openapi.json --default-non-nullable=false -o api.ts --check';
      await generate(folder, TOOL, words);
      await assert.rejects(generate(folder, TOOL, words.replace('=false', '=true')));
    });
    await check('without the option, a client must send what has a default', async () => {
      await generate(folder, TOOL, 'openapi.json -o api.ts');
      const lines = await complaints(folder, COMPILERS[0]);
      const missing = lines.flatMap((line) => /Property '(\w+)' is missing/.exec(line)?.[1] ?? []);
      assert.deepEqual(missing, ['lives', 'legs', 'legs']);
    });
  });
});
