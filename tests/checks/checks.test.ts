/** What checks there are, what they cannot reach, and that they find nothing wrong with right servers. */
import { buffer } from 'node:stream/consumers';
import { assert, suite } from '../support/facts.ts';
import { anyone, bearer, cookie } from '../../src/auth/index.ts';
import { type Check, checks, type ChecksOptions } from '../../src/checks/index.ts';
import { ApiError, ApiServer, type ApiServerOptions, bytes, created, integerId, reply, stringId } from '../../src/index.ts';
import { pages } from '../../src/interceptors/index.ts';
import { readCaseCount, Random, readSeed } from '../support/random.ts';
import { checksOf, failuresOf, type Parts, standard } from './pet-server.ts';

const PROPERTIES = ['list', 'get', 'create', 'update', 'patch', 'delete', 'custom', 'itemCustom'];
const RECORD = standard({ type: 'object', properties: { text: { type: 'string' }, revision: { type: 'integer' }, changed: { type: 'string' } } });
const validText = (value: unknown): object => (typeof Object(value).text === 'string' ? { value } : { issues: [{ message: 'expected a string' }] });
const validString = (value: unknown): object => (typeof value === 'string' ? { value } : { issues: [{ message: 'expected a string' }] });
const CLOCK = standard({ type: 'object', required: ['now'], properties: { now: { type: 'integer' } } });

/** Leaves operations out, and adds a clock, a redirection, a record of changes and a note that is text. */
function vary(random: Random, parts: Parts, server: ApiServer): void {
  const left = PROPERTIES.filter((name) => name !== 'get' && random.below(4) === 0);
  parts.endpoint = Object.fromEntries(Object.entries(parts.endpoint).filter(([name]) => !left.includes(name)));
  let note: Buffer | undefined;
  let record = { text: 'empty', revision: 0, changed: new Date(0).toISOString() };
  server.registerEndpoint('/record', {
    version: ({ revision }: typeof record) => revision,
    get: { output: RECORD, run: () => record },
    update: { input: standard({ type: 'object', required: ['text'], properties: { text: { type: 'string' } } }, validText), run: ({ text: written }: typeof record) => {
      record = { text: written, revision: record.revision + 1, changed: new Date(record.revision).toISOString() };
    } },
  } as never);
  server.registerEndpoint('/clock', { get: { output: CLOCK, run: () => ({ now: process.hrtime()[1] }) } });
  server.registerEndpoint('/old', { get: { output: { 301: null }, run: () => reply(301, undefined, { Location: '/v1/clock' }) } } as never);
  server.registerEndpoint('/note', {
    get: { output: { 200: bytes({ types: ['text/*'] }) }, run: () => note && reply(200, note, { 'Content-Type': 'text/plain' }) },
    update: { input: bytes({ types: ['text/*'] }), run: async (body: AsyncIterable<Uint8Array>) => { note = await buffer(body); } },
    delete: () => { note = undefined; },
  } as never);
}

const ERROR = { type: 'object', required: ['error'], properties: { error: { type: 'object', required: ['code'], properties: { code: { type: 'integer' } } } } };
const PROBLEM_TYPE = { 'Content-Type': 'application/problem+json' };
/** Ways to format errors, each with a description that is right. */
const FORMS: Readonly<Record<string, NonNullable<ApiServerOptions['formatProblem']>>> = {
  'a function': ({ title }) => ({ body: { error: title } }),
  'a function that makes problems': ({ type: _, ...problem }) => ({ headers: PROBLEM_TYPE, body: { ...problem, code: 'zoo' } }),
  'problems with a property more': {
    type: 'application/problem+json', schema: { type: 'object', required: ['status', 'code'] },
    format: ({ type, ...problem }) => ({ body: { ...problem, code: type } }),
  },
  'an object with the properties in it': {
    schema: ERROR, format: ({ status, title: _, type: __, ...properties }) => ({ body: { error: { ...properties, code: status } } }),
  },
  'an object without properties': { schema: ERROR, format: ({ status }) => ({ body: { error: { code: status } } }) },
};

function optionsOf(random: Random): ApiServerOptions {
  return {
    ...(random.below(2) === 0 && { validationStatus: 422 }),
    ...(random.below(2) === 0 && { formatProblem: Object.values(FORMS)[random.below(5)]! }),
  };
}

const right = suite('E8: the checks of right servers');
const seed = readSeed();
// Each takes a third of a second. `.ci/run` tries a hundred, which have each form of errors in all checks.
for (let run = 0; run < readCaseCount(2); run += 1) {
  right(`invent no error (RESTPOINT_SEED=${seed}, server ${run})`, async () => {
    const random = new Random(seed + run);
    const samples = { clockGet: { varies: true }, recordUpdate: { body: { text: 'a' } }, noteUpdate: { body: 'a note', type: 'text/plain' } };
    const all = checksOf((parts, server) => vary(random, parts, server), { samples }, optionsOf(random));
    assert.equal([...await failuresOf(all)], []);
    assert.ok(all.filter(({ isSkipped }) => !isSkipped).length > 10, `${all.length} checks`);
    assert.is(new Set(all.map(({ name }) => name)).size, all.length);
  });
}
/** A create that is rejected by its own 409, which needs a body that only the checks of other operations send. */
const makeFull = (parts: Parts): void => {
  const properties = standard({ type: 'object', required: ['room'], properties: { room: { type: 'integer' } } });
  const rejecting = () => { throw ApiError.status(409, 'Full.', { extensions: { room: 0 } }); };
  parts.endpoint = { ...parts.endpoint, patch: { ...parts.endpoint['patch'], errors: { 409: properties }, run: rejecting } };
};
const PATCH = 'PATCH /v1/pet/:id: the response is as the document says';
for (const [what, formatProblem] of [['problems', undefined], ...Object.entries(FORMS)] as const) {
  right(`invent no error in errors that are ${what}, also in those that are declared`, async () => {
    const options = formatProblem === undefined ? {} : { formatProblem };
    assert.equal([...await failuresOf(checksOf(() => {}, {}, options).filter(({ name }) => name.startsWith('PUT ')))], []);
    // The body of the 409 is right: what fails is that the sample is rejected.
    assert.match((await failuresOf(checksOf(makeFull, {}, options).filter(({ name }) => name === PATCH))).get(PATCH) ?? '',
      /409 .*Expected: success for the sample/);
  });
}
for (const [what, formatProblem, message] of [
  ['a type of their own', { headers: { 'Content-Type': 'application/vnd.zoo+json' } },
    /Expected: the media type application\/json or application\/problem\+json/],
  ['a body that the schema rejects', { error: {} }, /Expected: a body as the document says, but #\/error\/code is missing/],
] as const) {
  right(`find ${what} in errors`, async () => {
    const options = 'headers' in formatProblem
      ? { formatProblem: () => ({ ...formatProblem, body: {} }) }
      : { formatProblem: { schema: ERROR, format: () => ({ body: formatProblem }) } };
    assert.match((await failuresOf(checksOf(makeFull, {}, options).filter(({ name }) => name === PATCH))).get(PATCH) ?? '', message);
  });
}

/** The names of the checks of `declare` that are not reached, without their beginning. */
function listSkipped(declare: (server: ApiServer) => void, options: ChecksOptions = {}): string[] {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  declare(server);
  return checks(server, options).filter(({ isSkipped }) => isSkipped).map(({ name }) => name.replace('skipped: ', ''));
}

const run = (): never => { throw new Error('never called'); };
const text = standard({ type: 'string' });
const secured = bearer(() => ({}), { getScopes: () => [] });
const query = standard({ type: 'object', required: ['name'], properties: { name: { type: 'string' } } });

const names = suite('a check that is not reached');
for (const [what, endpoint, options, expected] of [
  ['an item that nothing makes', { id: stringId, get: run }, {},
    'GET /v1/x/:id: the response is as the document says: no samples.xGet.params.id, and no create that makes one'],
  ['an item of a create without a sample', { id: stringId, get: run, create: { input: text, run } },
    {}, 'GET /v1/x/:id: the response is as the document says: no samples.xCreate.body'],
  ['an item of a create that sends no 201', { id: stringId, get: run, create: { input: text, output: { 202: null }, run } }, { samples: { xCreate: { body: 'a' } } },
    'GET /v1/x/:id: the response is as the document says: no samples.xGet.params.id, and no create that makes one'],
  ['a create without a sample', { id: stringId, create: { input: text, run } }, {}, 'POST /v1/x: the response is as the document says: no samples.xCreate.body'],
  ['a Custom operation without a sample', { custom: { stop: run } }, {},
    'POST /v1/x/stop: the response is as the document says: no samples.xStop: custom is only called with a sample'],
  ['a sample that is false', { get: run }, { samples: { xGet: false } }, 'GET /v1/x: the response is as the document says: samples.xGet is false'],
  ['a body whose sample is false', { custom: { stop: { input: text, run } } }, { samples: { xStop: false } },
    'POST /v1/x/stop: null, which its schema rejects -> 400: samples.xStop is false'],
  ['a query that is required', { get: { query, run } }, {}, 'GET /v1/x: the response is as the document says: no samples.xGet.query'],
  ['a header that is required', { get: { headers: query, run } }, {}, 'GET /v1/x: the response is as the document says: no samples.xGet.headers, with name'],
  ['a list with pages that nothing fills', { id: stringId, list: { use: pages({ cursor: String }), run } },
    {}, 'GET /v1/x: its pages of one item are the whole list: no create that makes its items'],
  ['no credentials', { context: secured, get: run }, {}, 'GET /v1/x: the response is as the document says: options.headers have no authorization'],
  ['no cookie', { context: cookie('session', () => 1), get: run }, {}, 'GET /v1/x: the response is as the document says: options.headers have no cookie'],
  ['a body without credentials', { context: secured, custom: { stop: { input: text, run } } }, {},
    'POST /v1/x/stop: null, which its schema rejects -> 400: options.headers have no authorization'],
  ['no caller without scopes', { context: secured, scopes: ['a'], get: run }, {}, 'GET /v1/x without a -> 403: no options.unscoped'],
  ['a context that does not say how', { context: () => 1, get: run }, {},
    'GET /v1/x without credentials -> 401, and changes nothing: its context has no security'],
  ['responses that differ', { version: () => 1, get: run }, { samples: { xGet: { varies: true } } },
    'GET /v1/x: an ETag, and 304 to If-None-Match with it: samples.xGet.varies is true'],
  ['a delete of an item of the user', { id: stringId, delete: run }, { samples: {} },
    'DELETE /v1/x/:id: the response is as the document says: no samples.xDelete.params.id, and no create that makes one'],
  ['a delete of a singleton', { delete: run }, {},
    'DELETE /v1/x: the response is as the document says: no update that puts something there, and no samples.xDelete'],
  ['a delete of a singleton without a sample', { delete: run, update: { input: text, run } }, {},
    'DELETE /v1/x: the response is as the document says: no samples.xUpdate.body, and no samples.xDelete'],
  ['a decoder without a JSON Schema', { custom: { put: { input: (json: unknown) => json, run } } },
    {}, 'POST /v1/x/put: a value that its schema rejects: it has no JSON Schema that rejects one'],
] as const) {
  names(`names the reason: ${what}`, () => {
    const found = listSkipped((server) => server.registerEndpoint('/x', endpoint as never), options as ChecksOptions);
    assert.ok(found.includes(expected), found.join('\n'));
  });
}
names('does nothing', async () => {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoint('/x', { custom: { stop: run } });
  for (const check of checks(server).filter(({ isSkipped }) => isSkipped)) assert.is(await check.run(), undefined);
});
names('is none if a sample has the parameters and the query', () => {
  const found = listSkipped((server) => server.registerEndpoint('/x', { id: stringId, get: { query, run }, delete: run } as never), {
    samples: { xGet: { params: { id: 'a' }, query: { name: ['b', 1] } }, xDelete: { params: { id: 'a' } } },
  });
  assert.equal(found, []);
});

const DIFFERENT = 'PUT /v1/x: one with a different body changes GET /v1/x';
/** The failures of all checks of a server. */
async function findFailures(declare: (server: ApiServer) => void, options: ChecksOptions): Promise<[string, string][]> {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  declare(server);
  const all = checks(server, options);
  assert.equal(all.filter(({ isSkipped }) => isSkipped).map(({ name }) => name), []);
  return [...await failuresOf(all)];
}

const changing = suite('an update with a different body');
const open = (properties: object): any => standard({ type: 'object', properties });
for (const [what, schema, body, stored, isIssue] of [
  ['a string', open({ a: { type: 'string' } }), { a: 'x' }, false, true],
  ['a value of an enum', open({ a: { enum: ['x', 'y'] } }), { a: 'x' }, false, true],
  ['a constant of oneOf', open({ a: { oneOf: [{ const: 'x' }, { const: 'y' }] } }), { a: 'x' }, false, true],
  ['a number with bounds', open({ a: { type: 'integer', minimum: 0, maximum: 1 } }), { a: 0 }, false, true],
  ['a boolean', open({ a: { type: 'boolean' } }), { a: true }, false, true],
  ['an item of a list', open({ a: { type: 'array', items: { type: 'string' } } }), { a: ['x'] }, false, true],
  ['a property of a property', open({ a: { type: 'object', properties: { b: { type: 'string' } } } }), { a: { b: 'x' } }, false, true],
  ['a value that is not an object', standard({ type: 'string' }, validString), 'x', false, true],
  ['a value that the store keeps', open({ a: { type: 'string' } }), { a: 'x' }, true, false],
  ['a value that only the schema names', open({ a: { type: 'string', pattern: '^(?:x|zz)$', enum: ['x', 'zz'] } }), { a: 'x' }, true, false],
  ['no value that can differ', open({ a: { const: 'x' } }), { a: 'x' }, false, false],
  ['a time alone', open({ a: { type: 'string', pattern: 'T' } }), { a: '2026-01-01T00:00:00Z' }, false, false],
] as const) {
  changing(`in ${what} ${isIssue ? 'that changes nothing is an error' : 'is not an error'}`, async () => {
    let value: unknown = body;
    const found = await findFailures((server) => server.registerEndpoint('/x', {
      get: { output: schema, run: () => value }, update: { input: schema, run: (given: unknown) => { if (stored) value = given; } },
    } as never), { samples: { xUpdate: { body } } });
    assert.equal(found.map(([name]) => name), isIssue ? [DIFFERENT] : []);
  });
}
const accepts = (a: string) => (value: unknown): object => (Object(value).a === a ? { value } : { issues: [{ message: 'another' }] });
for (const [what, declared] of [
  ['that the get does not show', { get: { output: open({}), run: () => ({}) }, update: { input: open({ a: { type: 'string' } }), run: () => {} } }],
  ['that is rejected', { get: { output: open({}), run: () => ({ a: 'x' }) }, update: { input: standard({ type: 'object', properties: { a: { type: 'string' } } }, accepts('x')), run: () => {} } }],
  ['that is applied later',
    { get: { output: open({}), run: () => ({ a: 'x' }) }, update: { input: open({ a: { type: 'string' } }), output: { 202: null }, run: () => reply(202) } }],
] as const) {
  changing(`${what} is not an error`, async () => {
    const output = open({ a: { type: 'string' } });
    const found = await findFailures((server) => server.registerEndpoint('/x', { ...declared, get: { ...declared.get, output } } as never), { samples: { xUpdate: { body: { a: 'x' } } } });
    assert.equal(found, []);
  });
}
for (const [what, body] of [['of a second sample', () => `${Math.random()}`], ['of a second sample, as bytes', () => Buffer.from(`${Math.random()}`)]] as const) {
  changing(`${what}, for a body that is not JSON, that changes nothing is an error`, async () => {
    const found = await findFailures((server) => server.registerEndpoint('/x', {
      get: { output: { 200: bytes({ types: ['text/plain'] }) }, run: () => reply(200, 'old', { 'Content-Type': 'text/plain' }) },
      update: { input: bytes({ types: ['text/plain'] }), run: async (given: AsyncIterable<Uint8Array>) => void await buffer(given) },
    } as never), { samples: { xUpdate: { body } } });
    assert.equal(found.map(([name]) => name), [DIFFERENT]);
  });
}
changing('of a sample that is always the same is not found for a body that is not JSON', async () => {
  const found = await findFailures((server) => server.registerEndpoint('/x', {
    get: { output: { 200: bytes({ types: ['text/plain'] }) }, run: () => reply(200, 'old', { 'Content-Type': 'text/plain' }) },
    update: { input: bytes({ types: ['text/plain'] }), optional: undefined, run: async (given: AsyncIterable<Uint8Array>) => void await buffer(given) },
  } as never), { samples: { xUpdate: () => ({ body: 'a' }) } });
  assert.equal(found, []);
});

interface Numbered { readonly name: string; readonly owner_id: number; readonly number: number }
/** An endpoint whose create sends what `sent` makes of a new item. */
function makeNumbered(declared: object, sent: (item: Numbered) => unknown): { readonly register: (server: ApiServer) => void; readonly items: Map<number, Numbered> } {
  const items = new Map<number, Numbered>([[3, { name: 'other', owner_id: 3, number: 3 }]]);
  const output = open({ name: { type: 'string' }, owner_id: { type: 'integer' }, number: { type: 'integer' } });
  return { items, register: (server) => server.registerEndpoint('/x', {
    id: integerId,
    create: { input: open({ name: { type: 'string' } }), ...declared, run: ({ name }: Numbered) => {
      const item = { name, owner_id: 3, number: items.size + 10 };
      items.set(item.number, item);
      return sent(item);
    } },
    get: { output, run: (id: number) => items.get(id) },
    delete: (id: number) => items.delete(id),
  } as never) };
}
const ITEM = open({ name: { type: 'string' }, owner_id: { type: 'integer' }, number: { type: 'integer' } });
const NAMED = open({ name: { type: 'string' } });
const samplesOf = (create: unknown): ChecksOptions => ({ samples: { xCreate: create } } as never);
const created201 = 'POST /v1/x: Location, or an id in the body, leads to an item, at GET /v1/x/:id';
const made = suite('an item of a create with output');
for (const [what, output, sent] of [
  ['names its id by another property', ITEM, (item) => item],
  ['is declared by its status', { 201: ITEM }, (item) => item],
  ['is a 200', { 200: ITEM }, (item) => item],
  ['has its id as `id`', open({ id: { type: 'integer' } }), ({ number }) => ({ id: number })],
  ['is the id', standard({ type: 'integer' }), ({ number }) => number],
  ['has no JSON Schema', (value: unknown) => value, (item) => item],
  ['has Location', NAMED, ({ number, name }) => created(number, { name })],
  ['has Location, and is declared by its status', { 201: NAMED }, ({ number, name }) => created(number, { name })],
] as readonly (readonly [string, unknown, (item: Numbered) => unknown])[]) {
  made(`that ${what} is reached`, async () => {
    const { register } = makeNumbered({ output }, sent);
    assert.equal(await findFailures(register, samplesOf({ body: { name: 'Rex' } })), []);
  });
}
for (const [what, output, sent] of [
  ['is a list', standard({ type: 'array', items: { type: 'integer' } }), ({ number }) => [number]],
  ['has no string and no number', open({ ok: { type: 'boolean' } }), () => ({ ok: true })],
  ['is bytes', { 201: bytes() }, () => reply(201, Buffer.alloc(1))],
] as readonly (readonly [string, unknown, (item: Numbered) => unknown])[]) {
  made(`that ${what} is not reached`, () => {
    const { register } = makeNumbered({ output }, sent);
    const found = listSkipped(register, samplesOf({ body: { name: 'Rex' } }));
    assert.ok(found.includes('GET /v1/x/:id: the response is as the document says: no samples.xGet.params.id, and no create that makes one'), found.join('\n'));
  });
}
made('that has neither Location nor an id is a failure that says so', async () => {
  const { register } = makeNumbered({ output: NAMED }, ({ name }) => ({ name }));
  const [[name, message] = []] = await findFailures(register, samplesOf({ body: { name: 'Rex' } }));
  assert.ok(name);
  assert.match(message ?? '',
    /POST \/v1\/x with \{"name":"Rex"\} returned 201. Expected: 201 with Location, or with a property that has the id of the item \(xCreate,/);
});
made('is checked alike with `output: P` and with `output: { 201: P }`', () => {
  const [plain, byStatus] = [ITEM, { 201: ITEM }].map((output) => {
    const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
    makeNumbered({ output }, (item) => item).register(server);
    return checks(server, samplesOf({ body: { name: 'Rex' } })).map(({ name }) => name);
  });
  assert.equal(plain, byStatus);
  assert.ok(plain?.includes(created201), plain?.join('\n'));
});
made('is found by the name of the property if there is no get', async () => {
  const { register, items } = makeNumbered({ output: ITEM }, ({ number, ...item }) => ({ ...item, number_id: number }));
  const without = (server: ApiServer): void => register({ registerEndpoint: (path: string, { get: _, ...rest }: any) => server.registerEndpoint(path as '/x', {
    ...rest, create: { ...rest.create, output: open({ number_id: { type: 'integer' } }), run: (pet: Numbered) => ({ number_id: rest.create.run(pet).number_id }) },
  }) } as never);
  assert.equal(await findFailures(without, samplesOf({ body: { name: 'Rex' } })), []);
  assert.equal([...items.keys()].includes(10), false);
});

const makers = suite('a sample');
let count = 0;
const makeName = (): string => `Rex ${count += 1}`;
for (const [what, sample] of [
  ['whose body is a function', { body: () => ({ name: makeName() }) }],
  ['whose body is a promise', { body: async () => ({ name: makeName() }) }],
  ['that is a function', () => ({ body: { name: makeName() } })],
  ['that is an async function, whose body is one too', async () => ({ body: async () => ({ name: makeName() }) })],
] as const) {
  makers(`${what} is made anew for each request`, async () => {
    const taken = new Set<string>();
    const declared = { id: integerId, schema: open({ name: { type: 'string' } }), get: (id: number) => [...taken].map((name) => ({ name }))[id - 1], create: ({ name }: { name: string }) => {
      if (taken.has(name) || !name.startsWith('Rex')) throw ApiError.status(409, 'Taken.');
      return taken.add(name).size;
    } };
    assert.equal(await findFailures((server) => server.registerEndpoint('/x', declared as never), samplesOf(sample)), []);
  });
}
makers('that is a function has the parameters of its own request', async () => {
  const items = new Map<number, string>();
  const own = async (): Promise<object> => {
    const id = items.set(items.size + 1, `item ${items.size + 1}`).size;
    return { params: { id }, query: { name: `item ${id}` }, body: { name: `item ${id}` } };
  };
  const isRight = (id: number, name: unknown): boolean => {
    if (items.get(id) !== name) throw ApiError.status(409, `${id} is not ${String(name)}`);
    return true;
  };
  const declared = { id: integerId, itemCustom: { pay: { query, input: open({ name: { type: 'string' } }), output: open({}), run: (id: number, { name }: any, request: any) => isRight(id, name) && isRight(id, request.query.name) && {} } } };
  assert.equal(await findFailures((server) => server.registerEndpoint('/x', declared as never), { samples: { xItemPay: own } }), []);
});
makers('of a create that is a function is that of an update with the same schema', async () => {
  const items: string[] = [];
  const declared = {
    id: integerId, schema: open({ name: { type: 'string' } }), get: (id: number) => items[id] && { name: items[id] },
    create: ({ name }: { name: string }) => items.push(name) - 1, update: (id: number, { name }: { name: string }) => { items[id] = name; },
  };
  assert.equal(await findFailures((server) => server.registerEndpoint('/x', declared as never), samplesOf(async () => ({ body: { name: makeName() } }))), []);
});
for (const [what, sample, message] of [
  ['has no parameter that it needs', () => ({}), 'samples.xGet() has no params.id, and no create makes one'],
  ['has an unknown property', () => ({ parms: {} }),
    'unknown option options.samples.xGet().parms: did you mean params? It can be one of body, type, query, headers, params, varies'],
  ['is nothing', async () => undefined, 'options.samples.xGet() must be an object: undefined'],
] as const) {
  makers(`that is a function and ${what} -> a failure that says so`, async () => {
    const [[, found] = []] = await findFailures((server) => server.registerEndpoint('/x', { id: integerId, get: run }), { samples: { xGet: sample as never } });
    assert.is(found, message);
  });
}

const options = suite('the options of checks');
for (const [wrong, message] of [
  [{ sample: {} }, 'unknown option options.sample: did you mean samples? It can be one of samples, headers, unscoped, strangers, concurrency, timeoutMs'],
  [{ samples: { xPut: {} } }, 'options.samples.xPut is not an operation. The operations are xGet'],
  [{ samples: { xGet: { json: 1 } } }, 'unknown option options.samples.xGet.json: it can be one of body, type, query, headers, params, varies'],
  [{ headers: 'a' }, 'options.headers must be an object: a'],
  [{ strangers: { xPut: {} } }, 'options.strangers.xPut is not an operation. The operations are xGet'],
  [{ strangers: { xGet: 'a' } }, 'options.strangers.xGet must be an object: a'],
  [{ concurrency: -1 }, 'options.concurrency must be a whole number from 0 to 1000: -1'],
  [{ timeoutMs: 0 }, 'options.timeoutMs must be a whole number from 1 to 2147483647: 0'],
] as const) {
  options(`${JSON.stringify(wrong)} -> TypeError: ${message}`, () => {
    assert.throws(() => listSkipped((server) => server.registerEndpoint('/x', { get: run }), wrong as never),
      (error: Error) => error instanceof TypeError && error.message === message);
  });
}

const LIST_TAG = 'GET /v1/pet: an ETag, and 304 to If-None-Match with it';
/** The checks of a list with a tag that sends these headers. */
const listTagChecks = (declared: object, headers: (call: number) => Record<string, string>): Check[] => checksOf((parts) => {
  let call = 0;
  const run = (): unknown => reply(200, [...parts.pets.values()], headers((call += 1)));
  parts.endpoint = { ...parts.endpoint, list: { ...declared, context: anyone, output: standard({ type: 'array' }), run } };
}).filter(({ name }) => name === LIST_TAG);
const caching = suite('S8: the etag of an operation');
caching('is checked where it is declared', async () => {
  const all = listTagChecks({ etag: 'body' }, () => ({}));
  assert.is(all.length, 1);
  assert.equal([...await failuresOf(all)], []);
  assert.equal(listTagChecks({}, () => ({})), []);
});
for (const [what, headers, message] of [
  ['that is different each time', (call: number) => ({ ETag: `"${call}"` }), /Expected: 304 to If-None-Match: "\d+"/],
  ['that is weak', () => ({ ETag: 'W/"1"' }), /Expected: a strong ETag, not W\/"1"/],
] as const) {
  caching(`${what} is found`, async () => assert.match((await failuresOf(listTagChecks({ etag: 'body' }, headers))).get(LIST_TAG) ?? '', message));
}
