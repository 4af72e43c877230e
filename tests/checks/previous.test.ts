/** The document of the release before: each breaking change is found, and no other. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { anyone, apiKey, bearer } from '../../src/auth/index.ts';
import { checks, type ChecksOptions } from '../../src/checks/index.ts';
import { events, ndjson } from '../../src/formats/index.ts';
import { ApiServer, bytes, type IdCodec, integerId, reply, stringId, uuidId, wildcardId } from '../../src/index.ts';
import { pages } from '../../src/interceptors/index.ts';
import { openApi } from '../../src/openapi/index.ts';
import { failuresOf, standard } from './pet-server.ts';

type Schema = Record<string, any>;
const object = (properties: Schema, required: readonly string[] = Object.keys(properties), more: Schema = {}): Schema => {
  return { type: 'object', properties, required: [...required], ...more };
};

/** What a release declares. A change is made to a copy. */
class Release {
  path = '/pet';
  id: IdCodec<any> = integerId;
  context: any = bearer(() => ({}), { getScopes: () => [] });
  scopes: string[] = ['pet:write'];
  body = object({
    name: { type: 'string', minLength: 1, maxLength: 20 }, legs: { type: 'integer', minimum: 0, maximum: 8 }, kind: { type: 'string', enum: ['cat', 'dog'], default: 'cat' },
    tag: { type: 'string', pattern: '^[A-Z]{3}-\\d{4}$' }, owner: object({ name: { type: 'string' }, since: { type: 'string' } }), toys: { type: 'array', items: { type: 'string' } },
  }, ['name', 'legs', 'tag']);
  result = object({
    name: { type: 'string' }, legs: { type: 'integer' }, kind: { type: 'string', enum: ['cat', 'dog'] }, born: { type: 'string', format: 'date' },
    // A chip of one of two kinds, and a tree.
    chip: { oneOf: [object({ kind: { const: 'rfid' }, id: { type: 'string' } }), object({ kind: { const: 'qr' }, url: { type: 'string' } })] },
    parents: { type: 'array', items: { $ref: '#/$defs/parent' } },
  }, ['name', 'legs', 'kind', 'born'], { $defs: { parent: object({ name: { type: 'string' }, parents: { type: 'array', items: { $ref: '#/$defs/parent' } } }, ['name']) }, additionalProperties: false });
  query = object({ sort: { type: 'string', enum: ['name', 'legs'], default: 'name' }, near: { type: 'string' } }, []);
  headers = object({ 'x-client': { type: 'string' } }, []);
  pages = { max: 100, default: 20 };
  update: object | undefined = {};
  create: Schema = {};
  endpoint: Schema = {};
  listContext: any = anyone;
  optional = true;
  more: Schema = { '/zoo/:zoo': { params: { zoo: integerId }, get: () => 1 }, '/file': { id: wildcardId, get: (id: string) => id } };
  problem = object({ legs: { type: 'integer' } });
  item = object({ at: { type: 'integer' } });
  pair: Schema = { type: 'array', prefixItems: [{ type: 'integer' }, { type: 'string' }], items: { type: 'boolean' }, minItems: 2 };

  serve(): ApiServer {
    const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
    const found = { name: 'Rex', legs: 4, kind: 'dog', born: '2026-01-31' };
    const get = { output: standard(this.result), run: () => found };
    server.registerEndpoint(this.path, {
      id: this.id, schema: standard(this.body), get, context: this.context,
      list: { context: this.listContext, use: pages({ cursor: ({ name }: any) => name, ...this.pages }), query: standard(this.query), headers: standard(this.headers), output: standard({ type: 'array', items: this.result }), run: () => [found] },
      create: { scopes: this.scopes, responseHeaders: { 'X-Cost': standard({ type: 'integer' }, (value) => (value === undefined ? { issues: [{ message: 'missing' }] } : { value })) }, output: { 201: standard(this.result) }, errors: { 409: standard(this.problem) }, run: () => reply(201, found, { 'X-Cost': '1' }), ...this.create },
      ...(this.update && { update: { output: standard(this.result), run: () => found, ...this.update } }),
      custom: {
        log: { input: ndjson(standard(this.item)), output: ndjson(standard(this.item)), run: () => [{ at: 1 }] },
        pair: { optional: this.optional, input: standard(this.pair), output: standard(this.pair), run: () => [1, 'a'] },
        watch: { method: 'GET', output: events(standard(this.item)), run: async function* watch() { yield { data: { at: 1 } }; } },
      },
      ...this.endpoint,
    } as never);
    for (const [path, endpoint] of Object.entries(this.more)) server.registerEndpoint(path, endpoint);
    return server;
  }
}

const INFO = { info: { title: 'Pets', version: '1' } };
const previous = JSON.parse(JSON.stringify(openApi(new Release().serve(), INFO)));

/** The issues with the document of the release before, of all checks that compare documents. */
async function listIssues(change: (release: any) => void, options: ChecksOptions = {}, from: object = previous): Promise<string[]> {
  const release = new Release();
  change(release);
  const compared = checks(release.serve(), { previous: from, ...options }).filter(({ name }) => name.endsWith('can still call it'));
  assert.is(compared.length, Object.values((from as typeof previous).paths).flatMap((item) => Object.keys(item as object)).length);
  return [...(await failuresOf(compared)).values()];
}

type Row = readonly [title: string, change: (release: any) => void, issue: RegExp];
const breaking: readonly Row[] = [
  // The path, and who may call it.
  ['a path is renamed', (release) => { release.path = '/animal'; }, /^GET \/v1\/pet breaks .*: it is gone/],
  ['a method is gone', (release) => { release.update = undefined; }, /^PUT .* it is gone/],
  ['the type of ids', (release) => { release.id = uuidId; }, /path parameter id cannot be \S+ any more: # is not string/],
  ['credentials are needed', (release) => { release.listContext = undefined; }, /GET \/v1\/pet .*the credentials \{\} are not enough any more/],
  ['a scope is needed', ({ scopes }) => { scopes.push('pet:admin'); }, /the credentials \{"\w+":\["pet:write"\]\} are not enough any more/],
  ['different credentials', (release) => { release.context = apiKey('X-Key', () => ({})); release.scopes = []; }, /the credentials \S+ are not enough any more/],
  // The query and the headers.
  ['a query parameter is required', ({ query }) => { query.required.push('near'); }, /query parameter near is required now/],
  ['a query parameter is gone', ({ query }) => { delete query.properties.near; }, /query parameter near is gone/],
  ['a header is required', ({ headers }) => { headers.required.push('x-client'); }, /header parameter x-client is required now/],
  ['an enum of a query is narrower', ({ query }) => { query.properties.sort.enum.pop(); }, /query parameter sort cannot be "legs" any more: # is not one of \["name"\]/],
  ['a default of a query', ({ query }) => { query.properties.sort.default = 'legs'; }, /query parameter sort is "legs" if it is left out, not "name"/],
  ['a lower limit of pages', (release) => { release.pages.max = 50; }, /query parameter limit counts as 50 if it is more, not as 100/],
  ['a lower default of pages', (release) => { release.pages.default = 10; }, /query parameter limit is 10 if it is left out, not 20/],
  ['If-Match is required', (release) => { release.endpoint = { version: () => 1, requireIfMatch: true }; }, /header parameter If-Match is required now/],
  // The body.
  ['a body is required', (release) => { release.optional = false; }, /a body is required now/],
  ['an enum is narrower', ({ body }) => { body.properties.kind.enum.pop(); body.properties.kind.default = 'cat'; }, /the body cannot be \{.*"dog".*: #\/kind is not one of/],
  ['a minimum is higher', ({ body }) => { body.properties.legs.minimum = 1; }, /#\/legs is out of minimum 1/],
  ['a maximum is lower', ({ body }) => { body.properties.legs.maximum = 4; }, /#\/legs is out of maximum 4/],
  ['a string is shorter', ({ body }) => { body.properties.name.maxLength = 10; }, /#\/name is out of maxLength 10/],
  ['a number must be a multiple', ({ body }) => { body.properties.legs.multipleOf = 2; }, /#\/legs is out of multipleOf 2/],
  ['a property is required', ({ body }) => { body.required.push('owner'); }, /#\/owner is missing/],
  ['a type of a property', ({ body }) => { body.properties.legs = { type: 'string' }; }, /#\/legs is not string/],
  ['a bound of a nested property', ({ body }) => { body.properties.owner.properties.name.minLength = 3; }, /#\/owner\/name is out of minLength 3/],
  ['a format of a nested property', ({ body }) => { body.properties.owner.properties.since.format = 'date-time'; }, /#\/owner\/since is not in the format date-time/],
  ['a pattern is new', ({ body }) => { body.properties.name.pattern = '^[a-z]*$'; }, /#\/name does not match/],
  ['a pattern that nobody can read', ({ body }) => { body.properties.tag.pattern = '^[A-Z]{3}-\\d{6}$'; }, /the body cannot be .*"tag":"\^\[A-Z\]\{3\}-.*any more: #\/tag does not match/],
  ['further properties are rejected', ({ body }) => { body.additionalProperties = false; }, /must not be there/],
  ['a property is gone', ({ body }) => { delete body.properties.toys; body.additionalProperties = false; }, /must not be there/],
  ['a list is shorter', ({ body }) => { body.properties.toys.maxItems = 10; }, /#\/toys is out of maxItems 10/],
  ['items of a list must be unique', ({ body }) => { body.properties.toys.uniqueItems = true; }, /#\/toys has an item twice/],
  ['a default of a property', ({ body }) => { body.properties.kind.default = 'dog'; }, /kind of the body is "dog" if it is left out, not "cat"/],
  ['a different media type', (release) => { release.create.input = bytes({ types: ['image/png'] }); }, /a body of application\/json is not accepted any more/],
  ['an item of a stream', ({ item }) => { item.properties.at.maximum = 9; }, /the body cannot be \{"at":100\} any more/],
  ['an item of a tuple', ({ pair }) => { pair.prefixItems[1].maxLength = 9; }, /#\/1 is out of maxLength 9/],
  ['a further item of a tuple', ({ pair }) => { pair.items = { const: true }; }, /#\/\d is not true/],
  // The responses.
  ['a status of success', (release) => { release.create = { output: { 202: standard(release.result) }, status: 202 }; }, /the status 202 is new/],
  ['null in a result', ({ result }) => { result.properties.name.type = ['string', 'null']; }, /200 can be \{"name":null.* now: #\/name is not string/],
  ['a property of a result is optional', ({ result }) => { result.required.shift(); }, /now: #\/name is missing/],
  ['a property of a result is gone', ({ result }) => { delete result.properties.legs; result.required.splice(1, 1); }, /now: #\/legs is missing/],
  ['a value of an enum of a result', ({ result }) => { result.properties.kind.enum.push('bird'); }, /now: #\/kind is not one of/],
  ['a format of a result is gone', ({ result }) => { delete result.properties.born.format; }, /now: #\/born is not in the format date/],
  ['an alternative of a result', ({ result }) => { result.properties.chip.oneOf[0].properties.id.type = 'integer'; }, /#\/chip matches none of oneOf/],
  ['a new alternative of a result', ({ result }) => { result.properties.chip.oneOf.push(object({ kind: { const: 'none' } })); }, /#\/chip matches none of oneOf/],
  ['a property of a tree', ({ result }) => { result.$defs.parent.required = []; }, /#\/parents\/\d\/name is missing/],
  ['a header is not sent any more', (release) => { release.create.responseHeaders = undefined; release.create.run = () => reply(201, {}); }, /201 can be without the header x-cost now/i],
  ['a header has a different type', (release) => { release.create.responseHeaders = { 'X-Cost': standard({ type: 'string' }, (value) => (value === undefined ? { issues: [{ message: 'missing' }] } : { value })) }; }, /201 can have the header x-cost: "a" now/i],
  ['a property of a problem', ({ problem }) => { problem.properties.legs.type = 'string'; }, /409 can be .*#\/legs is not integer/],
  ['bytes in place of JSON', (release) => { release.endpoint.get = { output: bytes({ types: ['image/png'] }), run: () => reply(200, new Uint8Array(1), { 'Content-Type': 'image/png' }) }; }, /200 can have the media type image\/png now/],
  ['no body', (release) => { release.update = { output: { 200: null }, run: () => reply(200) as never }; }, /200 has no body any more/],
];

const compatible: readonly (readonly [title: string, change: (release: any) => void])[] = [
  ['nothing', () => {}],
  ['a path', (release) => { release.more['/cat'] = { get: () => 1 }; }],
  ['an operation', (release) => { release.endpoint.delete = () => true; }],
  ['an optional property in a body', ({ body }) => { body.properties.color = { type: 'string' }; }],
  ['a property is not required any more', ({ body }) => { body.required.pop(); }],
  ['a wider enum in a body', ({ body }) => { body.properties.kind.enum.push('bird'); }],
  ['lower and higher bounds', ({ body }) => { Object.assign(body.properties.legs, { minimum: -1, maximum: 100 }); }],
  ['a narrower enum in a result', ({ result }) => { result.properties.kind.enum.pop(); }],
  ['a property in a result', ({ result }) => { result.properties.age = { type: 'integer' }; result.required.push('age'); }],
  ['a property in an alternative of a result', ({ result }) => { result.properties.chip.oneOf[0].properties.url = { type: 'string' }; }],
  ['an optional query parameter', ({ query }) => { query.properties.far = { type: 'string' }; }],
  ['an optional header', ({ headers }) => { headers.properties['x-trace'] = { type: 'string' }; }],
  ['any string as an id', (release) => { release.id = stringId; }],
  ['longer pages', (release) => { release.pages.max = 200; }],
  ['a status of errors', (release) => { release.create.errors = { 409: standard(release.problem), 422: null }; }],
  ['versions', (release) => { release.endpoint.version = () => 1; }],
  ['a scope is not needed any more', ({ scopes }) => { scopes.pop(); }],
  ['anyone may call it', (release) => { release.context = undefined; release.listContext = undefined; release.scopes = undefined; }],
  ['a name of a parameter of the path', ({ more }) => { more['/zoo/:of'] = { params: { of: integerId }, get: () => 1 }; delete more['/zoo/:zoo']; }],
  ['any media type', (release) => { release.create.input = bytes(); }],
];

const changes = suite('Y10: a change after the previous document');
for (const [title, change, issue] of breaking) {
  changes(`${title}: found`, async () => {
    const issues = await listIssues(change);
    assert.ok(issues.some((each) => issue.test(each)), issues.join('\n') || 'nothing was found');
  });
}
for (const [title, change] of compatible) changes(`${title}: nothing is found`, async () => assert.equal(await listIssues(change), []));
changes('in a document of OpenAPI 3.1: found, and nothing else', async () => {
  const older = openApi(new Release().serve(), { ...INFO, version: '3.1' });
  assert.equal(await listIssues(() => {}, {}, older), []);
  assert.match((await listIssues(({ body }) => { body.properties.legs.minimum = 1; }, {}, older)).join(), /#\/legs is out of minimum 1/);
});
changes('of the header of a key: found', async () => {
  const signIn = (header: string) => (release: any): void => Object.assign(release, { context: apiKey(header, () => ({})), scopes: undefined });
  const older = new Release();
  signIn('X-Key')(older);
  const from = openApi(older.serve(), INFO);
  assert.equal(await listIssues(signIn('X-Key'), {}, from), []);
  assert.match((await listIssues(signIn('X-Token'), {}, from)).join(), /the credentials \S+ are not enough any more/);
});
changes('of words only: nothing is found', async () => {
  const describe = (schema: Schema): void => Object.values(schema['properties']).forEach((each: any) => { each.description = 'New words.'; });
  assert.equal(await listIssues((release) => [release.body, release.result, release.problem].forEach(describe)), []);
});
changes('of what one component refers to, by way of another: found', async () => {
  const node = (type: string): Schema => object({ next: { $ref: '#/$defs/b' } }, [], { $defs: { a: object({ b: { $ref: '#/$defs/b' }, name: { type } }, []), b: object({ a: { $ref: '#/$defs/a' } }, []) } });
  const first = (type: string) => (release: any): void => { release.more['/node'] = { create: { input: standard(node(type)), run: () => 1 } }; };
  const older = new Release();
  first('string')(older);
  assert.match((await listIssues(first('integer'), {}, openApi(older.serve(), INFO))).join(), /the body cannot be \{"next":\{"a":\{"name":"a".* any more: #\/next\/a\/name is not integer/);
});
changes('of a new string in a result, with openEnums: nothing is found, but a different type is', async () => {
  const alternative = (release: any): void => { release.result.properties.kind = { anyOf: [{ const: 'cat' }, { const: 'bird' }] }; };
  const longer = (release: any): void => { release.result.properties.kind.enum.push('bird'); };
  const older = new Release();
  alternative(older);
  for (const [change, from] of [[longer, previous], [alternative, previous], [longer, openApi(older.serve(), INFO)]] as const) {
    assert.is((await listIssues(change, {}, from)).length, 4);
    assert.equal(await listIssues(change, { openEnums: true }, from), []);
  }
  assert.is((await listIssues(({ result }) => { result.properties.kind = { enum: ['cat', 7] }; }, { openEnums: true })).length, 4);
  assert.match((await listIssues(({ body }) => { body.properties.kind.enum.pop(); }, { openEnums: true })).join(), /#\/kind is not one of \["cat"\]/);
});
changes.run();

// ---- What is sent.

const sent = suite('Y10: a response after the previous document');
const OPEN = standard({});
/** The results of the checks of the response to GET, by what it sends. The newer document says nothing of it. */
async function listSent(schema: object, value: unknown): Promise<string[]> {
  const serve = (output: unknown): ApiServer => {
    const server = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
    server.registerEndpoint('/pet', { get: { output, run: () => value } } as never);
    return server;
  };
  const older = openApi(serve(standard(schema)), INFO);
  return [...(await failuresOf(checks(serve(OPEN), { previous: older }).filter(({ name }) => name.endsWith('as the previous document says')))).values()];
}
sent('with more than it says -> nothing', async () => assert.equal(await listSent(object({ name: { type: 'string' } }, ['name'], { additionalProperties: false }), { name: 'Rex', legs: 4 }), []));
sent('with less than it says -> found', async () => assert.match((await listSent(object({ name: { type: 'string' } }), { legs: 4 })).join(), /GET \/pet returned 200\. Expected: a body as the document says, but #\/name is missing \(the previous document\)/));
sent.run();

const rejected = suite('the option previous');
for (const value of ['{}', [], {}, { paths: [] }]) {
  rejected(`${JSON.stringify(value)} -> TypeError`, () => {
    assert.throws(() => checks(new Release().serve(), { previous: value as never }), (error: unknown) => error instanceof TypeError && /options\.previous must be an? (?:OpenAPI document, with paths|object)/.test(error.message));
  });
}
rejected.run();
