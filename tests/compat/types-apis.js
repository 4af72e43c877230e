/**
 * One API, written twice: with restpoint and with Hono, server and client. Its endpoints have eight operations each, with the same paths,
 * inputs and outputs in both, and types that no other endpoint has: the compiler can keep nothing of one for the next.
 *
 * Hono is used in two ways. `hono` has one client for all routes, as restpoint has. `honoInParts` is what its documentation recommends for large
 * applications: a client for each resource. That costs the compiler less, and no type knows the whole API.
 */

/** The imports of both servers. The decoders are functions, which both accept directly, so no adapter for schemas is counted. */
const model = (n) => `
export interface Pet${n} { readonly name: string; readonly legs${n}: number; readonly born: Date; readonly tags: readonly string[] }
export interface Change${n} { readonly name${n}: string }
export interface Page${n} { readonly limit${n}: string }
export interface Food${n} { readonly grams${n}: number }
export declare const pet${n}: (json: unknown) => { readonly name: string; readonly legs${n}: number };
export declare const change${n}: (json: unknown) => Change${n};
export declare const page${n}: (json: unknown) => Page${n};
export declare const food${n}: (json: unknown) => Food${n};
export declare const store${n}: {
  insert(pet: { readonly name: string; readonly legs${n}: number }): Promise<string>;
  list(page: Page${n}): Promise<Pet${n}[]>;
  find(id: string): Promise<Pet${n}>;
  replace(id: string, pet: { readonly name: string; readonly legs${n}: number }): Promise<void>;
  change(id: string, change: Change${n}): Promise<void>;
  remove(id: string): Promise<void>;
  search(change: Change${n}): Promise<{ readonly found${n}: Pet${n}[] }>;
  feed(id: string, food: Food${n}): Promise<{ readonly eaten${n}: number }>;
};
`;

const namesOf = (n) => `change${n}, food${n}, page${n}, pet${n}, store${n}`;

export const restpoint = {
  server: (n) => `import { defineEndpoint, stringId } from 'restpoint';
import { ${namesOf(n)} } from './model${n}.js';
export const endpoint${n} = defineEndpoint({
  id: stringId,
  schema: pet${n},
  create: (pet) => store${n}.insert(pet),
  list: { query: page${n}, run: ({ query }) => store${n}.list(query) },
  get: (id) => store${n}.find(id),
  update: (id, pet) => store${n}.replace(id, pet),
  patch: { input: change${n}, run: (id, change) => store${n}.change(id, change) },
  delete: (id) => store${n}.remove(id),
  custom: { search: { input: change${n}, run: (change) => store${n}.search(change) } },
  itemCustom: { feed: { input: food${n}, run: (id, food) => store${n}.feed(id, food) } },
});
`,
  app: (all) => `import { ApiServer } from 'restpoint';
${all.map((n) => `import { endpoint${n} } from './server${n}.js';\n`).join('')}
export const server: ApiServer = new ApiServer('/v1');
const api = server.registerEndpoints({
${all.map((n) => `  '/pet${n}': endpoint${n},\n`).join('')}});
export type Api = typeof api;
`,
  client: (n) => `import { client } from 'restpoint/client';
import type { Api } from './app.js';
const pets = client<Api>('/v1')('/pet${n}');
export async function use${n}(): Promise<unknown[]> {
  const id = await pets.create({ name: 'Rex', legs${n}: 4 });
  const [first] = await pets.list({ query: { limit${n}: '10' } });
  const legs: number | undefined = first?.legs${n};
  const found = await pets.get(id);
  const born: string = found.born;
  // @ts-expect-error a string in JSON
  const notBorn: Date = found.born;
  const updated = await pets.update(id, { name: 'Rex', legs${n}: 3 });
  const changed = await pets.patch(id, { name${n}: 'Asp' });
  const removed = await pets.delete(id);
  const { found${n} } = await pets.custom.search({ name${n}: 'Asp' });
  const name: string | undefined = found${n}[0]?.name;
  const fed = await pets.itemCustom.feed(id, { grams${n}: 20 });
  const eaten: number = fed.eaten${n};
  return [legs, born, notBorn, updated, changed, removed, name, eaten];
}
`,
};

export const honoInParts = {
  server: (n) => `import { Hono } from 'hono';
import { validator } from 'hono/validator';
import { ${namesOf(n)} } from './model${n}.js';
export const app${n} = new Hono()
  .post('/', validator('json', pet${n}), async (c) => c.text(await store${n}.insert(c.req.valid('json')), 201))
  .get('/', validator('query', page${n}), async (c) => c.json(await store${n}.list(c.req.valid('query')), 200))
  .get('/:id', async (c) => c.json(await store${n}.find(c.req.param('id')), 200))
  .put('/:id', validator('json', pet${n}), async (c) => {
    await store${n}.replace(c.req.param('id'), c.req.valid('json'));
    return c.body(null, 204);
  })
  .patch('/:id', validator('json', change${n}), async (c) => {
    await store${n}.change(c.req.param('id'), c.req.valid('json'));
    return c.body(null, 204);
  })
  .delete('/:id', async (c) => {
    await store${n}.remove(c.req.param('id'));
    return c.body(null, 204);
  })
  .post('/search', validator('json', change${n}), async (c) => c.json(await store${n}.search(c.req.valid('json')), 200))
  .post('/:id/feed', validator('json', food${n}), async (c) => c.json(await store${n}.feed(c.req.param('id'), c.req.valid('json')), 200));
`,
  // No chain of `route`: its type would have those of all routes, which nothing uses here.
  app: (all) => `import { Hono } from 'hono';
${all.map((n) => `import { app${n} } from './server${n}.js';\n`).join('')}
export const server: Hono = new Hono().basePath('/v1');
${all.map((n) => `server.route('/pet${n}', app${n});\n`).join('')}`,
  client: (n) => `import { hc } from 'hono/client';
import type { app${n} } from './server${n}.js';
const pets = hc<typeof app${n}>('/v1/pet${n}');
export async function use${n}(): Promise<unknown[]> {
  const created = await pets.index.$post({ json: { name: 'Rex', legs${n}: 4 } });
  const id = await created.text();
  const listed = await pets.index.$get({ query: { limit${n}: '10' } });
  const [first] = await listed.json();
  const legs: number | undefined = first?.legs${n};
  const got = await pets[':id'].$get({ param: { id } });
  const found = await got.json();
  const born: string = found.born;
  // @ts-expect-error a string in JSON
  const notBorn: Date = found.born;
  const updated = (await pets[':id'].$put({ param: { id }, json: { name: 'Rex', legs${n}: 3 } })).status;
  const changed = (await pets[':id'].$patch({ param: { id }, json: { name${n}: 'Asp' } })).status;
  const removed = (await pets[':id'].$delete({ param: { id } })).status;
  const searched = await pets.search.$post({ json: { name${n}: 'Asp' } });
  const { found${n} } = await searched.json();
  const name: string | undefined = found${n}[0]?.name;
  const fed = await pets[':id'].feed.$post({ param: { id }, json: { grams${n}: 20 } });
  const { eaten${n}: eaten } = await fed.json();
  return [legs, born, notBorn, updated, changed, removed, name, eaten];
}
`,
};

export const hono = {
  server: honoInParts.server,
  app: (all) => `import { Hono } from 'hono';
${all.map((n) => `import { app${n} } from './server${n}.js';\n`).join('')}
const api = new Hono().basePath('/v1')
${all.map((n) => `  .route('/pet${n}', app${n})`).join('\n')};
export type Api = typeof api;
`,
  client: (n) => honoInParts.client(n)
    .replace(`{ app${n} } from './server${n}.js'`, "{ Api } from './app.js'")
    .replace(`hc<typeof app${n}>('/v1/pet${n}')`, `hc<Api>('').v1.pet${n}`)
    .replaceAll('pets.index.', 'pets.'),
};

/** The files of an API with so many endpoints, by name. */
export function makeSources(library, endpoints) {
  const all = Array.from({ length: endpoints }, (_, n) => n);
  const each = (name, source) => all.map((n) => [`${name}${n}.ts`, source(n)]);
  return {
    server: Object.fromEntries([...each('model', model), ...each('server', library.server), ['app.ts', library.app(all)]]),
    client: Object.fromEntries(each('client', library.client)),
  };
}
