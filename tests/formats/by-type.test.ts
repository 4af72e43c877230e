/** Bodies of several formats, of which the media type names one. */
import { checks } from '../../src/checks/index.ts';
import { toFormData } from '../../src/client/index.ts';
import { byType, form, json, mergePatch, ndjson } from '../../src/formats/index.ts';
import { ApiServer, bytes, defineEndpoint, stringId, type ApiServerOptions } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { standard } from '../checks/pet-server.ts';
import { callTool, INFO } from '../mcp/serve-tools.ts';
import { findOperation, makeDocument } from '../support/make-document.ts';
import { serveWithClient } from '../support/serve-with-client.ts';
import { assert, check, facts, rejections, serve, suite, type Declare } from '../support/facts.ts';

const PET = { $id: 'Pet', type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const Pet = standard(PET, (value) => (typeof Object(value).name === 'string' ? { value } : { issues: [{ message: 'expected a string', path: ['name'] }] }));
const asForm = (fields: { name?: string }): object => ({ form: fields.name });
const JSON_PATCH = 'application/json-patch+json';
const typed = (type: string): string => `\nContent-Type: ${type}`;
const AS_JSON = typed('application/json');
const AS_FORM = typed('application/x-www-form-urlencoded');
const show = (value: unknown): unknown => value;

const declare: Declare = (server) => server.registerEndpoint('/pet', {
  id: stringId,
  create: { input: byType(Pet, form(asForm)), output: { 200: show }, limits: { bodyBytes: 60 }, run: show },
  patch: {
    input: byType(json(show, { types: [JSON_PATCH] }), mergePatch(show)), output: show,
    run: async (id: string, change: any) => (typeof change !== 'function' ? change : id === 'lost' ? void change({ legs: 4 }) : change({ legs: 4 })),
  },
  custom: { once: { input: byType(form(show), show), use: idempotent(memoryIdempotencyStore()), run: show } },
} as never);
const NAMES = 'application/json, multipart/form-data or application/x-www-form-urlencoded';
const not = (types: string, listed = types.replace(' or ', ', ')): string => `415 The body must be ${types}. | Accept: ${listed} | Accept-Post: ${listed}`;
const bodies = suite('F17: a body of several formats');
facts(bodies, declare, [
  ['JSON', `POST /v1/pet {"name":"Rex"}${AS_JSON}`, '200 {"name":"Rex"}'],
  ['a form', `POST /v1/pet name=Rex${AS_FORM}`, '200 {"form":"Rex"}'],
  ['in any spelling', `POST /v1/pet {"name":"Rex"}${typed('Application/JSON\t; Charset="UTF-8" ;')}`, '200 {"name":"Rex"}'],
  ['its own decoder', `POST /v1/pet {}${AS_JSON}`, '400 Bad arguments: expected a string @#/name'],
  ['even with a tab', `POST /v1/pet {}${typed('application/json\t;v=1')}`, '400 Bad arguments: expected a string @#/name'],
  ['the other of it', `POST /v1/pet {"name":7}${AS_FORM}`, '200 {}'],
  ['the checks of JSON: numbers', `POST /v1/pet {"name":12345678901234567890}${AS_JSON}`,
    '400 Bad arguments: the body has a number that cannot be represented exactly @#/name'],
  ['keys', `POST /v1/pet {"__proto__":{}}${AS_JSON}`, '400 Bad arguments: the body has a key named "__proto__" @#'],
  ['depth', `POST /v1/pet/once ${'['.repeat(1001)}${']'.repeat(1001)}${AS_JSON}`, '400 Bad arguments: the body is nested too deeply @#'],
  ['nothing', `POST /v1/pet${AS_JSON}`, '400 Bad arguments: the body is empty @#'],
  ['length', `POST /v1/pet "${'a'.repeat(60)}"${AS_JSON}`, '413 The body must not be longer than 60 bytes. | Connection: close'],
  ...['text/csv', 'text/plain;application/json', 'application/vnd.pet+json', 'application/json; charset=latin1', 'application/*', '*/*', '"'].map((type) => {
    return ['any other type', `POST /v1/pet {"name":"Rex"}${typed(type)}`, not(NAMES)] as const;
  }),
  ['no type', 'POST /v1/pet {"name":"Rex"}', not(NAMES)],
  ['from a page of a different origin, a form', `POST /v1/pet name=Rex${AS_FORM}\nOrigin: https://evil.example`,
    '415 From a page of a different origin, a POST needs a Content-Type that requires a preflight.'],
  ['JSON, after a preflight', `POST /v1/pet {"name":"Rex"}${AS_JSON}\nOrigin: https://evil.example`, '200 {"name":"Rex"}'],
  ['a merge patch', `PATCH /v1/pet/1 {"name":"Rex"}${typed('application/merge-patch+json')}`, '200 {"legs":4,"name":"Rex"}'],
  ['a JSON patch', `PATCH /v1/pet/1 []${typed(JSON_PATCH)}`, '200 []'],
  ['the format still sees what its operation forgets', `PATCH /v1/pet/lost {}${AS_JSON}`, '500', /run did not wait for it/],
  ['a key belongs to one of them', [`POST /v1/pet/once 1${AS_JSON}\nIdempotency-Key: "a"`, `POST /v1/pet/once 1${AS_FORM}\nIdempotency-Key: "a"`],
    ['200 1', '422 The idempotency key was used for a different request. {"code":"idempotency_key_reused"}']],
]);
bodies('a key twice, and the status of what is rejected', () => check(declare,
  [`POST /v1/pet {"name":"a","name":"b"}${AS_JSON}`, `POST /v1/pet {}${AS_JSON}`],
  ['400 Bad arguments: an object of the body has a key twice @#', '422 Bad arguments: expected a string @#/name'], [],
  { uniqueKeys: true, validationStatus: 422 }));
bodies('JSON has the media types of the server', () => check(declare,
  [`POST /v1/pet {"name":"Rex"}${typed('application/scim+json')}`, `POST /v1/pet {"name":"Rex"}${AS_JSON}`],
  ['200 application/scim+json {"name":"Rex"}', not(NAMES.replace('application/json', 'application/scim+json'))], [], { jsonTypes: ['application/scim+json'] }));

const server = (endpoint: object, options?: ApiServerOptions): ApiServer => {
  const made = new ApiServer('/v1', { logger: { info: () => {}, error: ({ message }) => assert.unreachable(message) }, ...options });
  made.registerEndpoint('/pet', { id: stringId, ...endpoint } as never);
  return made;
};
rejections(suite('F17: TypeErrors'), [
  ['two of one type', () => byType(show, json(show, { types: ['application/json'] })), 'byType has two formats of the type application/json'],
  ['in a second one', () => byType(form(show), byType(show, form(show))), 'byType has two formats of the type multipart/form-data'],
  ['any type', () => byType(show, bytes()), "byType needs formats with types: bytes({ types: ['image/png'] })"],
  ['a class', () => byType(class Rex {} as never), /must be a function, not the class Rex/],
  ['only an output', () => server({ create: { input: byType(show, { ...ndjson(show), decode: undefined } as never), run: show } }),
    'endpoint.create.input must be a format with decode: this one only encodes'],
  ['an output', () => server({ get: { output: byType(show), run: show } }), 'endpoint.get.output must be a format with encode: this one only decodes'],
]);

const described = suite('F17: what is described');
described('a document has each with its schema, JSON first', () => {
  const { requestBody, responses } = findOperation(makeDocument((made) => made.registerEndpoint('/pet', {
    id: stringId, create: { input: byType(form(Pet, { files: { photo: {} } } as never), Pet, json(show, { types: [JSON_PATCH] })), run: show },
  } as never)), 'petCreate');
  const content = requestBody?.content ?? {};
  assert.equal(Object.keys(content), ['application/json', JSON_PATCH, 'multipart/form-data']);
  assert.equal([content['application/json'], content[JSON_PATCH]], [{ schema: { $ref: '#/components/schemas/Pet' } }, { schema: {} }]);
  assert.equal(Object.keys(Object(content['multipart/form-data']?.schema).properties), ['name', 'photo']);
  assert.equal(Object.keys(responses), ['201', '400', '413', '415', 'default']);
});
described('a tool sends JSON', () => serve((made) => {
  made.registerEndpoint('/pet', { create: { tool: true, input: byType(form(Pet), Pet), output: { 201: Pet }, run: show } } as never);
  made.mount('/mcp', mcpHandler(made, { info: INFO }));
}, async ({ url }) => {
  assert.equal((await callTool(url, 'petCreate', { body: { name: 'Rex' } })).json.result.structuredContent, { name: 'Rex' });
}));
for (const [what, input] of [['JSON', byType(form(Pet), Pet)], ['a form, if there is no JSON', byType(form(Pet), bytes({ types: ['image/png'] }))]] as const) {
  described(`checks send ${what}`, async () => {
    const received: unknown[] = [];
    const custom = { add: { input, output: { 204: null }, run: (pet: unknown) => void received.push(pet) } };
    const all = checks(server({ get: undefined, custom, id: undefined }), { samples: { petAdd: { body: { name: 'Rex' } } } } as never);
    for (const { run } of all) await run();
    assert.ok(all.some(({ name }) => /null|empty form/.test(name)), all.map(({ name }) => name).join());
    assert.equal(JSON.parse(JSON.stringify(received[0])), { name: 'Rex' });
  });
}
const decode = (value: unknown): { name: string } => ({ name: String(Object(value).name) });
const either = defineEndpoint({ custom: { add: { input: byType(decode, form((fields: { name: string }) => fields)), run: show } } });
described('a client sends what it gets', () => serveWithClient((made) => made.registerEndpoint('/pet', either), async (calls) => {
  const { custom } = calls.connect<{ '/pet': typeof either }>().one('/pet');
  assert.equal(await custom.add({ name: 'Rex' }), { name: 'Rex' });
  assert.equal(await custom.add(toFormData({ name: 'Asp' })), { name: 'Asp' });
}));
