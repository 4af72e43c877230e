/**
 * What programs export that is made with this package: each kind of value, whose type the compiler writes into a declaration (`declaration: true`,
 * which `composite` implies). It must be able to name everything in it, by what the entries of the package export.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

// No line begins with `import`: `.ci/packed-tests.js` would take it for one of this file.
const SERVER = `
 import { ApiError, ApiServer, bytes, created, defineEndpoint, defineFormat, endpointWith, integerId, problem, reply, stringId, uint64Id, uuidId, wildcardId, type ApiRequest, type IdCodec } from 'restpoint';
 import { anyone, apiKey, basic, bearer, cookie, firstOf } from 'restpoint/auth';
 import { checks } from 'restpoint/checks';
 import { attachment, createDecoder, events, form, mergePatch, ndjson, parseJson, ranges } from 'restpoint/formats';
 import { idempotent, memoryIdempotencyStore, memoryRates, pages, rateLimit } from 'restpoint/interceptors';
 import { mcpHandler } from 'restpoint/mcp';
 import { openApi, openApiHandler, swaggerUiHandler } from 'restpoint/openapi';
 import { inTransaction, keyset, postgresEvents, postgresIdempotencyStore, postgresRates, postgresTables, transaction, type PostgresPool } from 'restpoint/postgres';
// Not exported: its users are.
interface User { readonly name: string; readonly scopes: readonly string[] }
const decode = (json: unknown): { readonly name: string; readonly tags: readonly string[] } => json as never;
const rex = decode({});
// Contains itself: the declaration has its first level.
interface Folder { readonly name: string; readonly parent?: Folder | undefined; readonly folders: readonly Folder[] }
const decodeFolder = (json: unknown): Folder => json as never;
export const makeFolders = (own: ApiServer) => own.registerEndpoints({
  '/folder': defineEndpoint({ id: integerId, schema: decodeFolder, list: { output: (folders: Folder[]) => folders, run: () => [] }, get: (id): Folder => decodeFolder(id), create: () => 1 }),
});
declare const pool: PostgresPool & { readonly size: number };
export interface Day { readonly day: string }
export const dayId: IdCodec<Day> = { parse: (text: string) => ({ day: text }), format: ({ day }: Day) => day };
export const server = new ApiServer('/v1', { cors: { origins: '*' } });
export const { requestListener, fetch, routes, stopping } = server;
export const start = server.start.bind(server);
export const started = server.start('127.0.0.1:0');
export const address = (await started);
export const response = await server.fetch('/v1/pet');
export const ids = { integerId, stringId, uint64Id, uuidId, wildcardId };
export const functions = {
  ApiError, ApiServer, anyone, apiKey, attachment, basic, bearer, bytes, checks, cookie, createDecoder, created, defineEndpoint, defineFormat, endpointWith, events, firstOf, form, idempotent,
  inTransaction, keyset, mcpHandler, memoryIdempotencyStore, memoryRates, mergePatch, ndjson, openApi, openApiHandler, pages, postgresEvents, postgresIdempotencyStore,
  parseJson, postgresRates, postgresTables, problem, ranges, rateLimit, reply, swaggerUiHandler, transaction,
};
export const signedIn = bearer(async (token): Promise<User | undefined> => ({ name: token, scopes: ['a'] }));
export const scoped = bearer(() => 1, { getScopes: () => ['a'] as const });
export const contexts = {
  signedIn, scoped, anyone, optional: bearer((token) => ({ token }), { optional: true }), byKey: apiKey('X-Key', () => 1), byCookie: cookie('a', () => ({ a: 1 })),
  byPassword: basic((user) => ({ user })), either: firstOf(apiKey('X-Key', () => 1), anyone), both: firstOf(signedIn, scoped),
};
export const context = async (request: ApiRequest<User>) => request.context;
export const formats = {
  bytes: bytes(), own: defineFormat({ encode: String }), events: events(decode), named: events({ a: decode }), form: form(decode), ndjson: ndjson(decode), patch: mergePatch(decode),
  decoder: createDecoder<number>(decode),
};
export const replies = { a: reply(200, { a: 1 }, attachment('a')), b: created(1, 'a'), c: problem(404), d: reply(200, ranges({ size: 1, read: () => new Uint8Array(1) })), e: ApiError.notFound() };
export const stores = { keys: memoryIdempotencyStore(), rates: memoryRates() };
export const interceptors = {
  pages: pages({ cursor: (pet: { readonly id: number }) => pet.id, envelope: true }), plain: pages({ cursor: () => 1 }), limit: rateLimit({ limit: 1, windowSeconds: 1 }),
  once: idempotent(stores.keys), required: idempotent(stores.keys, { required: true }), perUser: idempotent(stores.keys, { caller: ({ context }: ApiRequest<User>) => context.name }),
};
export const postgres = {
  events: postgresEvents(pool, { channel: 'a' } as never), rates: postgresRates(pool), keys: postgresIdempotencyStore(pool), tables: postgresTables(),
  used: transaction(pool), done: inTransaction(pool, async (tx) => tx), page: keyset({ limit: 1 } as never, { id: 'id' } as never),
};
export const list = { use: interceptors.pages, run: () => [{ id: 1 }] };
export const below = endpointWith({ params: { zoo: stringId }, context: scoped, use: interceptors.limit });
export const inTx = endpointWith({ context: signedIn, use: transaction(pool) });
export const cage = below({ id: integerId, get: (id, { params, context }) => ({ id, zoo: params.zoo, context }), itemCustom: { feed: (_id, request) => request.context } });
export const stored = inTx({ id: integerId, list, get: (id, { context }) => ({ id, user: context.name }), create: { input: decode, use: interceptors.perUser, run: () => 1 } });
export const makeEndpoint = (own: typeof signedIn) => defineEndpoint({ id: uuidId, context: own, get: (id, request) => ({ id, user: request.context }) });
export const makeApi = (own: ApiServer) => own.registerEndpoints({ '/zoo/:zoo/cage': cage, '/stored': stored });
export class Service { readonly server = server; readonly cage = cage; readonly signedIn = signedIn; make() { return endpointWith({ context: this.signedIn }); } }
export const handlers = {
  document: openApiHandler(server, { info: { title: 'a', version: '1' } }), page: swaggerUiHandler({ url: '/openapi.json' } as never), tools: mcpHandler(server, { name: 'a', version: '1' } as never),
  text: openApi(server, { info: { title: 'a', version: '1' } }), all: checks(server),
};
export const pet = defineEndpoint({
  id: integerId, schema: decode, version: () => 1, requireIfMatch: true,
  create: { use: interceptors.once, errors: { 409: [decode, decode] }, run: () => 1 },
  list: { use: pages({ cursor: () => 1, envelope: true }), run: () => [rex] },
  get: { errors: { 410: decode }, responseHeaders: { 'X-A': String }, run: () => reply(200, rex, { 'X-A': 'a' }) },
  update: () => true, patch: { input: decode, run: () => true }, delete: () => true,
  custom: {
    count: () => 1, near: { method: 'GET', query: decode, run: () => [rex] },
    live: { method: 'GET', output: events(decode), run: async function* () {} }, named: { method: 'GET', output: events({ fed: decode, born: decode }), run: async function* () {} },
  },
  itemCustom: {
    feed: { input: decode, run: () => 1 }, visits: { method: 'GET', run: () => [rex] }, photo: { input: bytes(), run: () => 1 }, form: { input: form(decode), run: () => 1 },
    many: { input: ndjson(decode), run: () => 1 },
  },
});
export const api = server.registerEndpoints({
  '/pet': pet,
  '/toy': defineEndpoint({ id: stringId, schema: decode, create: { use: interceptors.required, run: () => 'a' }, list: { use: interceptors.plain, run: () => [rex] }, get: () => rex, update: () => {} }),
  '/hours': defineEndpoint({ schema: decode, create: () => {}, get: () => rex, update: () => {}, patch: { input: decode, run: () => {} }, delete: () => {}, custom: { on: () => reply(202, 1) } }),
  '/zoo/:zoo/log': defineEndpoint({ id: wildcardId, params: { zoo: stringId }, list: { output: ndjson(decode), run: async function* () {} }, get: () => problem(404) }),
  '/day': defineEndpoint({ id: dayId, get: (id) => id }),
  '/stored': stored,
});
export type Api = typeof api;
export default api;`;

const CLIENT = `
 import { client, integerId, ProblemError, toFormData, wait, wildcardId, type BodyOf, type Operations, type ProblemOf, type ResultOf } from 'restpoint/client';
 import { dayId, type Api } from './server.js';
const wrap = <Args extends unknown[], Result>(call: (...args: Args) => Result) => (...args: Args): Result => call(...args);
const rex = { name: 'Rex', tags: [] };
export const api = client<Api>('/v1');
export default api;
export const { one } = api;
export const pets = api('/pet');
export const toys = api('/toy');
export const byCodec = api('/pet', {}, { id: integerId });
export const hours = api.one('/hours');
export const logs = api('/zoo/:zoo/log', { zoo: 'a' }, { id: wildcardId });
export const days = api('/day', {}, { id: dayId });
export const { create, list, get, update, patch, delete: remove, custom, itemCustom, each, edit, page } = pets;
export const apiWithIds = client<Pick<Api, '/pet' | '/toy' | '/hours'>>('/v1', { ids: { '/pet': integerId } });
export const petsWithIds = apiWithIds('/pet');
export const { create: createWithId } = petsWithIds;
export const oneWithIds = apiWithIds.one;
export const firstPage = await pets.page();
export const nextPage = (query: typeof firstPage.next) => pets.page(query && { query });
export const { create: addToy, list: listToys, update: updateToy } = toys;
export const { create: openHours, get: getHours, update: updateHours, patch: patchHours, delete: deleteHours, custom: customHours, edit: editHours } = hours;
export const { count, near, live, named } = pets.custom;
export const { feed, visits, photo, form, many } = pets.itemCustom;
export const { get: getNear } = pets.custom.near;
export function usePets() { return { pets, hours }; }
export const usePet = (id: number) => ({ load: () => pets.get(id), save: pets.update });
export class Store {
  static readonly hours = hours;
  readonly pets = pets;
  readonly get = pets.get;
  readonly find = (id: number) => this.get(id, { safe: true });
  loadAll() { return pets.list(); }
}
export namespace Pets { export const all = pets; export const load = pets.get; }
export const makeApi = (base: string) => client<Api>(base);
export const makeAnyApi = <Any>(base: string) => client<Any>(base);
export const load = (id: number) => pets.get(id);
export const found = await pets.get(1, { safe: true });
export const parts = found.ok ? { headers: found.headers, etag: found.etag } : { problem: found.problem, status: found.status };
export const raw = await pets.get(1, { raw: true });
export const both = await pets.create(rex, { raw: true, safe: true });
export const declined = await pets.create(rex, { safe: true });
export const opened = await hours.update(rex, { safe: true });
export const resumed = pets.custom.named.get({ lastEventId: '7' });
export const resume = wrap(pets.custom.live.get);
export const streamed = { live: pets.custom.live.get(), named: pets.custom.named.get(), lines: logs.list() };
export async function* follow() { for await (const each of pets.custom.named.get()) yield each; }
export const data = toFormData(rex);
export const waited = { later: wait(pets, '/v1/a'), raw: () => wait(hours, '/v1/a', { raw: true }) };
export const functions = { client, ProblemError, toFormData, wait };
export const all = await Promise.all([pets.get(1), pets.list(), toys.list(), hours.get()]);
export const tuple = [pets.get, toys.get] as const;
export const spread = { ...pets, more: 1 };
export const bound = pets.get.bind(pets);
export const lazily = { get pets() { return api('/pet'); } };
export const pick = ({ list, each }: typeof pets) => ({ list, each });
export const byName = new Map([['pets', pets]]);
export const passOn = { load: (...args: Parameters<typeof pets.get>) => pets.get(...args), save: (...args: Parameters<typeof pets.update>) => pets.update(...args) };
export const wrapped = {
  get: wrap(pets.get), update: wrap(pets.update), patch: wrap(hours.patch), create: wrap(pets.create), addToy: wrap(toys.create), edit: wrap(pets.edit), each: wrap(pets.each), page: wrap(pets.page),
  feed: wrap(pets.itemCustom.feed), client: wrap(client<Api>),
};
export const readOptions = ({} as Parameters<typeof pets.get>)[1]!;
export const saveOptions = ({} as Parameters<typeof pets.update>)[2]!;
export const addOptions = ({} as Parameters<typeof toys.create>)[1]!;
export const failure = (error: unknown) => (error instanceof ProblemError ? error.problem : undefined);
export const types = {
  result: {} as ResultOf<Api, '/pet', 'get'>, body: {} as BodyOf<Api, '/pet', 'create'>, problem: {} as ProblemOf<Api, '/pet', 'create', 409>, operations: {} as Operations<Api['/pet']>,
};`;

const QUERIES = `
 import { client, integerId, wildcardId } from 'restpoint/client';
 import { ConflictError, merge, queries } from 'restpoint/queries';
 import { dayId, type Api } from './server.js';
export const q = queries(client<Api>('/v1', { ids: { '/pet': integerId, '/zoo/:zoo/log': wildcardId, '/day': dayId, '/stored': integerId } }), { also: { '/pet': ['/toy'] } });
export const plain = queries(client<Api>('/v1'));
export const pet = q('/pet');
export default pet;
export const hours = q.one('/hours');
export const options = q('/pet').get(7);
export const reads = { list: pet.list(), pages: pet.pages(), near: pet.custom.near, visits: pet.itemCustom.visits.get(1) };
export const changes = { create: plain('/toy').create(), update: pet.update({ optimistic: true }), patch: pet.patch(), edit: pet.edit(), remove: pet.delete(), feed: pet.itemCustom.feed() };
export const { follow, key } = pet;
export const save = merge({ name: 'a' }, {});
export const usePet = (id: number | undefined) => ({ ...pet.get(id), staleTime: 1 });
export class Store { readonly pet = q('/pet'); readonly remove = pet.delete(); readonly Conflict = ConflictError; }`;

/** Reads the emitted declarations: what was exported still has its types. */
const READER = `
 import { cage, context, interceptors, makeEndpoint, signedIn, stored } from './out/server.js';
 import { defineEndpoint, endpointWith, integerId } from 'restpoint';
 import { api, createWithId, firstPage, found, get, hours, passOn, pets, readOptions, Store, streamed, waited, wrapped } from './out/client.js';
 import { changes, options, pet } from './out/queries.js';
export const name: string = (await pets.get(1)).name;
export const again: string = (await get(1)).name;
export const kept: string[] = (await new Store().get(1)).tags;
export const asked: string = (await api.one('/hours').get()).name;
export const late: string = (await waited.later).name;
export const id: number = await createWithId({ name: 'a', tags: [] });
export const first: string | undefined = firstPage.items[0]?.name;
export const passed: Promise<{ name: string }> | Promise<unknown> = passOn.load(1, readOptions);
if (found.ok) found.headers.get('X-A') satisfies string;
else if (found.status === 410) found.problem.tags satisfies string[];
for await (const event of streamed.named) event.event satisfies 'fed' | 'born';
await pets.edit(1, (old) => ({ ...old, name: 'b' }), { timeoutMs: 1 });
await wrapped.update(1, { name: 'a', tags: [] }, { ifMatch: 'a' });
const own = endpointWith({ context: signedIn, use: interceptors.limit })({ id: integerId, get: (id, request) => id + request.context.name.length });
const mine = defineEndpoint({ id: integerId, list: { use: interceptors.pages, run: () => [{ id: 1 }] } });
export const used = [cage, stored, makeEndpoint(signedIn), context, own, mine].length;
(await options.queryFn()).name satisfies string;
await changes.edit.mutationFn([1, (old) => ({ ...old, name: 'b' })]);
// @ts-expect-error an id of a different type
pet.get('x');
// @ts-expect-error a body that is missing
await hours.update();
// @ts-expect-error an option that the operation requires
await pets.update(1, { name: 'a', tags: [] });
// @ts-expect-error a property that the item does not have
(await get(1)).wings;
// @ts-expect-error an id of a different type
await wrapped.get(new Date());`;

/** The programs, by what they are about. Each is compiled after the ones before it. */
export const EXPORTING: Readonly<Record<string, string>> = { server: SERVER, client: CLIENT, queries: QUERIES, reader: READER };

/** Makes a project that has the package with its bundled types, as it is published. */
export async function makeExportingProject(): Promise<string> {
  const { bundleTypes } = await import(pathToFileURL(join(ROOT, 'scripts/bundle-types.js')).href) as { readonly bundleTypes: (folder: string, entries: readonly string[]) => void };
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly exports: Readonly<Record<string, { readonly types?: string }>> };
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'build/exported-'));
  const installed = join(folder, 'node_modules/restpoint');
  cpSync(join(ROOT, 'dist'), join(installed, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  bundleTypes(join(installed, 'dist'), Object.values(exports).flatMap(({ types }) => types?.replace('./dist/', '') ?? []));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  return folder;
}

/** What a compiler says of a program: its messages, and the files that the emitted declaration names and no program may import. */
export function compileExporting(folder: string, name: string, compiler: string): string {
  const compilerOptions = {
    strict: true, exactOptionalPropertyTypes: true, declaration: true, emitDeclarationOnly: true, outDir: 'out', rootDir: '.', target: 'es2023', module: 'nodenext', skipLibCheck: false, types: ['node'],
  };
  writeFileSync(join(folder, `${name}.ts`), EXPORTING[name]!);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [`${name}.ts`] }));
  const { stdout } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], { encoding: 'utf8' });
  if (stdout !== '') return stdout;
  const emitted = readFileSync(join(folder, `out/${name}.d.ts`), 'utf8');
  const named = [...emitted.matchAll(/import\("([^"]+)"\)/g)].map(([, each = '']) => each).filter((each) => !/^(?:restpoint(?:\/\w+)?|\.\/server\.js|node:\w+|http|net)$/.test(each));
  return named.join('\n');
}

/** Removes a project. */
export function removeExportingProject(folder: string): void {
  rmSync(folder, { recursive: true });
}
