/**
 * The test runners that `docs/testing.md` shows: each runs all checks under their names, skips those that are not reached, and shows why one
 * fails.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { withScratch } from './shown-programs.js';
import { PATIENCE_MS } from './until.js';

const DIST = new URL('../../dist/', import.meta.url).href;
const VITEST = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', import.meta.url));
const ISSUE = 'returned 200. Expected: only properties that the document names, but #/secret is not named by the schema (petGet, get of "/pet")';

/** A server, and the checks of it. With `LEAK` in the environment, it sends a property that its schema does not name. */
const API = `
import { ApiServer, integerId } from '${DIST}index.js';
import { checks } from '${DIST}checks/index.js';
import { z } from 'zod';
const pets = new Map();
export const server = new ApiServer('/v1', { logger: { info() {}, error() {} } });
server.registerEndpoint('/pet', {
  id: integerId, schema: z.object({ name: z.string() }),
  create: (pet) => pets.set(pets.size + 1, pet).size,
  get: (id) => pets.has(id) ? { ...pets.get(id), ...(process.env.LEAK && { secret: 1 }) } : undefined,
  delete: (id) => pets.delete(id),
  custom: { wake: () => {} },
});
export const samples = { petCreate: { body: { name: 'Rex' } } };
export { checks };
`;

/** How each runner is started, and what it prints: how many tests have passed, how many were skipped, and the names of those that failed. */
const RUNNERS = {
  'node:test': {
    command: ['--test-reporter=tap', 'checks.test.mjs'],
    read: (output) => ({ passed: numberIn(output, /^# pass (\d+)$/m), skipped: numberIn(output, /^# skipped (\d+)$/m), failed: namesIn(output, /^not ok \d+ - (.*)$/gm) }),
  },
  vitest: {
    command: [VITEST, 'run', '--root', '.', '--reporter=json', 'checks.test.mjs'],
    read: (output) => {
      const { numPassedTests: passed, numPendingTests: skipped, testResults: [{ assertionResults }] } = JSON.parse(output.slice(output.indexOf('{')));
      return { passed, skipped, failed: assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title) };
    },
  },
  uvu: {
    command: ['checks.test.mjs'],
    read: (output) => ({ passed: numberIn(output, /Passed: +(\d+)/), skipped: numberIn(output, /Skipped: +(\d+)/), failed: namesIn(output, /FAIL +\S+ +"(.*)"/g) }),
  },
};

function numberIn(output, pattern) {
  return Number(pattern.exec(output)?.[1]);
}

function namesIn(output, pattern) {
  return [...output.matchAll(pattern)].map(([, name]) => name);
}

/** The program of the page for a runner: the block after its name, and for node:test the last line of checks.test.ts. */
function programOf(runner) {
  const page = readFileSync(new URL('../../docs/testing.md', import.meta.url), 'utf8');
  const [code] = runner === 'node:test' ? /^for \(const .*$/m.exec(page) : new RegExp(`(?<=^${runner}:\n\n\`\`\`js\n).*?(?=\`\`\`)`, 'ms').exec(page);
  const first = runner === 'node:test' ? "import test from 'node:test';" : '';
  return `import { checks, samples, server } from './api.mjs';\n${first}\n${code}`;
}

/** Runs the checks. Resolves to the exit status, and to what the runner prints. */
async function runIn(runner, folder, environment) {
  writeFileSync(join(folder, 'checks.test.mjs'), programOf(runner));
  const options = { cwd: folder, env: { ...process.env, NO_COLOR: '1', ...environment }, timeout: PATIENCE_MS };
  const child = spawn(process.execPath, RUNNERS[runner].command, options);
  const [output] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: child.exitCode, output };
}

await checking('checks', (check) => withScratch(async (folder) => {
  writeFileSync(join(folder, 'api.mjs'), API);
  const { checks, samples, server } = await import(join(folder, 'api.mjs'));
  const all = checks(server, { samples });
  const skipped = all.filter(({ isSkipped }) => isSkipped).length;
  await check('the server has some that are not reached', () => assert.ok(skipped > 0 && skipped < all.length / 2));
  for (const [runner, { read }] of Object.entries(RUNNERS)) {
    await check(`${runner} runs all that are reached, and skips the others`, async () => {
      const { status, output } = await runIn(runner, folder, {});
      assert.deepEqual([status, read(output)], [0, { passed: all.length - skipped, skipped, failed: [] }], output);
    });
    await check(`${runner} shows which check has failed, and why`, async () => {
      const { status, output } = await runIn(runner, folder, { LEAK: '1' });
      const { failed } = read(output);
      assert.deepEqual([status, failed.includes('GET /v1/pet/:id: the response is as the document says')], [1, true], output);
      assert.ok(output.replaceAll('\\', '').includes(ISSUE), output);
    });
  }
}));
