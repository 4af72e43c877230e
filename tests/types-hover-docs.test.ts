/** What an editor tells of operations and of the client: their docstrings. */
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LanguageServer } from './support/language-server.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILE = `${ROOT}build/types-hover-docs.ts`;

// No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file.
const TEXT = ` import { ApiServer, defineEndpoint, integerId, type StandardSchemaV1 } from '../dist/index.js';
 import { client } from '../dist/client/index.js';
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
});
const pets = client<typeof api>('/v1')('/pet');
pets.list({ query: {} });
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
  ['pets.list({ query', 'query', 'The query'],
] as const) {
  editor(`shows the docstring of ${within}`, async () => {
    const shown = await language.describe(FILE, TEXT, placeOf(within, name));
    assert.ok(shown.doc.startsWith(doc), `${shown.code}\n${shown.doc}`);
  });
}

editor.run();
