/**
 * What an editor shows of an endpoint whose types have names: few enough lines to read. An object type without a name takes a line for each
 * property, so a call shows one object in full. The others come after it, where the compiler cuts its text.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LanguageServer } from './support/language-server.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FILE = `${ROOT}build/types-hover.ts`;
const MAX_LINES = 20;

// No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file.
const TEXT = ` import { ApiServer, defineEndpoint, integerId, type StandardSchemaV1 } from '../dist/index.js';
interface Pet { readonly name: string; readonly legs: number }
interface User { readonly name: string }
interface Portion { readonly grams: number }
declare const petSchema: StandardSchemaV1<unknown, Pet>;
declare const portionSchema: StandardSchemaV1<unknown, Portion>;
declare const store: Map<number, Pet>;
declare function signedIn(request: object): Promise<User>;
const server = new ApiServer('/v1');

const pets = defineEndpoint({
  id: integerId,
  schema: petSchema,
  context: signedIn,
  create: (pet, { context }) => store.set(context.name.length, pet).size,
  list: () => [...store.values()],
  get: (id) => store.get(id),
  update: (id, pet, { context }) => void store.set(id + context.name.length, pet),
  delete: (id) => store.delete(id),
  itemCustom: { feed: { input: portionSchema, run: (id, portion) => [id, portion.grams] } },
});
server.registerEndpoint('/pet', pets);
server.registerEndpoint('/more', {
  id: integerId,
  schema: petSchema,
  context: signedIn,
  create: (pet, { context }) => store.set(context.name.length, pet).size,
  get: (id) => store.get(id),
  custom: { count: () => store.size },
});
const api = server.registerEndpoints({ '/pet': pets });
`;

/** An API: what its operations take and give, and no type of the server. */
const API = `const api: {
    '/pet': {
        id: IdCodec<number>;
        create: {
            body: Sent<Json<Pet>>;
            id: number;
        };
        list: {
            200: Json<Pet>[];
        };
        get: {
            200: Json<Pet>;
        };
        update: {
            204: undefined;
            body: Sent<Json<Pet>>;
        };
        delete: {
            204: undefined;
        };
        itemCustom: {
            feed: {
                200: number[];
                body: Sent<Json<Portion>>;
            };
        };
    };
}`;

const shown = suite('an editor shows');
const codes = new Map<string, string>();
shown.before(async () => {
  writeFileSync(FILE, TEXT);
  const server = await LanguageServer.start();
  try {
    for (const place of ['pets = ', 'api = ', 'defineEndpoint({', "registerEndpoint('/pet'", "registerEndpoint('/more'"]) {
      codes.set(place, await server.hover(FILE, TEXT, TEXT.indexOf(place)));
    }
  } finally {
    await server.stop();
    rmSync(FILE);
  }
});
for (const [what, place, begins] of [
  ['the variable of an endpoint', 'pets = ', 'const pets: {\n    id: IdCodec<number>;'],
  ['defineEndpoint', 'defineEndpoint({', '(alias) function defineEndpoint<{\n    id: IdCodec<number>;'],
  ['registerEndpoint with a variable', "registerEndpoint('/pet'", '(method) ApiServer.registerEndpoint<"/pet", {\n'],
  ['registerEndpoint with an object', "registerEndpoint('/more'", '(method) ApiServer.registerEndpoint<"/more", {\n'],
] as const) {
  shown(`${what} in at most ${MAX_LINES} lines, which begin with the endpoint`, () => {
    const code = codes.get(place) ?? '';
    assert.ok(code.startsWith(begins), code);
    const lines = code.split('\n').length;
    assert.ok(lines <= MAX_LINES, `${lines} lines:\n${code}`);
  });
}
shown('an API as its operations with what they take and give', () => assert.is(codes.get('api = '), API));
shown.run();
