/**
 * Tests of pages: Vitest with its environments `node`, `happy-dom` and `jsdom`, with real and with mock timers. The client calls the server by
 * `server.fetch`, and by the global `fetch` of the environment over a connection.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { CASES } from './dom-environment-cases.js';
import { withScratch } from './shown-programs.js';
import { PATIENCE_MS } from './until.js';

const VITEST = fileURLToPath(new URL('node_modules/vitest/vitest.mjs', import.meta.url));
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = `
import { describe, expect, test, vi } from 'vitest';
import { CASES, makeServer, makeTools } from './cases.mjs';
const ways = {
  'server.fetch': async (server) => ['http://localhost:3000', server.fetch],
  'the global fetch': async (server) => [(await server.start('127.0.0.1:0')).url, (...given) => fetch(...given)],
};
/** Moves the mock timers until a call has ended. */
const advance = async (call) => {
  let isOver = false;
  call.finally(() => (isOver = true)).catch(() => {});
  while (vi.isFakeTimers() && !isOver) await vi.advanceTimersByTimeAsync(100);
};
for (const [way, connect] of Object.entries(ways)) {
  for (const [name, [run, expected]] of Object.entries(CASES)) {
    test.for(['real', 'mock'])(way + ', %s timers: ' + name, async (timers) => {
      const { server, state } = makeServer();
      const [origin, send] = await connect(server);
      if (timers === 'mock') vi.useFakeTimers();
      try {
        expect(await run(makeTools(origin + '/v1', send, state), advance)).toEqual(expected);
      } finally {
        await server.stop();
        vi.useRealTimers();
      }
    });
  }
}
`;

// From Node 24 on, its `fetch` takes a form of jsdom for a string.
const LACKS_FORMS = Number.parseInt(process.versions.node) >= 24 ? 'jsdom' : undefined;

/** Runs the cases in an environment. Resolves to the names of the tests that have passed and failed, and to what Vitest prints. */
async function runIn(environment, folder) {
  const given = ['--environment', environment, '--testTimeout', '60000', '--reporter=json', '--outputFile=results.json', '-t'];
  given.push(`^(?!.*not in ${environment})${environment === LACKS_FORMS ? '(?!the global fetch.*: a form$)' : ''}`);
  // Its `fetch` throws where nobody can catch it when the rest of a body is cancelled.
  if (environment === 'happy-dom') given.push('--dangerouslyIgnoreUnhandledErrors');
  const child = spawn(process.execPath, [VITEST, 'run', '--root', '.', ...given], { cwd: folder, env: { ...process.env, NO_COLOR: '1' }, timeout: PATIENCE_MS });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const { testResults } = JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8'));
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const list = (wanted) => results.filter(({ status }) => status === wanted).map(({ title, failureMessages: [reason = ''] = [] }) => `${title} ${reason}`.trim());
  return { status: child.exitCode, passed: list('passed').length, failed: list('failed'), output: output + errors };
}

await checking('DOM environments', (check) => withScratch(async (folder) => {
  // A copy: Vite would transform the files behind a link.
  rmSync(join(folder, 'node_modules/restpoint'));
  for (const name of ['dist', 'package.json']) cpSync(join(PACKAGE, name), join(folder, 'node_modules/restpoint', name), { recursive: true });
  const cases = readFileSync(new URL('dom-environment-cases.js', import.meta.url), 'utf8');
  writeFileSync(join(folder, 'cases.mjs'), cases.replaceAll(/'..\/..\/dist(\/\w+)?\/index.js'/g, "'restpoint$1'"));
  writeFileSync(join(folder, 'cases.test.mjs'), PROGRAM);
  const names = Object.keys(CASES);
  for (const environment of ['node', 'happy-dom', 'jsdom']) {
    const all = 4 * names.filter((name) => !name.endsWith(`not in ${environment}`)).length;
    const expected = environment === LACKS_FORMS ? all - 2 : all;
    await check(`${environment}: ${expected} calls`, async () => {
      const { status, passed, failed, output } = await runIn(environment, folder);
      assert.deepEqual({ status, passed, failed }, { status: 0, passed: expected, failed: [] }, `${failed.join('\n')}\n${output}`);
    });
  }
}));
