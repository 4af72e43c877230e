/** The recipe for PM2: it starts the workers of a cluster, and reloads them under load without losing a request. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checking } from './checks.js';
import { findFreePort } from './free-port.js';
import { withScratch, printedBy, listPrograms, writeProgram } from './shown-programs.js';
import { PATIENCE_MS } from './until.js';

const PM2 = fileURLToPath(new URL('node_modules/pm2/bin/pm2', import.meta.url));
const CLIENTS = 4;

/** Resolves to the status of a response over a connection of its own, or to an error code. */
function statusAt(url) {
  return new Promise((resolve) => {
    get(url, { agent: false, signal: AbortSignal.timeout(PATIENCE_MS) }, (response) => response.resume().once('close', () => resolve(response.complete ? response.statusCode : 'cut off')))
      .once('error', ({ code }) => resolve(code));
  });
}

/** Sends requests until `work` has ended. Resolves to the number of responses of each status. */
async function statusesDuring(url, work) {
  const counts = {};
  let isOver = false;
  const client = async () => {
    while (!isOver) {
      const status = await statusAt(url);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  const clients = Array.from({ length: CLIENTS }, client);
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  return counts;
}

await checking('PM2', async (check) => {
  await withScratch(async (folder) => {
    const program = listPrograms('deployment.md').find(({ name }) => name === 'ecosystem.config.cjs');
    const port = await findFreePort();
    await writeProgram(program, folder, port);
    const options = { cwd: folder, timeout: PATIENCE_MS, env: { ...process.env, PM2_HOME: join(folder, '.pm2') } };
    const pm2 = async (...args) => (await promisify(execFile)(process.execPath, [PM2, ...args], options)).stdout;
    const workers = async () => JSON.parse(await pm2('jlist', '--silent')).map(({ pid, pm2_env: { status } }) => ({ pid, status }));
    try {
      await pm2('start', 'ecosystem.config.cjs');
      const [first, ...others] = await workers();
      await check('it starts two workers', () => assert.deepEqual([first.status, ...others.map(({ status }) => status)], ['online', 'online']));
      const printed = await printedBy(program.commands, { port });
      for (const [index, { command, printed: shown }] of program.commands.entries()) {
        await check(command, () => assert.equal(printed[index], shown));
      }
      await check('a reload loses no request', async () => {
        const { 200: succeeded, ...lost } = await statusesDuring(`http://127.0.0.1:${port}/v1/pet/1`, () => pm2('reload', 'api'));
        assert.deepEqual(lost, {});
        assert.ok(succeeded > 0);
      });
      await check('  and replaces both workers', async () => {
        const after = await workers();
        assert.deepEqual(after.map(({ status }) => status), ['online', 'online']);
        const before = [first, ...others].map(({ pid }) => pid);
        assert.deepEqual(after.filter(({ pid }) => before.includes(pid)), []);
      });
    } finally {
      await pm2('kill');
    }
  });
});
