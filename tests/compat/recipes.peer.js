/** The programs of the recipes in docs print the output that is shown below them. Those that are tests pass. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { checking } from './checks.js';
import { inScratch, programsOf, run, whileRunning } from './shown-programs.js';

const DEADLINE_MS = 30_000;
const NEXT = '--- next ---';

/** Runs commands in one shell. Resolves to the output of each. */
async function printedBy(commands, { port, pid }) {
  const script = commands.map(({ command }) => `${command}\necho; echo '${NEXT}'`).join('\n').replaceAll('8080', port);
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { timeout: DEADLINE_MS, env: { ...process.env, SERVER: pid } });
  return stdout.replaceAll('\r', '').split(`${NEXT}\n`).slice(0, -1).map((text) => text.trim());
}

await checking('recipes', async (check) => {
  await inScratch(async (folder) => {
    const pages = readdirSync(new URL('../../docs/', import.meta.url)).filter((page) => page.startsWith('recipes'));
    const programs = pages.flatMap((page) => [...programsOf(page)]);
    for (const [name, { code, commands }] of programs) {
      // Node 20 has no SQLite.
      if (code.includes("'node:sqlite'") && !process.getBuiltinModule('node:sqlite')) continue;
      // Only later ones remove types.
      if (name.endsWith('.ts') && !process.features.typescript) continue;
      if (name.endsWith('.test.js')) {
        await check(`${name} passes`, async () => {
          const { status, output } = await run(code, folder);
          assert.equal(status, 0, output);
          assert.match(output, /^(?:#|ℹ) pass [1-9]/m);
        });
      } else {
        await check(`${name} listens`, () => whileRunning(code, folder, async (running) => {
          const printed = await printedBy(commands, running);
          for (const [index, { command, printed: shown }] of commands.entries()) {
            await check(`${name}: ${command}`, () => assert.equal(printed[index], shown));
          }
          assert.notEqual(commands.length, 0, 'no command is shown');
        }));
      }
    }
    await check('it has programs', () => assert.ok(programs.length > 15));
  });
});
