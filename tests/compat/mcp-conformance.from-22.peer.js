/**
 * The conformance suite of the Model Context Protocol. It calls tools that it knows by their names, and sends requests that must be rejected.
 * Scenarios of what the server does not offer are left out: prompts, resources, sampling, progress, logs, tasks.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError, ApiServer, reply } from '../../dist/index.js';
import { mcpHandler } from '../../dist/mcp/index.js';
import { checking } from './checks.js';
import { findFreePort } from './free-port.js';
import { PATIENCE_MS } from './until.js';

const SUITE = fileURLToPath(new URL('node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url));
const FAILED = ['FAILURE', 'WARNING'];
const OF_TOOLS = [
  'tools-list', 'tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource', 'tools-call-error',
  'dns-rebinding-protection',
];
const SCENARIOS = {
  '2025-06-18': ['server-initialize', 'tools-list', 'tools-call-simple-text'],
  '2025-11-25': ['server-initialize', 'ping', ...OF_TOOLS],
  '2026-07-28': ['server-stateless', 'http-header-validation', 'caching', 'input-required-result-unsupported-methods', ...OF_TOOLS],
};
/** Checks that need what the server does not offer. */
const OTHERS = [
  'sep-2575-server-rejects-undeclared-capability', 'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream', 'sep-2575-server-no-log-without-loglevel',
  'sep-2549-prompts-list-caching-hints', 'sep-2549-resources-list-caching-hints', 'sep-2549-resources-templates-list-caching-hints',
];

/** The tools that the suite calls. */
function declareTools(server) {
  const tool = (name, run) => ({ tool: { name, description: `Is called by the suite as ${name}.` }, run });
  server.registerEndpoint('/test', { custom: {
    text: tool('test_simple_text', () => reply(200, 'This is a simple text response for testing.', { 'Content-Type': 'text/plain' })),
    image: tool('test_image_content', () => reply(200, Buffer.from('an image'), { 'Content-Type': 'image/png' })),
    audio: tool('test_audio_content', () => reply(200, Buffer.from('a sound'), { 'Content-Type': 'audio/wav' })),
    resource: tool('test_embedded_resource', () => reply(200, Buffer.from('a file'), { 'Content-Type': 'application/zip' })),
    error: tool('test_error_handling', () => { throw ApiError.status(409, 'This tool intentionally returns an error for testing'); }),
  } });
}

/** Runs a scenario. Resolves to the results of its checks. */
async function resultsOf(scenario, revision, url, folder) {
  const options = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '-o', folder];
  const child = spawn(process.execPath, [SUITE, ...options], { stdio: 'ignore', timeout: PATIENCE_MS });
  await once(child, 'exit');
  const results = readdirSync(folder).map((name) => join(folder, name, 'checks.json'));
  return results.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')));
}

async function checkScenario(scenario, revision, url) {
  const folder = mkdtempSync(join(tmpdir(), 'restpoint-conformance-'));
  try {
    const results = await resultsOf(scenario, revision, url, folder);
    const failed = results.filter(({ id, status }) => FAILED.includes(status) && !OTHERS.includes(id));
    assert.deepEqual(failed.map(({ id, errorMessage }) => [id, errorMessage]), []);
    assert.ok(results.some(({ status }) => status === 'SUCCESS'), 'nothing was checked');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkConformance(check) {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  declareTools(server);
  // The suite also sends what a page of the server itself would.
  server.mount('/mcp', mcpHandler(server, { info: { name: 'suite', version: '1' }, allowedOrigins: [url] }));
  const started = await server.start({ port });
  assert.ok(started.ok, started.error);
  try {
    for (const [revision, scenarios] of Object.entries(SCENARIOS)) {
      for (const scenario of scenarios) await check(`${revision}: ${scenario}`, () => checkScenario(scenario, revision, `${url}/mcp`));
    }
  } finally {
    await server.stop();
  }
}

await checking('@modelcontextprotocol/conformance', checkConformance);
