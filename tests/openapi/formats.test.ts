/** Formats, interceptors and headers in a document. */
import { events, form, mergePatch, ndjson } from '../../src/formats/index.ts';
import { pages } from '../../src/interceptors/index.ts';
import { bearer } from '../../src/auth/index.ts';
import { bytes, defineEndpoint, defineFormat, stringId, type AnyDecoder, type ApiServer, type Format, type Interceptor } from '../../src/index.ts';
import { makeDocument, makeJsonSchema, findOperation, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const pet = { type: 'object', properties: { name: { type: 'string' } } };
const item = makeJsonSchema(pet);
const legs = makeJsonSchema({ type: 'integer' });

const inputs = suite('the body of a format');
for (const [what, input, content] of [
  ['ndjson', ndjson(item), ['application/x-ndjson', 'application/ndjson', 'application/jsonl'].map((type) => [type, { schema: pet }])],
  ['bytes', bytes({ types: ['image/png'] }), [['image/png', {}]]],
  ['mergePatch', mergePatch(item), ['application/merge-patch+json', 'application/json'].map((type) => [type, { schema: { type: 'object', properties: { name: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, description: 'A JSON Merge Patch (RFC 7396).' } }])],
  ['a user\'s', defineFormat({ types: ['application/vnd.msgpack'], decode: () => 1, jsonSchema: (schemaOf) => ({ type: 'array', items: schemaOf(legs) }) }),
    [['application/vnd.msgpack', { schema: { type: 'array', items: { type: 'integer' } } }]]],
] as const) {
  inputs(what, () => {
    const declared = (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, patch: { input, run } });
    assert.equal(findOperation(makeDocument(declared), 'petPatch').requestBody,
      { required: true, content: Object.fromEntries(content.map(([type, media]) => [String(type), media])) });
  });
}
const formFields = { type: 'object', required: ['name', 'photo'], properties: { name: { type: 'string', minLength: 1 }, photo: { type: 'string', format: 'binary' }, boss: { $ref: '#/$defs/Boss' } }, $defs: { Boss: { type: 'string' } } };
const bossless = { name: { type: 'string', minLength: 1 }, boss: { $ref: '#/components/schemas/Boss' } };
const octets = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };
for (const { what, input, content } of [
  { what: 'without files', input: form(item), content: { 'multipart/form-data': { schema: pet }, 'application/x-www-form-urlencoded': { schema: pet } } },
  {
    what: 'with a file',
    input: form(makeJsonSchema(formFields), { files: { photo: {} } }),
    content: { 'multipart/form-data': { schema: { type: 'object', required: ['name', 'photo'], properties: { ...bossless, photo: octets } } } },
  },
  {
    what: 'with files of some types',
    input: form(makeJsonSchema({ ...formFields, additionalProperties: false }), { files: { photo: { types: ['image/png'] }, scans: { types: ['image/*', 'text/csv'] }, any: { types: ['image/*'] } }, lists: ['scans'] }),
    content: { 'multipart/form-data': {
      schema: {
        type: 'object', required: ['name', 'photo'], additionalProperties: false,
        properties: { ...bossless, photo: { type: 'string', format: 'binary', contentMediaType: 'image/png' }, scans: { type: 'array', items: octets }, any: octets },
      },
      encoding: { photo: { contentType: 'image/png' }, scans: { contentType: 'image/*, text/csv' }, any: { contentType: 'image/*' } },
    } },
  },
  {
    what: 'of which the library has no JSON Schema',
    input: form((json: unknown) => json, { files: { photo: {} } }),
    content: { 'multipart/form-data': { schema: { type: 'object', properties: { photo: octets } } } },
  },
  {
    what: 'that is more than its properties',
    input: form(makeJsonSchema({ anyOf: [pet, {}] }), { files: { photo: {} } }),
    content: { 'multipart/form-data': { schema: { allOf: [{ anyOf: [pet, {}] }], properties: { photo: octets } } } },
  },
]) {
  inputs(`a form ${what}`, () => {
    const declared = (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, patch: { input, run } });
    assert.equal(findOperation(makeDocument(declared), 'petPatch').requestBody, { required: true, content });
  });
}
inputs('has 400, 413 and 415 among its responses, but bytes no 400', () => {
  const statusesOf = (input: Format): string[] => {
    const declared = (server: ApiServer): void => server.registerEndpoint('/pet', { custom: { take: { input, run } } });
    return Object.keys(findOperation(makeDocument(declared), 'petTake').responses);
  };
  assert.equal(statusesOf(ndjson(item)), ['200', '400', '413', '415', 'default']);
  assert.equal(statusesOf(bytes()), ['200', '413', '415', 'default']);
});

const outputs = suite('the response of a format');
const event = (name: object, data: object): object => ({
  type: 'object',
  required: 'const' in name ? ['event', 'data'] : ['data'],
  properties: {
    id: { type: 'string' }, event: { type: 'string', ...name },
    data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
    retry: { type: 'integer', minimum: 0 },
  },
});
for (const [what, output, type, schema] of [
  ['ndjson', ndjson(item), 'application/x-ndjson', pet],
  ['events', events(item), 'text/event-stream', event({}, pet)],
  ['named events', events({ arrived: item, left: legs }), 'text/event-stream',
    { oneOf: [event({ const: 'arrived' }, pet), event({ const: 'left' }, { type: 'integer' })] }],
] as const) {
  outputs(`${what}: the schema of an item`, () => {
    const declared = (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, list: { output, run } });
    assert.equal((findOperation(makeDocument(declared), 'petList').responses['200'] as { readonly content: unknown }).content, { [type]: { schema } });
  });
}
outputs('a schema that is used twice is one component', () => {
  const schema = makeJsonSchema({ $id: 'Pet', ...pet });
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, schema, get: run, list: { output: ndjson(schema), run } }));
  assert.equal(document.components?.schemas?.['Pet'], pet);
  assert.equal((findOperation(document, 'petList').responses['200'] as any).content,
    { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/Pet' } } });
});

const finished = suite('a function that describes by other schemas');
const Pets = makeJsonSchema({ type: 'array', items: { $ref: '#/$defs/Pet' }, $defs: { Pet: pet } });
for (const [what, list] of [
  ['describeResult, which copies the schema', { output: Pets, use: { around: (_call, next) => next(), ' internal': { describeResult: (schema: object) => ({ ...schema, title: 'Pets' }) } } as Interceptor, run }],
  ['jsonSchema of a format, which copies the schema',
    { output: defineFormat({ encode: String, jsonSchema: (schemaOf) => ({ ...schemaOf(Pets), title: 'Pets' }) }), run }],
] as readonly (readonly [string, { readonly output: AnyDecoder; readonly use?: Interceptor; readonly run: typeof run }])[]) {
  finished(`${what}, gets the schema of the document`, () => {
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list }));
    const [media] = Object.values((findOperation(document, 'petList').responses['200'] as { readonly content: Readonly<Record<string, object>> }).content);
    assert.equal(media, { schema: { type: 'array', items: { $ref: '#/components/schemas/Pet' }, title: 'Pets' } });
    assert.equal(document.components?.schemas?.['Pet'], pet);
  });
}
finished('the envelope of pages has the schema of an item', () => {
  const use = pages({ cursor: String, envelope: true });
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list: { output: Pets, use, run } }));
  const { content } = findOperation(document, 'petList').responses['200'] as { readonly content: Readonly<Record<string, { readonly schema: any }>> };
  assert.equal(content['application/json']?.schema.properties.items, { type: 'array', items: { $ref: '#/components/schemas/Pet' } });
});

const patched = suite('the schema of a merge patch');
for (const [what, schema, expected] of [
  ['an object in it', { properties: { owner: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } }, required: ['owner'] },
    { owner: { type: 'object', properties: { name: { type: 'string' } } } }],
  ['an object that a reference leads to', { properties: { a: { $ref: '#/$defs/A' } }, required: ['a'], $defs: { A: pet } },
    { a: { type: 'object', properties: { name: { anyOf: [{ type: 'string' }, { type: 'null' }] } } } }],
  ['one that refers to itself', { properties: { boss: { $ref: '#' } }, required: ['boss'] }, { boss: { type: 'object' } }],
  ['alternatives, one of them an object', { properties: { a: { anyOf: [{ type: 'string' }, pet] } } }, { a: {} }],
  ['alternatives without an object', { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, required: ['a'] },
    { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } }],
  ['a list', { properties: { a: { type: 'array', items: pet } }, required: ['a'] }, { a: { type: 'array', items: pet } }],
  ['any value', { properties: { a: true, b: {} } }, { a: {}, b: {} }],
] as const) {
  patched(`has ${what}`, () => {
    const input = mergePatch(makeJsonSchema(schema));
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, patch: { input, run } }));
    const { properties } = findOperation(document, 'petPatch').requestBody?.content['application/merge-patch+json']?.schema as { readonly properties: object };
    assert.equal(properties, expected);
  });
}
patched('of a function is any object', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, patch: { input: mergePatch((json: unknown) => json), run } }));
  const { schema } = findOperation(document, 'petPatch').requestBody?.content['application/json'] ?? {};
  assert.equal(schema, { type: 'object', description: 'A JSON Merge Patch (RFC 7396).' });
});

const headers = suite('interceptors and headers');
const around = (_call: unknown, next: () => Promise<unknown>): Promise<unknown> => next();
const object = (properties: object, required: readonly string[] = []): AnyDecoder => makeJsonSchema({ type: 'object', properties, required });
headers('have their parameters before those of the operation', () => {
  const use = { around, query: object({ limit: { type: 'integer' } }), headers: object({ 'x-key': { type: 'string' } }, ['x-key']), errors: { 429: null, 409: null } };
  const own = { query: object({ tag: { type: 'string' }, limit: { type: 'string' } }), headers: object({ 'x-tenant': { type: 'string', description: 'Who pays.' } }), errors: { 418: null } };
  const { parameters, responses } = findOperation(makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, use, list: { ...own, run } })), 'petList');
  assert.equal(parameters, [
    { name: 'limit', in: 'query', schema: { type: 'integer' } },
    { name: 'tag', in: 'query', schema: { type: 'string' } },
    { name: 'x-key', in: 'header', required: true, schema: { type: 'string' } },
    { name: 'x-tenant', in: 'header', description: 'Who pays.', schema: { type: 'string', description: 'Who pays.' } },
  ]);
  assert.equal(Object.keys(responses), ['200', '400', '409', '418', '429', 'default']);
});
headers('of two decoders with one name, in any case, are one parameter', () => {
  const use = { around, headers: object({ 'idempotency-key': { type: 'string' } }) };
  const list = { headers: object({ 'Idempotency-Key': { type: 'string' }, 'x-tenant': { type: 'string' } }), run };
  const { parameters = [] } = findOperation(makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, use, list })), 'petList');
  assert.equal(parameters.map(({ name }) => name), ['idempotency-key', 'x-tenant']);
});
headers('that all responses have are components, unless they differ', () => {
  const document = makeDocument((server) => {
    for (const [path, RateLimit] of [['/pet', 'The quota.'], ['/bee', 'The quota.'], ['/ant', 'Another quota.']] as const) {
      server.registerEndpoint(path, { id: stringId, use: { around, ...{ ' internal': { addedHeaders: { RateLimit } } } }, list: run });
    }
  });
  const header = { description: 'The quota.', schema: { type: 'string' } };
  assert.equal(document.components?.headers, { RateLimit: header });
  for (const [operationId, expected] of [['petList', undefined], ['beeList', undefined], ['antList', { ...header, description: 'Another quota.' }]] as const) {
    const responses = Object.values(findOperation(document, operationId).responses) as { readonly headers?: object }[];
    for (const response of responses) assert.equal(response.headers, { RateLimit: expected ?? { $ref: '#/components/headers/RateLimit' } });
  }
});
headers('without a schema of an object, are one parameter', () => {
  const list = { headers: makeJsonSchema({ anyOf: [] }), run };
  const { parameters } = findOperation(makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list })), 'petList');
  assert.equal(parameters, [{ name: 'headers', in: 'header', style: 'simple', explode: true, schema: { anyOf: [] } }]);
});
headers('of registerEndpoints are in each of its operations', () => {
  const use: Interceptor = {
    around: (_call, next) => next(), query: object({ limit: { type: 'integer' } }), headers: object({ 'x-key': { type: 'string' } }), errors: { 429: null }, scopes: ['all'],
  };
  const context = bearer(() => ({ scopes: ['all'] }), { getScopes: ({ scopes }) => scopes });
  const document = makeDocument((server) => {
    server.registerEndpoints({
      '/pet': defineEndpoint({ id: stringId, context, list: { scopes: ['own'], use: { around: use.around, scopes: ['own', 'inner'] }, run }, delete: run }),
      '/settings': defineEndpoint({ context, get: run }),
    }, { use });
  });
  for (const [operationId, scopes] of [['petList', ['own', 'all', 'inner']], ['petDelete', ['all']], ['settingsGet', ['all']]] as const) {
    const { parameters = [], responses, security } = findOperation(document, operationId);
    assert.equal(parameters.filter((each) => each.in !== 'path').map((each) => `${each.in} ${each.name}`), ['query limit', 'header x-key']);
    assert.ok('429' in responses && '403' in responses);
    assert.equal(security, [{ bearer: scopes }]);
  }
});
