/** What an editor tells of operations and of the client: their docstrings, and no property that is not for users. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LanguageServer } from './support/language-server.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILE = `${ROOT}build/types-hover-docs.ts`;
const MAX_LINES = 20;

// No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file.
const TEXT = ` import { ApiServer, bytes, created, defineEndpoint, integerId, reply, type StandardSchemaV1 } from '../dist/index.js';
 import { bearer } from '../dist/auth/index.js';
 import { client } from '../dist/client/index.js';
 import { wildcardId } from '../dist/codecs/index.js';
 import { ranges } from '../dist/formats/index.js';
 import { idempotent, memoryIdempotencyStore, pages } from '../dist/interceptors/index.js';
interface Pet { readonly name: string; readonly legs: number }
declare const petSchema: StandardSchemaV1<unknown, Pet>;
declare const store: Map<number, Pet>;
const server = new ApiServer('/v1', { limits: { bodyBytes: 1 } });
const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: petSchema,
    create: { query: petSchema, limits: { bodyBytes: 1 }, run: () => 1 },
    list: () => [...store.values()],
    search: { query: petSchema, input: petSchema, limits: {}, run: () => 1 },
    get: { query: petSchema, limits: { operationMs: 1 }, run: (id) => store.get(id) },
    update: (id, pet) => void store.set(id, pet),
    patch: { input: petSchema, run: () => {} },
    delete: (id) => store.delete(id),
    itemCustom: { feed: { query: petSchema, input: petSchema, limits: {}, run: () => 1 } },
  }),
  '/hours': defineEndpoint({ schema: petSchema, create: () => 1, get: () => 1, update: () => {}, patch: { input: petSchema, run: () => {} }, delete: () => {} }),
});
const pets = client<typeof api>('/v1')('/pet');
const hours = client<typeof api>('/v1').one('/hours');
const calls = [pets.create, pets.list, pets.get, pets.update, pets.patch, pets.delete, pets.itemCustom, pets.each, pets.edit];
const more = [hours.create, hours.get, hours.update, hours.patch, hours.delete];
pets.list({ query: {} });
const [codec, pageOf, once, caller, body, part, given, sent] = [
  wildcardId, pages({ cursor: (pet: Pet) => pet.name }), idempotent(memoryIdempotencyStore()), bearer(() => 1, { getScopes: () => [] }),
  bytes(), ranges({ size: 1, read: () => new Uint8Array() }), reply(200, 1), created(1),
] as const;
const suggested = [server., codec., pageOf., once., caller., body., part., given., sent.];
const pet = await pets.get(1);
await pets.update(1, pet);
const safely = await pets.get(1, { safe: true });
defineEndpoint({ id: integerId, });
server.registerEndpoint('/literal', { get: () => 1, use: { around: (call, run) => run(), } });
`;

const editor = suite('an editor');
let language: LanguageServer;
editor.before(async () => {
  writeFileSync(FILE, TEXT);
  language = await LanguageServer.start();
});
editor.after(async () => {
  await language.stop();
  rmSync(FILE);
});

/** The place of a name within some text. */
function placeOf(within: string, name: string): number {
  const at = TEXT.indexOf(within);
  assert.ok(at !== -1, within);
  return at + within.lastIndexOf(name);
}

for (const [within, name, doc] of [
  ['new ApiServer(', 'ApiServer', 'Makes a server'],
  ['pages({ cursor', 'pages', 'Makes an interceptor for a `list` that returns an array, with cursors that are strings'],
  ['idempotent(memory', 'idempotent', 'Makes an interceptor that runs an operation without a context'],
  ['reply(200', 'reply', 'Makes a response whose body is a string, a number'],
  ['created(1', 'created', 'Makes the 201 of a `create`, with the `Location` of the new item, and without a body'],
  ['ApiServer(\'/v1\', { limits', 'limits', 'Limits'],
  ...['create', 'search', 'get', 'feed'].map((operation) => [`${operation}: { query`, 'query', 'Decodes the query'] as const),
  ['query: petSchema, limits: { b', 'limits', 'Limits'],
  ['query: petSchema, limits: { o', 'limits', 'Limits'],
  ['input: petSchema, limits', 'limits', 'Limits'],
  ['limits: { bodyBytes: 1 }, run', 'run', 'The operation. '],
  ['limits: {}, run', 'run', 'The operation. '],
  ['limits: { operationMs: 1 }, run', 'run', 'The operation. '],
  ['patch: { input: petSchema, run', 'run', 'The operation. '],
  ['feed: { query: petSchema, input: petSchema, limits: {}, run', 'run', 'The operation. '],
  ['pets.create', 'create', '`POST`'],
  ['pets.list', 'list', '`GET`'],
  ['pets.get', 'get', '`GET`'],
  ['pets.update', 'update', '`PUT`'],
  ['pets.patch', 'patch', '`PATCH`'],
  ['pets.delete', 'delete', '`DELETE`'],
  ['pets.itemCustom', 'itemCustom', '`POST`'],
  ['pets.each', 'each', 'The items of the list'],
  ['pets.edit', 'edit', 'Gets the item'],
  ['hours.create', 'create', '`POST`'],
  ['hours.get', 'get', '`GET`'],
  ['hours.update', 'update', '`PUT`'],
  ['hours.patch', 'patch', '`PATCH`'],
  ['hours.delete', 'delete', '`DELETE`'],
  ['pets.list({ query', 'query', 'The query'],
] as const) {
  editor(`shows the docstring of ${within}`, async () => {
    const shown = await language.describe(FILE, TEXT, placeOf(within, name));
    assert.ok(shown.doc.startsWith(doc), `${shown.code}\n${shown.doc}`);
  });
}

for (const [within, name] of [
  ['pets.get(1)', 'get'], ['pet = await', 'pet'], ['update(1', 'update'], ['safely = await', 'safely'],
] as const) {
  editor(`shows ${name} in at most ${MAX_LINES} lines, without what is not for users`, async () => {
    const { code } = await language.describe(FILE, TEXT, placeOf(within, name));
    assert.ok(code.split('\n').length <= MAX_LINES, code);
    assert.not.match(code, /['"] \w|' target'/);
  });
}

// A reply and the body of `ranges` have no properties for users.
for (const [name, property] of [
  ['server', 'fetch'], ['codec', 'parse'], ['pageOf', 'around'], ['once', 'around'], ['caller', 'optional'], ['body', 'types'],
  ['part', undefined], ['given', undefined], ['sent', undefined],
] as const) {
  editor(`suggests no property of ${name} that is not for users`, async () => {
    const names = await language.complete(FILE, TEXT, placeOf(`${name}.`, '.') + 1);
    if (property !== undefined) assert.ok(names.includes(property), names.join(', '));
    assert.equal(names.filter((each) => !/^\w+$/.test(each) && each !== '~standard'), []);
  });
}
editor('suggests the properties of an interceptor, and none that is not for users', async () => {
  const names = await language.complete(FILE, TEXT, placeOf('run(), }', ' }'));
  assert.ok(names.includes('readsBody'), names.join(', '));
  assert.equal(names.filter((each) => !/^\w+$/.test(each)), []);
});
editor('suggests the properties of an endpoint, and none that is not for users', async () => {
  const names = await language.complete(FILE, TEXT, placeOf('integerId, });', ' });'));
  for (const name of ['schema', 'list', 'get', 'create', 'update', 'patch', 'delete', 'search', 'custom', 'itemCustom', 'context', 'use']) {
    assert.ok(names.includes(name), `${name} of ${names.join(', ')}`);
  }
  assert.equal(names.filter((each) => !/^\w+$/.test(each)), []);
});
editor('gets names that begin with a space for properties that are not for users, other than that of the standard', () => {
  const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const names = sources.flatMap((name) => readFileSync(`${ROOT}src/${name}`, 'utf8').match(/(?<=')~[a-z]+(?=')/gi) ?? []);
  assert.equal([...new Set(names)], ['~standard']);
});
editor.run();
