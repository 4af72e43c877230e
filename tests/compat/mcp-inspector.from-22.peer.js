/** The Inspector of the Model Context Protocol, by its command line: it checks the schemas of tools too. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { mcpZoo, TOOLS } from './mcp-zoo.js';
import { withScratch, withRunning } from './shown-programs.js';
import { PATIENCE_MS } from './until.js';

const INSPECTOR = fileURLToPath(new URL('node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js', import.meta.url));
// Its own, for a tool whose result is an error.
const IS_ERROR = 5;
const KEEPER = ['--header', 'authorization: Bearer secret'];

/** Runs the Inspector with these options. Resolves to its exit status, and to what it prints. */
function inspect(url, folder, ...options) {
  const env = { ...process.env, MCP_CATALOG_PATH: join(folder, 'mcp.json') };
  return new Promise((resolve) => {
    execFile(process.execPath, [INSPECTOR, '--cli', `${url}/mcp`, '--transport', 'http', ...options], { env, timeout: PATIENCE_MS }, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

async function checkInspector(check) {
  const folder = mkdtempSync(join(tmpdir(), 'restpoint-inspector-'));
  const server = mcpZoo();
  try {
    const { url } = await server.start('127.0.0.1:0');
    const run = (...options) => inspect(url, folder, ...options);
    const call = (name, given, ...options) => run('--method', 'tools/call', '--tool-name', name, ...given.flatMap((pair) => ['--tool-arg', pair]), ...options);
    for (const [who, credentials] of [['without credentials', []], ['with credentials', KEEPER]]) {
      await check(`lists the tools, ${who}, and finds nothing wrong with their schemas`, async () => {
        const { status, stdout, stderr } = await run('--method', 'tools/list', '--strict', ...credentials);
        assert.doesNotMatch(stderr, /Warning|Error/);
        assert.deepEqual([status, JSON.parse(stdout).tools.map(({ name }) => name)], [0, TOOLS]);
      });
      await check(`calls a tool, ${who}`, async () => {
        const { status, stdout } = await call('petGet', ['id=1'], ...credentials);
        assert.deepEqual([status, JSON.parse(stdout).structuredContent], [0, { name: 'Rex' }]);
      });
    }
    const asp = ['body={"name":"Asp"}'];
    await check('calls a tool that needs credentials without any, and gets the problem', async () => {
      const { status, stdout } = await call('petCreate', asp);
      assert.deepEqual([status, JSON.parse(stdout).structuredContent.status], [IS_ERROR, 401]);
    });
    await check('calls it with credentials, and another one with the id that it gives', async () => {
      const { status, stdout } = await call('petCreate', asp, ...KEEPER);
      assert.deepEqual([status, JSON.parse(stdout).structuredContent], [0, { id: 2 }]);
      assert.deepEqual(JSON.parse((await call('petGet', ['id=2'])).stdout).structuredContent, { name: 'Asp' });
    });
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs the program of `docs/mcp.md`, and its commands. */
async function checkPage(check) {
  const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
  const [, program] = /```ts\n(.*?)```/s.exec(page);
  const commands = [...page.matchAll(/^\$ npx @modelcontextprotocol\/inspector --cli http:\/\/127\.0\.0\.1:8080\/mcp (.*)$/gm)].map(([, options]) => options.split(' '));
  await check('runs the commands of docs/mcp.md', () => withScratch((folder) => withRunning({ code: program }, folder, async ({ port }) => {
    const results = [];
    for (const options of commands) results.push(await inspect(`http://127.0.0.1:${port}`, folder, ...options));
    assert.deepEqual(results.map(({ status }) => status), [0, 0]);
    const [listed, called] = results.map(({ stdout }) => JSON.parse(stdout));
    assert.deepEqual([listed.tools.map(({ name }) => name), called.structuredContent], [['petGet'], { value: 'Rex' }]);
  })));
}

await checking('@modelcontextprotocol/inspector', async (check) => {
  await checkInspector(check);
  await checkPage(check);
});
