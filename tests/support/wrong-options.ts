/**
 * Programs in which one option of a public function is wrong. A compiler has to reject the option, and nothing else: the endpoints and the calls of clients
 * that take their types from the function have no mistake.
 */
import { compileCases } from './compiled-cases.ts';
import type { WrongProgram } from './wrong-programs.ts';

/** In the place of this stands a wrong option. */
const WRONG = '/* wrong */';
const UNKNOWN = 'surprise: 1';
/** The messages of options that are not of a wrong type. */
const REASONS: Readonly<Record<string, string>> = {
  [UNKNOWN]: 'surprise', 'input: petSchema': 'input is not an option', 'getScopes: (user) => user.scpes': "'scpes' does not exist",
  'limits: 1': 'no properties in common', 'params: 1': 'no properties in common', 'also: 1': 'no properties in common',
};

interface Row {
  readonly name: string;
  /** A program. Without a wrong option it is right. */
  readonly program: string;
  /** Types of the right program, and what they are exactly. */
  readonly exact?: Readonly<Record<string, string>>;
  /** Options of a wrong type. An unknown option is wrong in all programs. */
  readonly wrong?: readonly string[];
}

const DECLARATIONS = `
 import { bytes, defineFormat, type Format } from 'restpoint';
 import { apiKey, type Authentication, basic, bearer, cookie, firstOf } from 'restpoint/auth';
 import { checks, type Check } from 'restpoint/checks';
 import { type Client, type ResultOf, toFormData, wait } from 'restpoint/client';
 import { events, ranges, readAll } from 'restpoint/formats';
 import {
  type CallerRateLimit, memoryRates, type RateLimit, rateLimit, type WithoutContext,
} from 'restpoint/interceptors';
 import { mcpHandler } from 'restpoint/mcp';
 import { queries } from 'restpoint/queries';
 import { openApi, openApiHandler, swaggerUiHandler, type OpenApiDocument } from 'restpoint/openapi';
 import {
  inTransaction, keyset, type PostgresClient, postgresEvents, type PostgresEvents, postgresIdempotencyStore, postgresRates, postgresTables, type Transaction, transaction,
} from 'restpoint/postgres';
interface Member { readonly id: string; readonly scopes: readonly ('read' | 'write')[] }
interface Connection extends PostgresClient { readonly own: string }
declare const members: Map<string, Member>;
declare const member: (request: object) => Member;
declare const pool: { connect(): Promise<Connection>; query(text: string): Promise<{ rows: any[] }> };
declare const day: { parse(text: string): Date; format(day: Date): string };
declare function exact<A, B>(...same: (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? [] : [never]): void;
`;

/** Endpoints, of which `own` is the one at `/own`, and calls of their client. */
const useClient = (own: string, calls = '(await own.get(1)).name', options = ''): string => `
const contract = server.registerEndpoints({ '/own': defineEndpoint({ ${own} }), '/toy': defineEndpoint({ id: stringId, schema: petSchema, get: () => pets.get(1) }) }${options});
const api = client<typeof contract>('/v1'), own = api('/own');
console.log((await api('/toy').get('a')).legs, ${calls});`;
const GET = 'id: integerId, schema: petSchema, get: (id) => pets.get(id),';

const WITH_CONTEXT = (own = '', at = 'id'): string => useClient(`id: integerId, context, schema: petSchema, version: (pet) => pet.legs, ${own}
  create: (pet, { context }) => pets.set(context.${at}.length, pet).size, list: ({ context: { ${at} } }) => [{ ${at} }], get: (id, { context }) => ({ name: context.${at}, legs: id }),
  update: { use: { around: (call, run) => run() }, run: (id, pet, { context }) => void pets.set(id + context.${at}.length, pet) },
  custom: { mine: ({ context }) => context.${at}, all: { method: 'GET', run: ({ context }) => ({ by: context.${at} }) } },
`, `await own.get(1, { safe: true }).then((found) => found.ok && found.value.name), (await own.custom.all.get()).by.length`);
const SCHEMES = {
  bearer: 'async (token) => members.get(token)', basic: '(name, password) => members.get(name + password)',
  apiKey: "'X-Key', (key) => members.get(key)", cookie: "'sid', async (value) => members.get(value)",
};
const MEMBER = 'Authentication<Member>';
const SCHEME_OPTIONS = ['optional: 1', 'isInvalid: 1'];
const GOT = "ResultOf<typeof contract, '/own', 'get'>";

const REQUEST = 'Parameters<typeof use.around>[0]["request"]';

const ROWS: readonly Row[] = [
  ...Object.entries(SCHEMES).flatMap(([name, verify]): Row[] => [
    { name, wrong: SCHEME_OPTIONS, program: `const context = ${name}(${verify}, { ${WRONG} });${WITH_CONTEXT()}`, exact: { 'typeof context': MEMBER } },
    {
      name: `${name} with scopes`, wrong: SCHEME_OPTIONS, exact: { 'typeof context': "ScopedAuthentication<Member, 'read' | 'write'>" },
      program: `const context = ${name}(${verify}, { getScopes: (user) => user.scopes, ${WRONG} });${WITH_CONTEXT("scopes: ['read'],")}`,
    },
    {
      name: `${name} which is optional`, exact: { 'typeof context': 'Authentication<Member | undefined>' },
      program: `const context = ${name}(${verify}, { optional: true, ${WRONG} });${useClient(`${GET} list: ({ context }) => [context?.id]`)}`.replace('defineEndpoint({', 'defineEndpoint({ context,'),
    },
  ]),
  {
    name: 'getScopes', wrong: ['getScopes: (user) => user.scpes'], program: `const context = bearer((token) => members.get(token), { ${WRONG} });${WITH_CONTEXT()}`,
  },
  {
    name: 'firstOf', wrong: SCHEME_OPTIONS, exact: { 'typeof context': MEMBER },
    program: `const context = firstOf(apiKey('X-Key', (key) => members.get(key), { ${WRONG} }), bearer((token) => members.get(token)));${WITH_CONTEXT()}`,
  },
  {
    name: 'endpointWith', wrong: ['mapError: 1', 'use: 1'],
    program: `const define = endpointWith({ context: signedIn, ${WRONG} });${WITH_CONTEXT('', 'name').replace('context,', '').replace('defineEndpoint', 'define')}`,
  },
  {
    name: 'endpointWith of bearer', wrong: SCHEME_OPTIONS,
    program: `const define = endpointWith({ context: bearer((token) => members.get(token), { ${WRONG} }) });${WITH_CONTEXT().replace('context,', '').replace('defineEndpoint', 'define')}`,
  },
  ...['define', 'defineEndpoint'].map((define): Row => ({
    name: define, wrong: ['create: (pet) => {}', 'get: (id) => 10n', 'context: 1'],
    program: `const define = endpointWith({ mapError: () => undefined });${useClient(`id: integerId, schema: petSchema, ${WRONG}, list: () => [{ by: 'a' }]`, '(await own.list())[0]?.by').replace('defineEndpoint', define)}`,
  })),
  {
    name: 'pages', wrong: ['max: true', 'limit: 1', 'codec: 1', 'prev: 1'],
    program: useClient(
      `${GET} list: { use: pages({ cursor: (pet: Pet) => pet.legs, ${WRONG} }), run: ({ page }) => [...pets.values()].slice(0, page.take).filter(({ name }) => name !== page.after) }`,
      'await own.list({ query: { limit: 1 } }).then((found) => found.map(({ name }) => name)), (await own.get(1)).name); for await (const { name } of own.each()) console.log(name',
    ),
  },
  {
    name: 'pages with all', wrong: ['max: true'],
    program: useClient(
      `${GET} list: {
    use: pages({ cursor: (pet: Pet) => pet.legs, codec: integerId, limit: 'size', after: 'from', sort: ['name'], prev: true, envelope: true, ${WRONG} }),
    run: ({ page: { after, by, descending, take } }) => [...pets.values()].slice(0, take).filter(({ name }) => name !== after?.key && by && descending && after?.id),
  }`,
      "await own.list({ query: { size: 1, sort: '-name' } }).then(({ items, next }) => items.map(({ name }) => name + next)), (await own.get(1)).name); for await (const { name } of own.each()) console.log(name",
    ),
  },
  {
    name: 'idempotent', exact: { [REQUEST]: 'ApiRequest<Member>' }, wrong: ['required: 1'],
    program: `const use = idempotent(memoryIdempotencyStore(), { caller: ({ context }: ApiRequest<Member>) => context.id, ${WRONG} });${useClient(
      `${GET} context: member, create: { use, run: (pet, { context, idempotencyKey }) => pet.legs + context.id.length + (idempotencyKey?.length ?? 0) },
  custom: { pay: { use, input: petSchema, run: (pet, { idempotencyKey }) => ({ pet, idempotencyKey }) } }`,
      "await own.create({ name: '', legs: 4 }, { idempotencyKey: 'a' }).then(String), (await own.custom.pay({ name: '', legs: 4 }, { idempotencyKey: 'a' })).pet.legs, (await own.get(1)).name",
    )}`,
  },
  {
    name: 'idempotent without a context', exact: { [REQUEST]: 'WithoutContext' }, wrong: ['required: 1'],
    program: `const use = idempotent(memoryIdempotencyStore(), { ${WRONG} });${useClient(
      `${GET} create: { use, run: (pet, { idempotencyKey }) => pet.legs + (idempotencyKey?.length ?? 0) }`, "await own.create({ name: '', legs: 4 }, { idempotencyKey: 'a' }).then(String), (await own.get(1)).name",
    )}`,
  },
  {
    name: 'idempotent which is required', wrong: ['caller: 1'],
    program: `const use = idempotent(memoryIdempotencyStore(), { required: true, ${WRONG} });${useClient(
      `${GET} create: { use, run: (pet, { idempotencyKey }) => pet.legs + idempotencyKey.length }`, "await own.create({ name: '', legs: 4 }, { idempotencyKey: 'a' }).then(String), (await own.get(1)).name",
    )}`,
  },
  {
    name: 'idempotent which is required, of a caller', exact: { [REQUEST]: 'ApiRequest<Member>' },
    program: `const use = idempotent(memoryIdempotencyStore(), { required: true, caller: ({ context }: ApiRequest<Member>) => context.id, ${WRONG} });${useClient(
      `${GET} context: member, create: { use, run: (pet, { idempotencyKey }) => pet.legs + idempotencyKey.length }`, "await own.create({ name: '', legs: 4 }, { idempotencyKey: 'a' }).then(String), (await own.get(1)).name",
    )}`,
  },
  {
    name: 'memoryIdempotencyStore', wrong: ["max: 'a'"],
    program: `const use = idempotent(memoryIdempotencyStore({ ${WRONG} }), { required: true });${useClient(`${GET} create: { use, run: (pet, { idempotencyKey }) => pet.legs + idempotencyKey.length }`)}`,
  },
  ...['', "by: 'caller', key: ({ context }: ApiRequest<Member>) => context.id,", 'key: ({ client, headers }) => client + headers.host, cost: ({ route }) => route.path.length,'].map((by): Row => ({
    name: `rateLimit(${by})`, wrong: ['name: 1', "onStoreError: 'rejct'", ...(by.includes('cost') ? [] : ['cost: true'])],
    exact: { 'typeof use': by.includes('caller') ? 'CallerRateLimit<ApiRequest<Member>>' : 'RateLimit' },
    program: `const use = rateLimit({ ${by} limit: 1, windowSeconds: 1, ${WRONG} });${useClient(
      'use, context: member, id: integerId, schema: petSchema, get: (id, { context }) => ({ name: context.id, legs: id }), create: (pet, { context }) => pet.legs + context.id.length',
      'await own.get(1, { safe: true }).then((found) => (found.ok ? found.value.name : found.status === 429)), (await own.get(1)).name',
    )}`,
  })),
  {
    name: 'rateLimit for all', wrong: ['name: 1'],
    program: `${useClient(GET, '(await own.get(1)).name', `, { use: rateLimit({ limit: 1, windowSeconds: 1, ${WRONG} }) }`)}`,
  },
  { name: 'memoryRates', wrong: ["max: 'a'"], program: useClient(`${GET} use: rateLimit({ limit: 1, windowSeconds: 1, store: memoryRates({ ${WRONG} }) })`) },
  {
    name: 'defineFormat', wrong: ['types: 1', "isSequence: 'a'", 'jsonSchema: 1', 'headers: 1'], exact: { 'typeof csv': 'Format<readonly string[], string[]>', 'Awaited<ReturnType<typeof own.list>>': 'unknown' },
    program: `const csv = defineFormat({ decode: async (body) => (await readAll(body)).toString().split(','), encode: (rows: readonly string[]) => rows.join(), ${WRONG} });${useClient(
      `${GET} list: { output: defineFormat({ encode: (rows: string[]) => rows.join() }), run: () => ['a'] }, create: { input: csv, run: (rows) => rows.length }, custom: { load: { input: csv, run: (rows) => rows.length } }`,
      "(await own.get(1)).name, (await own.custom.load(['a'])).toFixed()",
    )}`,
  },
  ...[`files: { photo: { types: ['image/png'] } }, ${WRONG}`, `files: { photo: { ${WRONG} } }`].map((options): Row => ({
    name: `form(${options})`, wrong: options.endsWith('}') ? ["maxBytes: 'a'"] : ["fileBytes: 'a'", 'lists: 1'],
    program: useClient(
      `${GET} create: { input: form(photoSchema, { ${options} }), run: ({ name, photo }) => name.length + photo.size }`,
      "(await own.get(1)).name, await own.create(toFormData({ name: '', photo: new File([], 'a') })).then(String)",
    ),
  })),
  {
    name: 'bytes', wrong: ['types: 1'],
    program: useClient(`${GET} itemCustom: { photo: { input: bytes({ ${WRONG} }), run: async (id, body) => { for await (const { byteLength } of body) console.log(byteLength); return id; } } }`),
  },
  {
    name: 'ranges', wrong: ['close: 1'],
    program: useClient(`id: integerId, get: { output: bytes(), run: (id) => reply(200, ranges({ size: id, read: (from, to) => new Uint8Array(to - from), ${WRONG} })) }`, 'own.get'),
  },
  {
    name: 'client', exact: { 'typeof api': 'Client<typeof contract>' }, wrong: ["timeoutMs: 'a'", 'headers: 1', "credentials: 'a'"],
    program: useClient(GET, '(await own.get(1)).name').replace("('/v1')", `('/v1', { fetch: (url, init) => fetch(url, init), ${WRONG} })`),
  },
  ...([
    ['safe: true', '(found.ok ? found.value.name : found.problem.title)'], ['raw: true', 'found.status.toFixed()'],
    ['safe: true, raw: true', 'found.ok && found.value.status'], ['onResponse: (response) => response.status', 'found.name'],
  ] as const).map(([options, use]): Row => ({
    name: `a call with { ${options} }`, wrong: ["timeoutMs: 'a'", 'headers: 1'],
    program: useClient(GET, `await own.get(1, { ${options}, ${WRONG} }).then((found) => ${use})`),
  })),
  {
    name: 'a call with a query', wrong: ["timeoutMs: 'a'"],
    program: useClient(`${GET} list: { query: petSchema, run: ({ query }) => [query] }`, `await own.list({ safe: true, query: {} as never, ${WRONG} }).then((found) => (found.ok ? found.value.map(({ name }) => name) : found.problem.title))`),
  },
  {
    name: 'a call with ifMatch', wrong: ["timeoutMs: 'a'"],
    program: useClient(`${GET} requireIfMatch: true, version: ({ legs }) => legs, patch: { input: petSchema, output: petOutput, run: (id, pet) => pet }`, `await own.patch(1, {} as never, { safe: true, ifMatch: 'a', ${WRONG} }).then((found) => (found.ok ? found.value.name : found.problem.title))`),
  },
  { name: 'queries', wrong: ['also: 1', 'name: 1', 'client: 1'],
    program: useClient(GET, `(await queries(api, { idOf: ({ legs }) => legs, ${WRONG} })('/own').get(1).queryFn()).name`) },
  ...['delete', 'update'].map((change): Row => ({
    name: `${change} of queries`,
    program: useClient(`${GET} version: ({ legs }) => legs, ${change}: (id) => id === 1`, `queries(api)('/own').${change}({ optimistic: ({ name, legs }) => ({ name, legs: legs + 1 }), ${WRONG} }).mutationKey.length`),
  })),
  { name: 'each', wrong: ["timeoutMs: 'a'"],
    program: useClient(`${GET} list: () => [...pets.values()]`, `1); for await (const { name } of own.each({ ${WRONG} })) console.log(name.length`) },
  {
    name: 'edit', wrong: ["timeoutMs: 'a'"],
    program: useClient(`${GET} version: ({ legs }) => legs, update: (id, pet) => void pets.set(id, pet)`, `await own.edit(1, (pet) => ({ ...pet, legs: pet.legs - 1 }), { ${WRONG} }).then(({ name }) => name)`),
  },
  { name: 'wait', exact: { 'Awaited<ReturnType<typeof wait<typeof own>>>': GOT }, wrong: ["timeoutMs: 'a'"],
    program: useClient(GET, `await wait(own, '/a', { ${WRONG} }).then(({ name }) => name)`) },
  { name: 'wait with raw', wrong: ["timeoutMs: 'a'"], program: useClient(GET, `await wait(own, '/a', { raw: true, ${WRONG} }).then(({ status }) => status)`) },
  {
    name: 'a path with an id', wrong: ['params: 1'],
    program: `const contract = server.registerEndpoints({ '/zoo/:zoo/day': defineEndpoint({ id: day, params: { zoo: stringId }, get: (id) => ({ year: id.getFullYear() }) }) });
console.log(await client<typeof contract>('/v1')('/zoo/:zoo/day', { zoo: 'a' }, { id: day, ${WRONG} }).get(new Date()).then(({ year }) => year.toFixed()));`,
  },
  { name: 'registerEndpoints', wrong: ['use: 1', 'scopes: 1'], program: useClient(GET, '(await own.get(1)).name', `, { ${WRONG} }`) },
  {
    name: 'ApiServer', wrong: ['limits: 1', 'cors: 1', 'validationStatus: 401'],
    program: `const zoo = new ApiServer('/v1', { mapError: (thrown) => (thrown instanceof Error ? ApiError.status(409) : undefined), logger: { info: (line) => line.length, error: ({ message }) => message }, jsonSchema: (decoder, side) => ({ decoder, side }), ${WRONG} });${useClient(GET).replace('server', 'zoo')}`,
  },
  ...([
    ['cors', 'origins: (origin) => origin.length > 1', "maxAgeSeconds: 'a'"],
    ['formatProblem', 'format: ({ title }, { url }) => ({ body: title + url })', "type: 1"],
    ['requestId', "generate: () => 'a'", 'header: 1'], ['limits', 'bodyBytes: 1', "sendMs: 'a'"], ['tls', "key: 'a'", 'cert: 1'],
  ] as const).map(([option, own, wrong]): Row => ({
    name: option, wrong: [wrong], program: `const zoo = new ApiServer('/v1', { mapError: (error) => (error === 1 ? ApiError.notFound() : undefined), ${option}: { ${own}, ${WRONG} } });${useClient(GET).replace('server', 'zoo')}`,
  })),
  { name: 'mount', wrong: ['cors: 1'], program: `server.mount('/a', (request, response) => response.end(request.url?.length), { ${WRONG} });${useClient(GET)}` },
  { name: 'registerUpgrade', wrong: ['protocol: 1'],
    program: `server.registerUpgrade('/a', (request, socket, head) => socket.write(head.toString() + request.url?.length), { ${WRONG} });${useClient(GET)}` },
  {
    name: 'ApiError', wrong: ['type: 1'],
    program: useClient(`id: integerId, schema: petSchema, get: (id) => { if (id === 1) throw ApiError.status(409, 'taken', { extensions: { code: 1 }, ${WRONG} }); return pets.get(id); }`),
  },
  {
    name: 'an operation', wrong: ['cache: 1', "status: 'a'", 'summary: 1', 'input: petSchema'],
    program: useClient(`id: integerId, context: member, schema: petSchema, list: ({ context }) => [context.id], get: { run: (id, { context }) => ({ name: context.id, legs: id }), ${WRONG} }`),
  },
  {
    name: 'an operation with a body', wrong: ["status: 'a'", 'summary: 1', 'query: 1'],
    program: useClient(`${GET} context: member, list: ({ context }) => [context.id], create: { run: (pet, { context }) => pet.legs + context.id.length, ${WRONG} }`),
  },
  {
    name: 'a named operation', wrong: ["status: 'a'", 'summary: 1', 'query: 1'],
    program: useClient(`${GET} context: member, list: ({ context }) => [context.id], custom: { feed: { input: petSchema, run: (pet, { context }) => pet.legs + context.id.length, ${WRONG} }, rest: ({ context }) => context.id }`, '(await own.custom.rest()).length'),
  },
  ...([
    ['cache', 'maxAgeSeconds: 1', "staleWhileRevalidateSeconds: 'a'"], ['limits', 'bodyBytes: 1', "operationMs: 'a'"], ['tool', "name: 'a'", 'description: 1'],
    ['use', 'around: (call, run) => run()', 'onRequest: 1'],
  ] as const).map(([option, own, wrong]): Row => ({
    name: `${option} of an operation`, wrong: [wrong], program: useClient(`${GET} context: member, list: { ${option}: { ${own}, ${WRONG} }, run: ({ context }) => [context.id] }`, '(await own.list())[0]?.length'),
  })),
  {
    name: 'a codec of ids', wrong: ["schema: 1"],
    program: useClient(`id: { parse: (text: string) => new Date(text), format: (id: Date) => id.toISOString(), ${WRONG} }, get: (id) => ({ year: id.getFullYear() })`, '(await own.get(new Date())).year').replace("'/own')", "'/own', {}, { id: day })"),
  },
  {
    name: 'problem', wrong: ['type: 1'],
    program: useClient(`id: integerId, schema: petSchema, get: { errors: { 404: null }, run: (id) => pets.get(id) ?? problem(404, 'none', { code: 'a' }, { ${WRONG} }) }`),
  },
  { name: 'transaction', wrong: ["isolation: 'a'"], exact: { 'typeof use': 'Transaction<Connection>' }, program: `const use = transaction(pool, { ${WRONG} });${useClient(`${GET} create: { use, run: (pet, { tx }) => tx.own.length + pet.legs }, list: { use, run: ({ tx }) => [tx.own] }`)}` },
  {
    name: 'inTransaction', wrong: ["isolation: 'a'", 'signal: 1'],
    program: useClient(`${GET} list: async () => { const { own } = await inTransaction(pool, async (tx) => ({ own: tx.own }), { ${WRONG} }); return [{ own, length: own.length }]; }`, 'await own.list().then(([first]) => first?.length.toFixed())'),
  },
  ...['', 'transaction: true,', 'transaction: false,'].map((options): Row => ({
    name: `postgresIdempotencyStore(${options})`, exact: { [REQUEST]: 'WithoutContext', "typeof use[' types']": '{ readonly key: true } | undefined' }, wrong: ["isolation: 'a'", "ttlMs: 'a'", ...(options === '' ? ['transaction: 1'] : [])],
    program: `const use = idempotent(postgresIdempotencyStore(pool, { ${options} ${WRONG} }), { required: true });${useClient(
      `${GET} create: { use, run: (pet, request) => request.idempotencyKey.length${options.includes('false') ? '' : ' + request.tx.own.length'} }`,
      "await own.create({ name: '', legs: 4 }, { idempotencyKey: 'a' }).then(String), (await own.get(1)).name",
    )}`,
  })),
  ...([[`{ channel: 'a', ${WRONG} }`, '', ["ttlMs: 'a'"]], ["{ channel: 'a' }", `, ${WRONG}`, ['after: 1']]] as const).map(([options, read, wrong]): Row => ({
    name: `postgresEvents(${options})${read}`, wrong, exact: { 'typeof feed': 'PostgresEvents<{ pet: Pet }>' },
    program: `const feed = postgresEvents<{ pet: Pet }>(pool, ${options});${useClient(
      `${GET} custom: { live: { method: 'GET', output: events({ pet: petOutput }), run: () => feed.read({ where: ({ data }) => data.legs > 1${read} }) } }`,
      '1); for await (const { data } of own.custom.live.get()) console.log(data.name',
    )}`,
  })),
  { name: 'postgresTables', wrong: ['schema: 1'], program: `console.log(postgresTables({ ${WRONG} }).length);` },
  {
    name: 'keyset', wrong: ["from: 'a'"],
    program: useClient(`${GET} list: { use: pages({ cursor: (pet: Pet) => pet.legs, sort: ['name'] }), run: ({ page }) => {
  const { where, values } = keyset(page, { id: 'id', name: 'name' }, { ${WRONG} });
  return [...pets.values()].filter(({ name }) => name === where && values.length > page.take);
} }`, 'await own.list().then((found) => found.map(({ name }) => name))'),
  },
  {
    name: 'mcpHandler', wrong: ["bodyBytes: 'a'", 'allowedOrigins: 1'],
    program: `server.mount('/mcp', mcpHandler(server, { info: { name: 'a', version: '1' }, context: signedIn, tools: ({ scopes }, { name }) => scopes.includes(name), ${WRONG} }));${useClient(GET)}`,
  },
  {
    name: 'mcpHandler with a bearer', wrong: ["bodyBytes: 'a'"],
    program: `server.mount('/mcp', mcpHandler(server, { info: { name: 'a', version: '1' }, context: bearer((token) => members.get(token)), tools: ({ scopes }, { id }) => scopes.includes(id), ${WRONG} }));${useClient(GET)}`,
  },
  {
    name: 'checks', wrong: ["concurrency: 'a'"], exact: { 'typeof made': 'Check[]' },
    program: `const made = checks(server, { samples: { petGet: () => ({ params: { id: 1 } }) }, ${WRONG} });\nfor (const { name, run } of made) console.log(name.length, await run());`,
  },
  ...['openApi', 'openApiHandler'].map((name): Row => ({
    name, wrong: ['tags: 1', 'servers: 1'], ...(name === 'openApi' && { exact: { 'typeof made': 'OpenApiDocument' } }),
    program: `const made = ${name}(server, { info: { title: 'a', version: '1' }, transform: (made) => ({ ...made, tags: [] }), ${WRONG} });`,
  })),
  { name: 'swaggerUiHandler', program: `server.mount('/a', swaggerUiHandler({ url: '', assets: '', ${WRONG} }));` },
];

/** A program with a wrong option, and what a compiler says. */
export interface WrongOption extends WrongProgram {
  /** Whether it says anything else. */
  readonly isOnlyError: boolean;
}

/** Compiles all programs at once: right, with the message `''`, and with each wrong option. */
export function compileWrongOptions(compiler?: string): { readonly right: readonly (readonly [name: string, message: string])[]; readonly wrong: readonly WrongOption[] } {
  const right = ROWS.map(({ program, exact = {} }) => {
    return [program.replace(`, ${WRONG}`, '').replace(WRONG, ''), ...Object.entries(exact).map(([type, same]) => `exact<${type}, ${same}>();`)].join('\n');
  });
  const wrong = ROWS.flatMap(({ name, program, wrong: options = [] }) => [UNKNOWN, ...options].map((option) => {
    const [before = '', after = ''] = program.split(WRONG);
    return { title: `${option} of ${name}`, line: before.split('\n').length, reason: REASONS[option] ?? 'is not assignable to', code: before + option + after };
  }));
  const messages = compileCases([...right, ...wrong.map(({ code }) => code)].map((code) => code + DECLARATIONS), compiler);
  return {
    right: ROWS.map(({ name }, at) => [name, messages[at] ?? '']),
    wrong: wrong.map(({ code: _, ...each }, at) => {
      const message = messages[ROWS.length + at] ?? '';
      return { ...each, message, isOnlyError: message.match(/error TS/g)?.length === 1 };
    }),
  };
}
