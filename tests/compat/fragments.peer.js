/**
 * The blocks of docs/openapi.md and docs/streaming.md that are a part of a program: each is completed here, run, and behaves as the text
 * around it says. Other programs run their other blocks.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WebSocket } from 'ws';
import { checking } from './checks.js';
import { lintComplaints } from './openapi-validators.js';
import { withScratch, run, withRunning } from './shown-programs.js';

const IMPORTS = `
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { ApiServer, defineEndpoint, integerId, stringId } from 'restpoint';
import { bearer } from 'restpoint/auth';
import { openApi } from 'restpoint/openapi';
import * as v from 'valibot';
import { z } from 'zod';
const complaints = [];
const logger = { info: () => {}, error: ({ message }) => complaints.push(message) };
const server = new ApiServer('/v1', { logger });
const info = { title: 'Zoo', version: '1.0.0' };
const options = { info };
`;

/** The blocks of JavaScript that have no name, by a string that each contains. */
function fragment(document, text) {
  const markdown = readFileSync(fileURLToPath(new URL(`../../docs/${document}`, import.meta.url)), 'utf8');
  const found = [...markdown.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code).filter((code) => code.includes(text));
  assert.equal(found.length, 1, `${found.length} blocks of ${document} have "${text}"`);
  return found[0];
}

async function passes(code, folder) {
  const { status, output } = await run({ code }, folder);
  assert.equal(status, 0, output);
  return output;
}

const DECLARATION = `
const keepers = new Map();
const store = { add: () => 1, page: () => [], change: () => {} };
${fragment('openapi.md', 'const Page =')}
const { paths } = openApi(server, options);
assert.deepEqual(complaints, []);
const { post, get } = paths['/v1/zoo/{zoo}/pet'];
const { patch } = paths['/v1/zoo/{zoo}/pet/{id}'];
assert.deepEqual([post, get, patch].map(({ operationId }) => operationId), ['petCreate', 'petList', 'petPatch']);
assert.equal(get.summary, 'The pets of a zoo');
assert.deepEqual(Object.keys(patch.responses), ['204', '400', '401', '403', '404', '409', '413', '415', 'default']);
assert.deepEqual(get.parameters.map(({ name }) => name), ['zoo', 'limit']);
`;

const DATES = `
server.registerEndpoint('/pet', defineEndpoint({ id: integerId, schema: z.object({ born: z.coerce.date() }), create: () => 1, get: () => undefined }));
const Keeper = v.object({ since: v.pipe(v.string(), v.isoTimestamp(), v.toDate()) });
server.registerEndpoint('/keeper', defineEndpoint({ id: integerId, schema: toStandardJsonSchema(Keeper), create: () => 1 }));
const { components } = openApi(server, { info });
const date = { type: 'string', format: 'date-time' };
assert.deepEqual(components.schemas.Pet.properties.born, date);
assert.deepEqual(components.schemas.Keeper.properties.since, date);
`;

const ARKTYPE_DATES = `
const { type } = await import('arktype');
server.registerEndpoint('/pet', defineEndpoint({ id: integerId, schema: type({ born: 'Date' }), get: () => undefined }));
assert.equal(openApi(server, { info }).components.schemas.Pet.properties.born.format, 'date-time');
`;

const PINO = `
${fragment('logging.md', 'errWithCause')}
${fragment('logging.md', 'status < 500')}
${fragment('logging.md', 'pinoHttp(')}
import { ApiError, defineEndpoint, reply } from 'restpoint';
const secretCookie = () => reply(200, {}, { 'Set-Cookie': 'session=secret-4' });
const tooMuch = () => { throw ApiError.status(409, 'too much cake'); };
const ill = () => { throw new Error('the keeper is ill'); };
server.registerEndpoints({ '/pet': defineEndpoint({ get: secretCookie, custom: { wash: ill } }) });
const other = new ApiServer('/v1', { logger: leveled });
other.registerEndpoints({ '/pet': defineEndpoint({ custom: { feed: tooMuch, wash: ill } }) });
const headers = { Authorization: 'Bearer secret-1', Cookie: 'session=secret-2', 'X-Api-Key': 'secret-3', 'Proxy-Authorization': 'Basic secret-5' };
const { url } = await server.start({ port: 0 });
for (const [path, method] of [['', 'GET'], ['/wash', 'POST'], ['/nowhere', 'GET']]) await (await fetch(url + '/v1/pet' + path, { method, headers })).text();
for (const path of ['/v1/pet/feed', '/v1/pet/wash']) await other.fetch(path, { method: 'POST' });
await server.stop();
`;

/** The modules that the script of the document imports, and writes. */
const SERVER = `
import { z } from 'zod';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
export function makeServer(logger) {
  const server = new ApiServer('/v1', { logger });
  server.registerEndpoint('/pet', defineEndpoint({ id: integerId, get: { summary: 'One pet', output: z.object({ name: z.string() }), run: () => undefined }, delete: () => {} }));
  return server;
}
export const options = { info: { title: 'Zoo', version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } } };
`;

const CHAT = `
import { ApiServer } from 'restpoint';
import { WebSocketServer } from 'ws';
const server = new ApiServer('/v1', { logger: { info() {}, error: console.error } });
${fragment('streaming.md', 'new WebSocketServer(')}
await server.start('127.0.0.1:8080');
process.once('SIGTERM', () => server.stop());
`;

/** Resolves to the events that a client of a chat sees: `open`, messages, and the code with which it was closed. */
function chatAt(port, origin, onMessage) {
  return new Promise((resolve) => {
    const seen = [];
    const client = new WebSocket(`ws://127.0.0.1:${port}/chat`, { origin });
    client.on('open', () => {
      seen.push('open');
      client.send('hello');
    });
    client.on('message', (data) => {
      seen.push(String(data));
      onMessage();
    });
    client.on('close', (code) => resolve([...seen, code]));
    client.on('error', ({ message }) => seen.push(message));
  });
}

await checking('fragments', async (check) => {
  await withScratch(async (folder) => {
    await check('the declaration has the names, responses and parameters that are told', () => passes(IMPORTS + DECLARATION, folder));
    await check('pino-http as it is shown logs neither a token nor a key nor a cookie, and a level is chosen by the status', async () => {
      const output = await passes(PINO, folder);
      const lines = output.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
      assert.deepEqual(lines.filter(({ res }) => res).map(({ req, res }) => [req.url, res.statusCode]), [['/v1/pet', 200], ['/v1/pet/wash', 500], ['/v1/pet/nowhere', 404]]);
      assert.doesNotMatch(output, /secret/);
      assert.deepEqual(lines.slice(-2).map(({ level, msg }) => [level, msg]), [[40, 'POST /v1/pet/feed: too much cake'], [50, 'POST /v1/pet/wash: Internal error: the keeper is ill']]);
    });
    await check('dates have their schema', () => passes(IMPORTS + DATES, folder));
    await check('dates of ArkType too', () => passes(IMPORTS + ARKTYPE_DATES, folder));
    await check('the script for CI writes a document without a complaint, and fails where a schema is missing', async () => {
      writeFileSync(join(folder, 'write-openapi.js'), fragment('openapi.md', 'writeFileSync'));
      const write = () => promisify(execFile)(process.execPath, ['write-openapi.js'], { cwd: folder });
      writeFileSync(join(folder, 'server.js'), SERVER.replace('z.string()', 'z.custom()'));
      await assert.rejects(write, ({ code, stderr }) => code === 1 && stderr.includes('has parts without a JSON Schema'));
      writeFileSync(join(folder, 'server.js'), SERVER);
      await write();
      const text = readFileSync(join(folder, 'openapi.json'), 'utf8');
      assert.match(text, /\n {2}"openapi": "3\.1/);
      assert.deepEqual(await lintComplaints(JSON.parse(text)), []);
    });
    await check('a chat echoes, rejects other origins, and is closed with 1001 by a stop', () => withRunning({ code: CHAT }, folder, async ({ port, pid }) => {
      assert.deepEqual(await chatAt(port, 'https://other.example', () => {}), ['Unexpected server response: 403', 1006]);
      assert.deepEqual(await chatAt(port, 'https://zoo.example', () => process.kill(pid, 'SIGTERM')), ['open', 'hello', 1001]);
    }));
  });
});
