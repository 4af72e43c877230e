/** The parameters of an operation: those of its path by their codecs, those of its query by their schema. */
import { integerId, stringId, uint64Id, uuidId, type IdCodec } from '../../src/index.ts';
import { makeDocument, makeJsonSchema, findOperation, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const inPath = suite('a parameter of a path');
const segment = { type: 'string', minLength: 1, pattern: '^[^\\x00\\r\\n]+$' };
const own: IdCodec<string> = { parse: (text) => text, format: (id) => id };
for (const [name, codec, schema] of [
  ['stringId', stringId, segment],
  ['integerId', integerId, { type: 'integer', format: 'int64', minimum: -9007199254740991, maximum: 9007199254740991 }],
  ['uint64Id', uint64Id, { type: 'string', pattern: '^(?:0|[1-9]\\d{0,19})$' }],
  ['uuidId', uuidId, { type: 'string', format: 'uuid' }],
  ['a codec of the user', own, segment],
  ['one with a JSON Schema', { ...own, schema: { enum: ['a', 'b'] } }, { enum: ['a', 'b'] }],
  ['one with a Standard JSON Schema', { ...own, schema: makeJsonSchema({ type: 'string', maxLength: 3 }) }, { type: 'string', maxLength: 3 }],
  ['a copy of integerId', { ...integerId, format: String }, { type: 'integer', format: 'int64', minimum: -9007199254740991, maximum: 9007199254740991 }],
] as const) {
  inPath(`${name} -> ${JSON.stringify(schema)}`, () => {
    const document = makeDocument((server) => server.registerEndpoint('/zoo/:zoo/pet', { id: codec as IdCodec<any>, params: { zoo: codec as IdCodec<any> }, get: run }));
    assert.equal(findOperation(document, 'zooPetGet').parameters, [
      { name: 'zoo', in: 'path', required: true, schema },
      { name: 'id', in: 'path', required: true, schema },
    ]);
  });
}
inPath('stands with each operation whose path has it, and with no other', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list: run, get: run, custom: { count: { run } }, itemCustom: { feed: { run } } }));
  const names = (operationId: string): unknown => findOperation(document, operationId).parameters?.map(({ name }) => name);
  assert.equal(['petList', 'petGet', 'petCount', 'petItemFeed'].map(names), [undefined, ['id'], undefined, ['id']]);
});

for (const [what, says] of [
  ['a description', { description: 'Its number.' }], ['that it is deprecated', { deprecated: true }],
  ['nothing of that kind', { description: 7, deprecated: false }],
] as const) {
  const isText = typeof says.description === 'string' || says.deprecated === true;
  inPath(`has ${what}, of its codec`, () => {
    for (const schema of [{ type: 'string', ...says }, makeJsonSchema({ $ref: '#/$defs/Id', $defs: { Id: { type: 'string', ...says } } })]) {
      const codec = { ...stringId, schema };
      const document = makeDocument((server) => server.registerEndpoint('/zoo/:zoo/pet', { params: { zoo: codec }, id: codec, get: run }));
      const { parameters = [] } = findOperation(document, 'zooPetGet');
      assert.equal(parameters.map(({ schema: _, ...others }) => others),
        ['zoo', 'id'].map((name) => ({ name, in: 'path', ...(isText && says), required: true })));
    }
  });
}

function queryOf(schema: unknown): unknown {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list: { query: makeJsonSchema(schema, {}), run } }));
  return findOperation(document, 'petList').parameters;
}

const text = { type: 'string' };
const inQuery = suite('a query');
inQuery('has a parameter for each property of its input, required as there', () => {
  const limit = { type: 'string', pattern: '^\\d+$', description: 'How many.' };
  const tags = { type: 'array', items: text, deprecated: true };
  assert.equal(queryOf({ type: 'object', properties: { limit, tags }, required: ['tags'] }), [
    { name: 'limit', in: 'query', description: 'How many.', schema: limit },
    { name: 'tags', in: 'query', deprecated: true, required: true, schema: tags },
  ]);
});
inQuery('stands behind the parameters of the path', () => {
  const query = makeJsonSchema({ type: 'object', properties: { full: {} } });
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, get: { query, run } }));
  assert.equal(findOperation(document, 'petGet').parameters?.map(({ name, in: place }) => [name, place]), [['id', 'path'], ['full', 'query']]);
});
for (const [why, schema, names] of [
  ['no property', { type: 'object', properties: {} }, undefined],
  ['a property whose schema is a boolean', { properties: { a: true, b: false } }, [['a', {}], ['b', { not: {} }]]],
  ['others of any type', { type: 'object', properties: { a: text }, additionalProperties: {} }, [['a', text]]],
  ['no others', { type: 'object', properties: { a: text }, additionalProperties: false }, [['a', text]]],
  ['a reference to its definitions', { $ref: '#/$defs/Page', $defs: { Page: { type: 'object', properties: { a: text } } } }, [['a', text]]],
  ['a property that refers to a definition', { properties: { a: { $ref: '#/$defs/Tag' } }, $defs: { Tag: text } }, [['a', { $ref: '#/components/schemas/Tag' }]]],
] as const) {
  inQuery(`of an object with ${why} -> ${JSON.stringify(names)}`, () => {
    const parameters = queryOf(schema) as { name: string; schema: unknown }[] | undefined;
    assert.equal(parameters?.map((parameter) => [parameter.name, parameter.schema]), names);
  });
}
inQuery('has a parameter for a name that is required and has no schema', () => {
  const schema = { properties: { a: text }, required: ['toString', 'a'] };
  assert.equal(queryOf(schema), [
    { name: 'a', in: 'query', required: true, schema: text },
    { name: 'toString', in: 'query', required: true, schema: {} },
  ]);
});
inQuery('whose `required` is not a list has no required parameter', () => {
  assert.equal(queryOf({ properties: { a: text }, required: true }), [{ name: 'a', in: 'query', schema: text }]);
});
for (const [why, schema, shown] of [
  ['nothing is known of', {}, {}],
  ['is a choice', { anyOf: [{ properties: { a: text } }, { properties: { b: text } }] }],
  ['is a choice beside properties', { properties: { a: text }, oneOf: [{ required: ['a'] }] }],
  ['has properties on a condition', { properties: { a: text }, if: { required: ['a'] }, then: { properties: { b: text } } }],
  ['has properties that depend on others', { properties: { a: text }, dependentSchemas: { a: { properties: { b: text } } } }],
  ['is a record', { type: 'object', additionalProperties: text }],
  ['has typed others', { type: 'object', properties: { a: text }, additionalProperties: text }],
  ['has properties by a pattern', { type: 'object', properties: {}, patternProperties: { '^x': text } }],
  ['is not an object', { type: ['object', 'null'], properties: { a: text } }],
] as const) {
  inQuery(`that ${why} is one parameter of style form`, () => {
    assert.equal(queryOf(schema), [{ name: 'query', in: 'query', style: 'form', explode: true, schema: shown ?? schema }]);
  });
}
inQuery('of a function is one parameter too; an operation without query has no parameter', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', {
    id: stringId, list: { query: (query: unknown) => query, run }, custom: { count: { run } },
  }));
  assert.equal(findOperation(document, 'petList').parameters, [{ name: 'query', in: 'query', style: 'form', explode: true, schema: {} }]);
  assert.is(findOperation(document, 'petCount').parameters, undefined);
});
