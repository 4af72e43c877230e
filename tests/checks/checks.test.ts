/** What checks there are, what they cannot reach, and that they find nothing wrong with right servers. */
import { buffer } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bearer } from '../../src/auth/index.ts';
import { checks, type ChecksOptions } from '../../src/checks/index.ts';
import { ApiError, ApiServer, type ApiServerOptions, bytes, reply, stringId } from '../../src/index.ts';
import { casesForRun, Random, seedForRun } from '../support/random.ts';
import { checksOf, failuresOf, type Parts, standard } from './pet-server.ts';

const MEMBERS = ['list', 'get', 'create', 'update', 'patch', 'delete', 'custom', 'itemCustom'];
const RECORD = standard({ type: 'object', properties: { text: { type: 'string' }, revision: { type: 'integer' }, changed: { type: 'string' } } });
const validText = (value: unknown): object => (typeof Object(value).text === 'string' ? { value } : { issues: [{ message: 'expected a text' }] });
const CLOCK = standard({ type: 'object', required: ['now'], properties: { now: { type: 'integer' } } });

/** Leaves operations out, and adds a clock, a redirection, a record of changes and a note that is text. */
function vary(random: Random, parts: Parts, server: ApiServer): void {
  const left = MEMBERS.filter((name) => name !== 'get' && random.below(4) === 0);
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
  'an object with the members in it': {
    schema: ERROR, membersAt: '/error', format: ({ status, title: _, type: __, ...members }) => ({ body: { error: { code: status, ...members } } }),
  },
  'an object without members': { schema: ERROR, membersAt: false, format: ({ status }) => ({ body: { error: { code: status } } }) },
};

function optionsOf(random: Random): ApiServerOptions {
  return {
    ...(random.below(2) === 0 && { validationStatus: 422 }),
    ...(random.below(3) === 0 && { contentType: 'any' }),
    ...(random.below(2) === 0 && { formatProblem: Object.values(FORMS)[random.below(5)]! }),
  };
}

const right = suite('the checks of right servers');
const seed = seedForRun();
// Each takes a tenth of a second. `.ci/run` tries a hundred.
for (let run = 0; run < casesForRun(10); run += 1) {
  right(`invent no fault (RESTPOINT_SEED=${seed}, server ${run})`, async () => {
    const random = new Random(seed + run);
    const samples = { clockGet: { varies: true }, recordUpdate: { body: { text: 'a' } }, noteUpdate: { body: 'a note', type: 'text/plain' } };
    const all = checksOf((parts, server) => vary(random, parts, server), { samples }, optionsOf(random));
    assert.equal([...await failuresOf(all)], []);
    assert.ok(all.filter(({ isReached }) => isReached).length > 10, `${all.length} checks`);
    assert.is(new Set(all.map(({ name }) => name)).size, all.length);
  });
}
/** A create that is refused by its own 409, which needs a body that only the checks of other operations send. */
const full = (parts: Parts): void => {
  const members = standard({ type: 'object', required: ['room'], properties: { room: { type: 'integer' } } });
  const refusing = () => { throw ApiError.status(409, 'Full.', { members: { room: 0 } }); };
  parts.endpoint = { ...parts.endpoint, patch: { ...parts.endpoint['patch'], errors: { 409: members }, run: refusing } };
};
const PATCH = 'PATCH /v1/pet/:id: the answer is as the document says';
for (const [what, formatProblem] of [['problems', undefined], ...Object.entries(FORMS)] as const) {
  right(`invent no fault in errors that are ${what}, also in those that are declared`, async () => {
    const options = formatProblem === undefined ? {} : { formatProblem };
    assert.equal([...await failuresOf(checksOf(() => {}, {}, options))], []);
    // The body of the 409 is right: what fails is that the sample is refused.
    assert.match((await failuresOf(checksOf(full, {}, options).filter(({ name }) => name === PATCH))).get(PATCH) ?? '', /409 .*Expected: success for the sample/);
  });
}
for (const [what, formatProblem, message] of [
  ['a type of their own', { headers: { 'Content-Type': 'application/vnd.zoo+json' } }, /Expected: the media type application\/json or application\/problem\+json/],
  ['a body that the schema refuses', { error: {} }, /Expected: a body as the document says, but #\/error\/code is missing/],
  ['declared members that are missing', { error: { code: 409 } }, /Expected: a body as the document says, but #\/error\/room is missing/],
] as const) {
  right(`find ${what} in errors`, async () => {
    const options = 'headers' in formatProblem
      ? { formatProblem: () => ({ ...formatProblem, body: {} }) }
      : { formatProblem: { schema: ERROR, membersAt: '/error', format: () => ({ body: formatProblem }) } };
    assert.match((await failuresOf(checksOf(full, {}, options).filter(({ name }) => name === PATCH))).get(PATCH) ?? '', message);
  });
}
right.run();

/** The names of the checks of `declare` that are not reached, without their beginning. */
function unreached(declare: (server: ApiServer) => void, options: ChecksOptions = {}): string[] {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  declare(server);
  return checks(server, options).filter(({ isReached }) => !isReached).map(({ name }) => name.replace('not reached: ', ''));
}

const run = (): never => { throw new Error('never called'); };
const text = standard({ type: 'string' });
const secured = bearer(() => ({}), { scopesOf: () => [] });
const query = standard({ type: 'object', required: ['name'], properties: { name: { type: 'string' } } });

const names = suite('a check that is not reached');
for (const [what, endpoint, options, expected] of [
  ['an item that nothing makes', { id: stringId, get: run }, {}, 'GET /v1/x/:id: the answer is as the document says: no samples.xGet.params.id, and no create that makes one'],
  ['an item of a create without a sample', { id: stringId, get: run, create: { input: text, run } }, {}, 'GET /v1/x/:id: the answer is as the document says: no samples.xCreate.body'],
  ['an item of a create that sends no 201', { id: stringId, get: run, create: { input: text, output: { 202: null }, run } }, { samples: { xCreate: { body: 'a' } } },
    'GET /v1/x/:id: the answer is as the document says: no samples.xGet.params.id, and no create that makes one'],
  ['a create without a sample', { id: stringId, create: { input: text, run } }, {}, 'POST /v1/x: the answer is as the document says: no samples.xCreate.body'],
  ['a Custom operation without a sample', { custom: { stop: run } }, {}, 'POST /v1/x/stop: the answer is as the document says: no samples.xStop: custom may do anything'],
  ['a sample that is false', { get: run }, { samples: { xGet: false } }, 'GET /v1/x: the answer is as the document says: samples.xGet is false'],
  ['a body whose sample is false', { custom: { stop: { input: text, run } } }, { samples: { xStop: false } }, 'POST /v1/x/stop: another media type -> 415: samples.xStop is false'],
  ['a query that is required', { get: { query, run } }, {}, 'GET /v1/x: the answer is as the document says: no samples.xGet.query'],
  ['no credentials', { context: secured, get: run }, {}, 'GET /v1/x: the answer is as the document says: options.headers have no authorization'],
  ['a body without credentials', { context: secured, custom: { stop: { input: text, run } } }, {}, 'POST /v1/x/stop: another media type -> 415: options.headers have no authorization'],
  ['no caller without scopes', { context: secured, scopes: ['a'], get: run }, {}, 'GET /v1/x without a -> 403: no options.unscoped'],
  ['a context that does not say how', { context: () => 1, get: run }, {}, 'GET /v1/x without credentials -> 401, and changes nothing: its context has no security'],
  ['answers that differ', { get: run }, { samples: { xGet: { varies: true } } }, 'HEAD /v1/x: as GET, without a body: samples.xGet.varies is true'],
  ['a delete of an item of the host', { id: stringId, delete: run }, { samples: {} }, 'DELETE /v1/x/:id: the answer is as the document says: no samples.xDelete.params.id, and no create that makes one'],
  ['a delete of a singleton', { delete: run }, {}, 'DELETE /v1/x: the answer is as the document says: no update that puts something there, and no samples.xDelete'],
  ['a delete of a singleton without a sample', { delete: run, update: { input: text, run } }, {}, 'DELETE /v1/x: the answer is as the document says: no samples.xUpdate.body, and no samples.xDelete'],
  ['a body of any size', { custom: { put: { input: bytes(), limits: { bodyBytes: 2 ** 30 }, run } } }, {}, 'POST /v1/x/put: a body that is too long: it may have 1073741824 bytes'],
  ['a decoder without a JSON Schema', { custom: { put: { input: (json: unknown) => json, run } } }, {}, 'POST /v1/x/put: a value that its schema refuses: it has no JSON Schema that refuses one'],
] as const) {
  names(`names the reason: ${what}`, () => {
    const found = unreached((server) => server.registerEndpoint('/x', endpoint as never), options as ChecksOptions);
    assert.ok(found.includes(expected), found.join('\n'));
  });
}
names('does nothing', async () => {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoint('/x', { custom: { stop: run } });
  for (const check of checks(server).filter(({ isReached }) => !isReached)) assert.is(await check.run(), undefined);
});
names('is none if a sample has the parameters and the query', () => {
  const found = unreached((server) => server.registerEndpoint('/x', { id: stringId, get: { query, run }, delete: run } as never), {
    samples: { xGet: { params: { id: 'a' }, query: { name: ['b', 1] } }, xDelete: { params: { id: 'a' } } },
  });
  assert.equal(found, []);
});
names.run();

const options = suite('the options of checks');
for (const [wrong, message] of [
  [{ sample: {} }, 'unknown member options.sample: it can be one of samples, headers, unscoped, jsonSchema, timeoutMs'],
  [{ samples: { xPut: {} } }, 'options.samples.xPut is no operation: there are xGet'],
  [{ samples: { xGet: { json: 1 } } }, 'unknown member options.samples.xGet.json: it can be one of body, type, query, headers, params, varies'],
  [{ headers: 'a' }, 'options.headers must be an object: a'],
  [{ jsonSchema: 1 }, 'options.jsonSchema must be a function: number'],
  [{ timeoutMs: 0 }, 'options.timeoutMs must be a whole number from 1 to 2147483647: 0'],
] as const) {
  options(`${JSON.stringify(wrong)} -> TypeError: ${message}`, () => {
    assert.throws(() => unreached((server) => server.registerEndpoint('/x', { get: run }), wrong as never), (error: Error) => error instanceof TypeError && error.message === message);
  });
}
options.run();
