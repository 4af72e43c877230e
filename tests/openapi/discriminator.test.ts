/** The discriminators of unions: of declared errors, and of any schema of a document. */
import { type Interceptor, stringId, type ApiServer } from '../../src/index.ts';
import { listTools } from '../../src/mcp/tools.ts';
import { findOperation, makeDocument, makeJsonSchema, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const text = { type: 'string' };
const refer = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: Record<string, object>, required = Object.keys(properties)): object => ({ type: 'object', properties, required });
const cat = object({ kind: { const: 'cat' }, lives: text });
const dog = object({ kind: { enum: ['dog', 'wolf'] }, name: text });

/** The schema of a result, and the components. */
function describeResult(schema: object): { readonly shown: any; readonly schemas: object | undefined } {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list: { output: makeJsonSchema(schema), run } }));
  const { 200: response } = findOperation(document, 'petList').responses as Record<string, any>;
  return { shown: response.content['application/json'].schema, schemas: document.components?.schemas };
}

const unions = suite('a union of a document');
for (const keyword of ['oneOf', 'anyOf'] as const) {
  unions(`${keyword} of objects with strings of their own has the name of the property`, () => {
    assert.equal(describeResult({ [keyword]: [cat, dog] }).shown, { [keyword]: [cat, dog], discriminator: { propertyName: 'kind' } });
  });
  unions(`${keyword} of named schemas has the components too`, () => {
    const { shown, schemas } = describeResult({
      type: 'array', items: { [keyword]: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }] }, $defs: { Cat: cat, Dog: dog },
    });
    const mapping = { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog', wolf: '#/components/schemas/Dog' };
    assert.equal(shown.items, { [keyword]: [refer('Cat'), refer('Dog')], discriminator: { propertyName: 'kind', mapping } });
    assert.equal(schemas, { Cat: cat, Dog: dog, Problem: (schemas as any).Problem });
  });
}
unions('of which one is a component has its mapping', () => {
  const { shown } = describeResult({ anyOf: [{ $ref: '#/$defs/Cat' }, dog], $defs: { Cat: cat } });
  assert.equal(shown.discriminator, { propertyName: 'kind', mapping: { cat: '#/components/schemas/Cat' } });
});
unions('whose property has a schema elsewhere', () => {
  const { shown } = describeResult({
    anyOf: [object({ kind: { $ref: '#/$defs/__schema0' } }), dog], $defs: { __schema0: { const: 'cat' } },
  });
  assert.equal(shown.discriminator, { propertyName: 'kind' });
});
unions('with several such properties has the first', () => {
  assert.equal(describeResult({ anyOf: [object({ a: { const: 'x' }, b: { const: '1' }, c: { const: '1' } }), object({ a: { const: 'x' }, b: { const: '2' }, c: { const: '2' } })] })
    .shown.discriminator, { propertyName: 'b' });
});
for (const [why, schema] of [
  ['of one schema', { anyOf: [cat] }],
  ['with the same string twice', { anyOf: [cat, object({ kind: { enum: ['dog', 'cat'] } })] }],
  ['with a property that is optional', { anyOf: [cat, object({ kind: { const: 'dog' } }, [])] }],
  ['with a property that is any string', { anyOf: [cat, object({ kind: text })] }],
  ['with numbers', { anyOf: [object({ kind: { const: 1 } }), object({ kind: { const: 2 } })] }],
  ['with a null', { anyOf: [cat, { type: 'null' }] }],
  ['with a required name that has no schema', { anyOf: [{ type: 'object', required: ['kind'] }, dog] }],
  ['with a property that anything may be', { anyOf: [object({ kind: true as never }), dog] }],
  ['with a schema that is true', { anyOf: [cat, true] }],
  ['of strings', { oneOf: [{ const: 'a' }, { const: 'b' }] }],
  ['with the name of a property that every object has', { anyOf: [{ ...object({ a: text }), required: ['constructor'] }, cat] }],
] as const) {
  unions(`${why} has no discriminator`, () => assert.equal(describeResult(schema).shown, schema));
}
unions('keeps the discriminator of the user', () => {
  const schema = { anyOf: [cat, dog], discriminator: { propertyName: 'name' } };
  assert.equal(describeResult(schema).shown, schema);
});
unions('of a body, of an input that differs: the components are those of the input', () => {
  const input = { oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }], $defs: { Cat: cat, Dog: { ...dog, required: ['kind'] } } };
  const output = { ...input, $defs: { Cat: cat, Dog: dog } };
  const schema = makeJsonSchema(input, output);
  const document = makeDocument((server) => server.registerEndpoint('/pet', { custom: { feed: { input: schema, output: schema, run } } }));
  const { requestBody, responses } = findOperation(document, 'petFeed') as any;
  assert.is(requestBody.content['application/json'].schema.discriminator.mapping.dog, '#/components/schemas/DogInput');
  assert.is(responses[200].content['application/json'].schema.discriminator.mapping.dog, '#/components/schemas/Dog');
});
unions('of a tool has none: it is a keyword of OpenAPI, and its references lead into the document', () => {
  let listed: unknown;
  makeDocument((server) => {
    const input = makeJsonSchema({ oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }], $defs: { Cat: cat, Dog: dog } });
    server.registerEndpoint('/pet', { custom: { feed: { tool: true, input, run } } });
    listed = listTools(server, {}).map((tool) => (tool.listed as any).inputSchema.properties.body);
  });
  assert.equal(listed, [{ oneOf: [cat, dog] }]);
});

const errors = suite('several errors of a status');
const taken = object({ code: { const: 'taken' }, seat: text });
const closed = object({ code: { const: 'closed' } });
const named = (id: string, schema: object): ReturnType<typeof makeJsonSchema> => makeJsonSchema({ $id: id, ...schema });
const declare = (declared: unknown, use: readonly Interceptor[] = []) => (server: ApiServer): void => {
  server.registerEndpoint('/pet', { id: stringId, list: { use, errors: { 409: declared as never }, run } });
};
const contentOf = (document: ReturnType<typeof makeDocument>, status: string): any => (findOperation(document, 'petList').responses[status] as any).content;
const problems = (schema: object): object => ({ 'application/problem+json': { schema } });
const PROBLEM = refer('Problem');
const discriminator = { propertyName: 'code' };
const mapping = { taken: '#/components/schemas/Taken', closed: '#/components/schemas/Closed' };
for (const [why, declared, part] of [
  ['a list', [makeJsonSchema(taken), makeJsonSchema(closed)], { oneOf: [taken, closed], discriminator }],
  ['a list of named schemas', [named('Taken', taken), named('Closed', closed)], {
    oneOf: [refer('Taken'), refer('Closed')], discriminator: { ...discriminator, mapping },
  }],
  ['a list of one', [makeJsonSchema(taken)], taken],
  ['a union', makeJsonSchema({ oneOf: [taken, closed] }), { oneOf: [taken, closed], discriminator }],
] as const) {
  errors(`${why} -> the properties of a problem, and of one of them`, () => {
    assert.equal(contentOf(makeDocument(declare(declared)), '409'), problems({ allOf: [PROBLEM, part] }));
  });
}
errors('a list without a string that tells them apart -> any of them', () => {
  const [one, other] = [object({ seat: text }), object({ row: text })];
  const document = makeDocument(declare([makeJsonSchema(one), makeJsonSchema(other)]));
  assert.equal(contentOf(document, '409'), problems({ anyOf: [{ allOf: [PROBLEM, one] }, { allOf: [PROBLEM, other] }] }));
});
errors('of an operation and of its interceptors are one union', () => {
  const use = [{ errors: { 409: [makeJsonSchema(closed)] }, around: run }, { errors: { 409: null }, around: run }];
  const document = makeDocument(declare([makeJsonSchema(taken)], use));
  assert.equal(contentOf(document, '409'), problems({ anyOf: [{ allOf: [PROBLEM, { oneOf: [closed, taken], discriminator }] }, PROBLEM] }));
});
errors('of a server whose formatProblem has them elsewhere', () => {
  const failure = object({ error: text });
  const formatProblem = { schema: failure, extensionsAt: '/error', format: () => ({ body: {} }) } as const;
  const document = makeDocument(declare([makeJsonSchema(taken), makeJsonSchema(closed)]), { server: { formatProblem } });
  const nested = { type: 'object', required: ['error'], properties: { error: { oneOf: [taken, closed], discriminator } } };
  assert.equal(contentOf(document, '409'), { 'application/json': { schema: { allOf: [PROBLEM, nested] } } });
});
