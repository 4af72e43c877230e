/** JSON under media types of its own: of a server, of an endpoint, and of an operation. */
import { checks } from '../../src/checks/index.ts';
import { form, json, ndjson, parseJson } from '../../src/formats/index.ts';
import { ApiServer, bytes, defineEndpoint, reply, stringId, type ApiServerOptions } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { callTool, INFO } from '../mcp/serve-tools.ts';
import { standard } from '../checks/pet-server.ts';
import { makeDocument, makeJsonSchema, findOperation } from '../support/make-document.ts';
import { captureError, serveWithClient } from '../support/serve-with-client.ts';
import { assert, check, facts, rejections, serve, suite, type Declare } from '../support/facts.ts';

const SCIM = 'application/scim+json';
const Pet = (value: unknown): { readonly name: string } => {
  const { name } = Object(value) as { readonly name?: unknown };
  if (typeof name !== 'string') throw new Error('name is missing');
  return { name };
};
const typed = (type: string): string => `\nContent-Type: ${type}`;
const not = (types: string, header = 'Accept-Patch', listed = types.replace(' or ', ', ')): string => {
  return `415 The body must be ${types} in UTF-8. | Accept: ${listed}${header && ` | ${header}: ${listed}`}`;
};

const things = defineEndpoint({
  id: stringId,
  get: (id) => (id === 'none' ? undefined : reply(200, { id })),
  list: () => [],
  create: { input: Pet, output: { 201: Pet }, run: (pet) => reply(201, pet) },
  update: { input: Pet, output: { 200: Pet }, run: (_id, pet) => reply(200, pet, { 'Content-Type': 'application/vnd.pet+json' }) },
  patch: { input: Pet, output: Pet, use: idempotent(memoryIdempotencyStore()), run: (_id, pet) => pet },
});
const declareAll: Declare = (server) => server.registerEndpoint('/pet', things);
const jsonTypes = ['application/SCIM+json', 'application/json'];
const all = suite('B17: the media types of all JSON');
facts(all, declareAll, [
  ['a result has the first', 'GET /v1/pet', `200 ${SCIM} []`],
  ['a reply too', 'GET /v1/pet/7', `200 ${SCIM} {"id":"7"}`],
  ['unless it says otherwise', 'PUT /v1/pet/7 {"name":"Rex"}', '200 application/vnd.pet+json {"name":"Rex"}'],
  ['a body has one', `POST /v1/pet {"name":"Rex"}${typed(SCIM)}`, `201 ${SCIM} {"name":"Rex"}`],
  ['or the other', `POST /v1/pet {"name":"Rex"}${typed('application/json')}`, `201 ${SCIM} {"name":"Rex"}`],
  ['or none', 'POST /v1/pet {"name":"Rex"}', `201 ${SCIM} {"name":"Rex"}`],
  ['a PATCH too', `PATCH /v1/pet/7 {"name":"Rex"}${typed(`${SCIM}; charset=utf-8`)}`, `200 ${SCIM} {"name":"Rex"}`],
  ...['Application/Scim+JSON', `${SCIM};charset="UTF-8"`, `${SCIM}\t; v=1 ;;`].map((type) => {
    return ['in any spelling', `PATCH /v1/pet/7 {"name":"Rex"}${typed(type)}`, `200 ${SCIM} {"name":"Rex"}`] as const;
  }),
  ...['application/vnd.zoo+json', `${SCIM}; charset=latin1`, `text/plain;${SCIM}`, `${SCIM}, application/json`, 'application/*', '"'].map((type) => {
    return ['no other', `PATCH /v1/pet/7 {"name":"Rex"}${typed(type)}`, not(`${SCIM} or application/json`)] as const;
  }),
  ['the checks of JSON hold', `PATCH /v1/pet/7 {"name":9007199254740993}${typed(SCIM)}`,
    '400 Bad arguments: the body has a number that cannot be represented exactly @#/name'],
  ['of keys', `PATCH /v1/pet/7 {"__proto__":{}}${typed(SCIM)}`, '400 Bad arguments: the body has a key named "__proto__" @#'],
  ['an error keeps its type', 'GET /v1/pet/none', '404 Not found.'],
  ['discovery has them', 'OPTIONS /v1/pet/7', `200 | Allow: GET, PUT, PATCH | Accept-Patch: ${SCIM}, application/json`],
  ['a key brings the response again', [1, 2].map(() => `PATCH /v1/pet/7 {"name":"Rex"}${typed(SCIM)}\nIdempotency-Key: "a"`),
    [`200 ${SCIM} {"name":"Rex"}`, `200 ${SCIM} {"name":"Rex"} | Idempotent-Replayed: true`]],
], { jsonTypes });

const GEO = ['application/geo+json'];
const PATCH = ['application/json-patch+json'];
const declareOne: Declare = (server) => server.registerEndpoints({
  '/pet': defineEndpoint({
    id: stringId,
    get: { output: json(Pet, { types: GEO }), run: (id) => (id === 'reply' ? reply(200, { name: id }) : { name: id }) },
    create: { input: Pet, output: { 202: json(Pet, { types: GEO }), 201: Pet }, run: (pet) => reply(pet.name === 'new' ? 201 : 202, pet) },
    patch: { input: json(Pet, { types: PATCH }), output: Pet, run: (_id, pet) => pet },
  }),
  '/zoo': defineEndpoint({ schema: json(Pet, { types: GEO }), get: () => ({ name: 'zoo' }), update: (pet) => void Pet(pet) }),
});
const one = suite('B17: the media types of an operation, and of an endpoint');
facts(one, declareOne, [
  ['a result', 'GET /v1/pet/7', '200 application/geo+json {"name":"7"}'],
  ['a reply', 'GET /v1/pet/reply', '200 application/geo+json {"name":"reply"}'],
  ['of its status', 'POST /v1/pet {"name":"Rex"}', '202 application/geo+json {"name":"Rex"}'],
  ['not of another', 'POST /v1/pet {"name":"new"}', '201 {"name":"new"}'],
  ['the body of a PATCH', `PATCH /v1/pet/7 {"name":"Rex"}${typed(PATCH[0]!)}`, '200 {"name":"Rex"}'],
  ['and nothing else', `PATCH /v1/pet/7 {"name":"Rex"}${typed('application/json')}`, not(PATCH[0]!)],
  ['is decoded', `PATCH /v1/pet/7 {}${typed(PATCH[0]!)}`, '400 Bad arguments: name is missing @#'],
  ['the schema of an endpoint', `PUT /v1/zoo {"name":"a"}${typed(GEO[0]!)}`, '204'],
  ['is the only one too', `PUT /v1/zoo {"name":"a"}${typed('application/json')}`, not(GEO[0]!, '')],
  ['and has its results', 'GET /v1/zoo', '200 application/geo+json {"name":"zoo"}'],
]);
one('the server has the others', () => check(declareOne,
  ['GET /v1/pet/7', `PATCH /v1/pet/7 {"name":"Rex"}${typed(PATCH[0]!)}`],
  ['200 application/geo+json {"name":"7"}', `200 ${SCIM} {"name":"Rex"}`], [], { jsonTypes }));

rejections(suite('B17: TypeErrors'), [
  ...[['text/plain'], ['text/json'], ['multipart/form-data'], ['application/json', 'application/*'], []].map((types) => {
    const message = `jsonTypes must have types of JSON, such as application/json or application/vnd.api+json: ${types.at(-1) ?? 'it has none'}`;
    return [types.join(), () => new ApiServer('/v1', { jsonTypes: types }), message] as const;
  }),
  ['a parameter', () => json(Pet, { types: ['application/json; charset=utf-8'] }), /must be a media type/],
  ['no types', () => json(Pet, {} as never), "options.types is required: ['application/vnd.api+json']"],
  ['a format', () => json(bytes() as never, { types: GEO }), 'the decoder of a format must be a schema or a function, not a format'],
  ['in a format', () => ndjson(json(Pet, { types: GEO })), 'the decoder of a format must be a schema or a function, not a format'],
  ['as query', () => defined({ list: { query: json(Pet, { types: GEO }), run: () => [] } }),
    'endpoint.list.query must be a schema or a function, not a format'],
]);
function defined(endpoint: object, options?: ApiServerOptions): ApiServer {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: ({ message }) => assert.unreachable(message) }, ...options });
  server.registerEndpoint('/pet', { id: stringId, ...endpoint } as never);
  return server;
}

const PET = { $id: 'Pet', type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const Item = makeJsonSchema(PET);
const described = suite('B17: what is described');
described('a document has the types', () => {
  const typesOf = (declare: Declare, id: string, server?: ApiServerOptions): unknown[] => {
    const { requestBody, responses } = findOperation(makeDocument(declare, { server: server ?? {} }), id);
    return [requestBody?.content, ...Object.values(responses).map((each) => Object(each).content)].map((content) => Object.keys(content ?? {}));
  };
  assert.equal(typesOf(declareAll, 'petPatch', { jsonTypes }).slice(0, 2), [[SCIM, 'application/json'], [SCIM]]);
  assert.equal(typesOf(declareAll, 'petList', { jsonTypes }).slice(0, 2), [[], [SCIM]]);
  assert.equal(typesOf(declareOne, 'petPatch').slice(0, 2), [PATCH, ['application/json']]);
  assert.equal(typesOf(declareOne, 'petCreate').slice(0, 3), [['application/json'], ['application/json'], GEO]);
  assert.equal(typesOf(declareOne, 'zooUpdate').slice(0, 1), [GEO]);
});
described('a schema keeps its name', () => {
  const declare: Declare = (server) => server.registerEndpoint('/pet', { schema: json(Item, { types: GEO }), get: () => ({ name: '' }) });
  const { components } = makeDocument(declare);
  assert.equal(Object.keys(components?.schemas ?? {}).filter((name) => name !== 'Problem'), ['Pet']);
});
const store = new Map<string, object>();
const create = { tool: true, run: (pet: object) => {
  const id = String(store.size + 1);
  store.set(id, pet);
  return id;
} };
const get = { tool: true, output: Item, run: (id: string) => store.get(id) };
described('a tool sends and reads them', () => serve((server) => {
  server.registerEndpoint('/pet', { id: stringId, schema: Item, create, get } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url }) => {
  assert.equal((await callTool(url, 'petCreate', { body: { name: 'Rex' } })).json.result.structuredContent, { id: '1' });
  assert.equal((await callTool(url, 'petGet', { id: '1' })).json.result.structuredContent, { name: 'Rex' });
}, { jsonTypes: [SCIM] }));
described('checks send and read them', async () => {
  const schema = standard(PET, (value) => (typeof Object(value).name === 'string' ? { value } : { issues: [{ message: 'expected a pet' }] }));
  const made = { output: { 201: makeJsonSchema({ properties: { id: { type: 'string' } } }) }, run: (pet: object) => reply(201, { id: create.run(pet) }) };
  const run = checks(defined({ schema, create: made, get }, { jsonTypes: [SCIM] }), { samples: { petCreate: () => ({ body: { name: 'Rex' } }) } } as never);
  const failures = await Promise.all(run.map((each) => Promise.resolve(each.run()).then(() => [], ({ message }: Error) => [each.name, message])));
  assert.equal(failures.flat(), []);
  assert.ok(run.length > 5);
});
described('a client names them in its call', () => serveWithClient(declareOne, async (calls) => {
  const { patch } = calls.connect<{ '/pet': { id: typeof stringId; patch: { body: { name: string }; 200: { name: string } } } }>()('/pet');
  assert.is(Object(await captureError(patch('7', { name: 'Rex' }))).status, 415);
  assert.equal(await patch('7', { name: 'Rex' }, { headers: { 'Content-Type': PATCH[0]! } }), { name: 'Rex' });
}));

const texts = suite('JSON within a body');
for (const [name, text, expected] of [
  ['is parsed', '{"legs":[4]}', { legs: [4] }],
  ['with a number that a double cannot hold', '9007199254740993', 'the text has a number that cannot be represented exactly'],
  ['with a key __proto__', '{"__proto__":{}}', 'the text has a key named "__proto__"'],
  ['with half a character', '"\ud800"', '\ud800'],
  ['that ends too early', '[', 'the text is not JSON: it ends too early, at byte 1'],
  ['that is nothing', '', 'the text is empty'],
  ['that is too deep', '['.repeat(10_000), 'the text is nested too deeply'],
] as const) {
  texts(`${name} -> ${JSON.stringify(expected)}`, () => {
    const issues: string[] = [];
    const thrown: unknown[] = [];
    const added = parseJson(text, { addIssue: (message) => issues.push(message) });
    const parsed = (() => {
      try {
        return parseJson(text);
      } catch (error) {
        thrown.push(error instanceof SyntaxError && error.message);
      }
    })();
    const isWrong = issues.length > 0;
    assert.equal([added, parsed], isWrong ? [undefined, undefined] : [expected, expected]);
    assert.equal([issues, thrown], isWrong ? [[expected], [expected]] : [[], []]);
  });
}
texts('a list of them, as map passes them, and no string', () => {
  assert.equal(['1', '[2]'].map(parseJson as never), [1, [2]]);
  assert.throws(() => ['1', '['].map(parseJson as never), (error: unknown) => error instanceof SyntaxError);
  assert.throws(() => Reflect.apply(parseJson, undefined, [1]), (error: unknown) => error instanceof TypeError && error.message === 'text must be a string: 1');
});
const declareText: Declare = (server) => server.registerEndpoint('/pet', defineEndpoint({
  create: { input: form((fields: { owner: string }) => parseJson(fields.owner)), run: (owner: unknown) => reply(200, { owner }) },
}));
const FORM = '\nContent-Type: application/x-www-form-urlencoded';
facts(texts, declareText, [
  ['in a form', `POST /v1/pet owner=[1]${FORM}`, '200 {"owner":[1]}'],
  ['wrong in a form', `POST /v1/pet owner=[${FORM}`, '422 Bad arguments: the text is not JSON: it ends too early, at byte 1 @#'],
], { validationStatus: 422 });
