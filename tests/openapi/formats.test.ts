/** Formats, QUERY, interceptors and headers in a document, in OpenAPI 3.1 and 3.2. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { events, form, mergePatch, ndjson } from '../../src/formats/index.ts';
import { bearer } from '../../src/auth/index.ts';
import {
  bytes, defineEndpoint, defineFormat, stringId, type AnyDecoder, type ApiServer, type Format, type Interceptor,
} from '../../src/index.ts';
import { describe, jsonSchemaOf, operationIds, operationOf, run } from '../support/describing.ts';

const pet = { type: 'object', properties: { name: { type: 'string' } } };
const item = jsonSchemaOf(pet);
const legs = jsonSchemaOf({ type: 'integer' });

const inputs = suite('the body of a format');
for (const [what, input, content31, content32] of [
  ['ndjson', ndjson(item), ['application/x-ndjson', 'application/ndjson', 'application/jsonl'].map((type) => [type, { schema: pet }]), { itemSchema: pet }],
  ['bytes', bytes({ types: ['image/png'] }), [['image/png', {}]], {}],
  ['mergePatch', mergePatch(item), ['application/merge-patch+json', 'application/json'].map((type) => [type, { schema: { type: 'object', description: 'A JSON Merge Patch (RFC 7396).' } }]), undefined],
  ['a user\'s', defineFormat({ types: ['application/vnd.msgpack'], decode: () => 1, jsonSchema: (schemaOf) => ({ type: 'array', items: schemaOf(legs) }) }),
    [['application/vnd.msgpack', { schema: { type: 'array', items: { type: 'integer' } } }]], undefined],
] as const) {
  inputs(what, () => {
    const declared = (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, patch: { input, run } });
    assert.equal(operationOf(describe(declared), 'petPatch').requestBody, { required: true, content: Object.fromEntries(content31.map(([type, media]) => [String(type), media])) });
    const [first] = Object.values(operationOf(describe(declared, { version: '3.2' }), 'petPatch').requestBody?.content ?? {});
    if (content32 !== undefined) assert.equal(first, content32);
  });
}
const formFields = { type: 'object', required: ['name', 'photo'], properties: { name: { type: 'string', minLength: 1 }, photo: { type: 'string', format: 'binary' }, boss: { $ref: '#/$defs/Boss' } }, $defs: { Boss: { type: 'string' } } };
const bossless = { name: { type: 'string', minLength: 1 }, boss: { $ref: '#/components/schemas/Boss' } };
const octets = { type: 'string', contentMediaType: 'application/octet-stream' };
for (const { what, input, content } of [
  { what: 'without files', input: form(item), content: { 'multipart/form-data': { schema: pet }, 'application/x-www-form-urlencoded': { schema: pet } } },
  {
    what: 'with a file',
    input: form(jsonSchemaOf(formFields), { files: { photo: {} } }),
    content: { 'multipart/form-data': { schema: { type: 'object', required: ['name', 'photo'], properties: { ...bossless, photo: octets } } } },
  },
  {
    what: 'with files of some types',
    input: form(jsonSchemaOf({ ...formFields, additionalProperties: false }), { files: { photo: { types: ['image/png'] }, scans: { types: ['image/*', 'text/csv'] }, any: { types: ['image/*'] } }, lists: ['scans'] }),
    content: { 'multipart/form-data': {
      schema: {
        type: 'object', required: ['name', 'photo'], additionalProperties: false,
        properties: { ...bossless, photo: { type: 'string', contentMediaType: 'image/png' }, scans: { type: 'array', items: octets }, any: octets },
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
    input: form(jsonSchemaOf({ anyOf: [pet, {}] }), { files: { photo: {} } }),
    content: { 'multipart/form-data': { schema: { allOf: [{ anyOf: [pet, {}] }], properties: { photo: octets } } } },
  },
]) {
  inputs(`a form ${what}`, () => {
    const declared = (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, patch: { input, run } });
    assert.equal(operationOf(describe(declared), 'petPatch').requestBody, { required: true, content });
  });
}
inputs('has 400, 413 and 415 among its responses, but bytes no 400', () => {
  const statusesOf = (input: Format): string[] => {
    const declared = (server: ApiServer): void => server.registerEndpoint('/pet', { custom: { take: { input, run } } });
    return Object.keys(operationOf(describe(declared), 'petTake').responses);
  };
  assert.equal(statusesOf(ndjson(item)), ['200', '400', '413', '415', 'default']);
  assert.equal(statusesOf(bytes()), ['200', '413', '415', 'default']);
});
inputs.run();

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
  ['named events', events({ arrived: item, left: legs }), 'text/event-stream', { oneOf: [event({ const: 'arrived' }, pet), event({ const: 'left' }, { type: 'integer' })] }],
] as const) {
  outputs(`${what}: schema in 3.1, itemSchema in 3.2`, () => {
    const declared = (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, list: { output, run } });
    const contentOf = (version: '3.1' | '3.2'): unknown => {
      return (operationOf(describe(declared, { version }), 'petList').responses['200'] as { readonly content: unknown }).content;
    };
    assert.equal(contentOf('3.1'), { [type]: { schema } });
    assert.equal(contentOf('3.2'), { [type]: { itemSchema: schema } });
  });
}
outputs('a schema that is used twice is one component', () => {
  const schema = jsonSchemaOf({ $id: 'Pet', ...pet });
  const document = describe((server) => server.registerEndpoint('/pet', { id: stringId, schema, get: run, list: { output: ndjson(schema), run } }));
  assert.equal(document.components?.schemas?.['Pet'], pet);
  assert.equal((operationOf(document, 'petList').responses['200'] as any).content, { 'application/x-ndjson': { schema: { $ref: '#/components/schemas/Pet' } } });
});
outputs.run();

const queries = suite('search');
const declared = (server: ApiServer): void => server.registerEndpoint('/pet', { id: stringId, search: { input: item, run }, list: run });
queries('is "query" in 3.2, and its id ends in Query', () => {
  const document = describe(declared, { version: '3.2' });
  assert.is(document.openapi, '3.2.0');
  assert.equal(Object.keys(document.paths['/v1/pet'] ?? {}), ['get', 'query']);
  assert.equal(operationIds(document), ['petList', 'petQuery']);
  assert.equal(operationOf(document, 'petQuery').requestBody, { required: true, content: { 'application/json': { schema: pet } } });
});
queries('is left out in 3.1, and onWarning is told', () => {
  const problems: string[] = [];
  const document = describe(declared, { onWarning: (message) => problems.push(message) });
  assert.equal([document.openapi, operationIds(document)], ['3.1.0', ['petList']]);
  assert.equal(problems.slice(0, 1), ['QUERY /v1/pet is left out: OpenAPI 3.1 has no method QUERY. Use version: \'3.2\'']);
});
queries('beside a Custom operation named search, ids differ', () => {
  const both = (server: ApiServer): void => server.registerEndpoint('/pet', { search: { input: item, run }, custom: { search: { run } } });
  assert.equal(operationIds(describe(both, { version: '3.2' })), ['petQuery', 'petSearch']);
});
queries.run();

const headers = suite('interceptors and headers');
const around = (_call: unknown, next: () => Promise<unknown>): Promise<unknown> => next();
const object = (properties: object, required: readonly string[] = []): AnyDecoder => jsonSchemaOf({ type: 'object', properties, required });
headers('have their parameters before those of the operation', () => {
  const use = { around, query: object({ limit: { type: 'integer' } }), headers: object({ 'x-key': { type: 'string' } }, ['x-key']), errors: { 429: null, 409: null } };
  const own = { query: object({ tag: { type: 'string' }, limit: { type: 'string' } }), headers: object({ 'x-tenant': { type: 'string', description: 'Who pays.' } }), errors: { 418: null } };
  const { parameters, responses } = operationOf(describe((server) => server.registerEndpoint('/pet', { id: stringId, use, list: { ...own, run } })), 'petList');
  assert.equal(parameters, [
    { name: 'limit', in: 'query', schema: { type: 'integer' } },
    { name: 'tag', in: 'query', schema: { type: 'string' } },
    { name: 'x-key', in: 'header', required: true, schema: { type: 'string' } },
    { name: 'x-tenant', in: 'header', description: 'Who pays.', schema: { type: 'string', description: 'Who pays.' } },
  ]);
  assert.equal(Object.keys(responses), ['200', '400', '409', '418', '429', 'default']);
});
headers('without a schema of an object, are one parameter', () => {
  const list = { headers: jsonSchemaOf({ anyOf: [] }), run };
  const { parameters } = operationOf(describe((server) => server.registerEndpoint('/pet', { id: stringId, list })), 'petList');
  assert.equal(parameters, [{ name: 'headers', in: 'header', style: 'simple', explode: true, schema: { anyOf: [] } }]);
});
headers('of registerEndpoints are in each of its operations', () => {
  const use: Interceptor = {
    around: (_call, next) => next(), query: object({ limit: { type: 'integer' } }), headers: object({ 'x-key': { type: 'string' } }), errors: { 429: null }, scopes: ['all'],
  };
  const context = bearer(() => ({ scopes: ['all'] }), { getScopes: ({ scopes }) => scopes });
  const document = describe((server) => {
    server.registerEndpoints({
      '/pet': defineEndpoint({ id: stringId, context, list: { scopes: ['own'], use: { around: use.around, scopes: ['own', 'inner'] }, run }, delete: run }),
      '/settings': defineEndpoint({ context, get: run }),
    }, { use });
  });
  for (const [operationId, scopes] of [['petList', ['own', 'all', 'inner']], ['petDelete', ['all']], ['settingsGet', ['all']]] as const) {
    const { parameters = [], responses, security } = operationOf(document, operationId);
    assert.equal(parameters.filter((each) => each.in !== 'path').map((each) => `${each.in} ${each.name}`), ['query limit', 'header x-key']);
    assert.ok('429' in responses && '403' in responses);
    assert.equal(security, [{ bearer: scopes }]);
  }
});
headers.run();
