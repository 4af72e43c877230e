/** Two copies of the package in one process, such as a user's and that of a library which declares endpoints. */
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readAll } from '../../src/formats/items.ts';
import { bytes, reply, stringId } from '../../src/index.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';
import { assert, message, readProblem, send, serve, suite } from '../support/facts.ts';

type Package = typeof import('../../src/index.ts');

/** Loads the package anew, from another folder. */
async function withCopy(use: (copy: Package) => Promise<void> | void): Promise<void> {
  await withTemporaryFolder(async (folder) => {
    await cp(fileURLToPath(new URL('../../src/', import.meta.url)), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    await use(await import(pathToFileURL(join(folder, 'index.js')).href) as Package);
  });
}

const copied = suite('another copy of the package');
copied('its bytes() and its formats serve as those of the server\'s copy do', () => withCopy(async (copy) => {
  assert.is.not(copy.bytes, bytes);
  const upper = copy.defineFormat({ types: ['text/upper'], encode: (text: string) => text.toUpperCase() });
  await serve((server) => server.registerEndpoint('/file', {
    custom: { put: { input: copy.bytes({ types: ['text/plain'] }), output: upper, run: async (body: AsyncIterable<Uint8Array>) => String(await readAll(body)) } },
  } as never), async ({ port }) => {
    const { status, headers, body } = await send(port, message('POST', '/v1/file/put', 'abc', ['Content-Type: text/plain']));
    assert.equal([status, headers.get('content-type'), body], [200, 'text/upper', 'ABC']);
    assert.is((await send(port, message('POST', '/v1/file/put', 'abc', ['Content-Type: image/png']))).status, 415);
  });
}));
copied('its reply() -> 500 that is logged by name, and nothing of it is sent', () => withCopy(async (copy) => {
  assert.is.not(copy.reply, reply);
  await serve((server) => {
    server.registerEndpoint('/thing', { id: stringId, get: () => copy.reply(200, 'secret', { 'Set-Cookie': 'secret' }) as never });
  }, async ({ port, errors }) => {
    const response = await send(port, message('GET', '/v1/thing/1'));
    assert.is(readProblem(response).status, 500);
    assert.not.match(response.head + response.body, 'secret');
    assert.equal(errors.map((error) => error.message), [
      'GET /v1/thing/:id: Internal error: the reply was made by a different copy of restpoint than the server: npm dedupe removes one',
    ]);
  });
}));
copied('its defineEndpoint and its codecs serve as those of the server\'s copy do', () => withCopy(async (copy) => {
  const things = copy.defineEndpoint({ id: copy.integerId, get: (id) => ({ id }) });
  await serve((server) => server.registerEndpoint('/thing', things), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/thing/1'))).body, '{"id":1}');
    const { status, detail } = readProblem(await send(port, message('GET', '/v1/thing/one')));
    assert.is(status, 400);
    assert.match(detail ?? '', /id: expected a decimal integer/);
  });
}));
