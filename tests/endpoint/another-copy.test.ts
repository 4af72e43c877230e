/** Two copies of the package in one process, such as a host's and that of a library which declares endpoints. */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, bytes, reply, stringId } from '../../src/index.ts';
import { message, problemIn } from '../support/messages.ts';
import { rawRequest } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { inTemporaryFolder } from '../support/temporary.ts';

type Package = typeof import('../../src/index.ts');

/** Loads the package anew, from another folder. */
async function withCopy(use: (copy: Package) => Promise<void> | void): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    await cp(fileURLToPath(new URL('../../src/', import.meta.url)), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await use(await import(pathToFileURL(join(folder, 'index.js')).href) as Package);
  });
}

const copied = suite('another copy of the package');
const run = (): string => 'done';
for (const [member, declare] of [
  ['endpoint.custom.put.input', (input: unknown) => ({ id: stringId, custom: { put: { input, run } } })],
  ['endpoint.update.input', (input: unknown) => ({ id: stringId, update: { input, run } })],
  ['endpoint.schema', (schema: unknown) => ({ id: stringId, schema, create: run })],
] as const) {
  copied(`its bytes() as ${member} -> TypeError that says so, and the server is unchanged`, () => withCopy((copy) => {
    assert.is.not(copy.bytes, bytes);
    const server = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
    assert.throws(() => server.registerEndpoint('/file', declare(copy.bytes()) as never), (error: unknown) => {
      return error instanceof TypeError && error.message === `${member} was made by bytes() of another copy of restpoint than the server is of`;
    });
    assert.equal(server.routes, []);
  }));
}
copied('its reply() -> 500 that is logged by name, and nothing of it is sent', () => withCopy(async (copy) => {
  assert.is.not(copy.reply, reply);
  await serving((server) => {
    server.registerEndpoint('/thing', { id: stringId, get: () => copy.reply(200, 'secret', { 'Set-Cookie': 'secret' }) as never });
  }, async ({ port, errors }) => {
    const answer = await rawRequest(port, message('GET', '/v1/thing/1'));
    assert.is(problemIn(answer).status, 500);
    assert.not.match(answer.head + answer.body, 'secret');
    assert.equal(errors.map((error) => error.message), [
      'GET /v1/thing/:id: Internal error: the reply was made by another copy of restpoint than the server is of',
    ]);
  });
}));
copied('its defineEndpoint and its codecs serve as those of the server\'s copy do', () => withCopy(async (copy) => {
  const things = copy.defineEndpoint({ id: copy.integerId, get: (id) => ({ id }) });
  await serving((server) => server.registerEndpoint('/thing', things), async ({ port }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/thing/1'))).body, '{"id":1}');
    const { status, detail } = problemIn(await rawRequest(port, message('GET', '/v1/thing/one')));
    assert.is(status, 400);
    assert.match(detail ?? '', /id: expected a decimal integer/);
  });
}));
copied.run();
