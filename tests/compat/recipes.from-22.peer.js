/**
 * The programs of the pages of docs print the output that is shown below them. Those that are tests pass.
 *
 *   node recipes.from-22.peer.js [page]
 */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { isShown } from '../../build/tests/support/curl.js';
import { checking } from './checks.js';
import { withScratch, PAGES, printedBy, listPrograms, run, withRunning } from './shown-programs.js';

const VITEST = [fileURLToPath(new URL('node_modules/vitest/vitest.mjs', import.meta.url)), 'run'];
const JEST = ['--experimental-vm-modules', fileURLToPath(new URL('node_modules/jest/bin/jest.js', import.meta.url))];

/**
 * Modules that a framework imports: each with a program that calls the module as its framework does. To install the frameworks, and to start them, takes
 * longer than all other programs together.
 */
const HOSTED = new Map([
  ['app/v1/[...path]/route.ts', '(request) => module[request.method](request)'],
  ['src/routes/v1/[...path]/+server.ts', '(request) => module.fallback({ request })'],
  // server-fetch-engines.tool.js runs it in Bun, Deno and workerd too.
  ['worker.ts', 'module.default.fetch'],
].map(([name, fetch]) => [name, `
import { serve } from '@hono/node-server';
import * as module from './${name}';
serve({ fetch: ${fetch}, hostname: '127.0.0.1', port: 8080 });
`]));
// pm2.tool.js runs it. Programs with a database of PostgreSQL are run by `npm run test:postgres`.
const ELSEWHERE = ['ecosystem.config.cjs'];

async function checkTest(program, folder) {
  const usesJest = program.code.includes("'@jest/globals'");
  const usesVitest = program.code.includes("'vitest'");
  const { status, output } = await run(program, folder, usesJest ? JEST : usesVitest ? VITEST : undefined);
  assert.equal(status, 0, output);
  assert.match(stripVTControlCharacters(output), usesJest || usesVitest ? /^ *Tests:? +[1-9]\d* passed/m : /^(?:#|ℹ) pass [1-9]/m);
}

async function checkCommands(check, program, folder) {
  const { name, files } = program;
  // mcp-inspector.from-22.peer.js runs the Inspector.
  const commands = program.commands.filter(({ command }) => !command.startsWith('npx @modelcontextprotocol/inspector'));
  const host = HOSTED.get(name);
  const runnable = host === undefined ? program : { code: host, files: [...files, program] };
  await check(`${name} listens`, () => withRunning(runnable, folder, async (running) => {
    const printed = await printedBy(commands, running);
    for (const [index, { command, printed: shown }] of commands.entries()) {
      await check(`${name}: ${command}`, () => assert.ok(isShown(printed[index], shown), printed[index]));
    }
  }));
}

function canRun({ name, code }) {
  return !ELSEWHERE.includes(name) && !/process\.env\['(?:DATABASE|REDIS)_URL'\]/.test(code);
}

await checking('recipes', async (check) => {
  const [, , page] = process.argv;
  const programs = PAGES.filter((name) => page === undefined || name === page).flatMap(listPrograms);
  const sqlite = programs.find(({ name }) => name === 'sqlite.ts');
  // The page says that it gets the same responses.
  if (sqlite) sqlite.commands = programs.find(({ name }) => name === 'pg.ts').commands;
  const left = programs.filter(canRun);
  const runAll = async () => {
    for (let program = left.shift(); program !== undefined; program = left.shift()) {
      const { name } = program;
      await withScratch((folder) => (/\.test\.[jt]s$/.test(name) ? check(`${name} passes`, () => checkTest(program, folder)) : checkCommands(check, program, folder)));
    }
  };
  // Some wait for seconds.
  await Promise.all([runAll(), runAll()]);
  await check('it has programs', () => assert.ok(programs.length > (page === undefined ? 30 : 0)));
});
