/** The discriminators of unions: of declared errors, and of any schema of a document. */
import { type Interceptor, stringId, type ApiServer } from '../../src/index.ts';
import { listTools } from '../../src/mcp/tools.ts';
import { form } from '../../src/formats/index.ts';
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
    listed = listTools(server).map((tool) => (tool.listed as any).inputSchema.properties.body);
  });
  assert.equal(listed, [{ oneOf: [cat, dog] }]);
});

// Generators of types drop the property of a discriminator within `allOf`.
const room = object({ room: text });
const parts = suite('a union that is a part of a schema');
for (const [why, schema, expected] of [
  ['in place', { allOf: [room, { oneOf: [cat, dog] }] }, { allOf: [room, { oneOf: [cat, dog] }] }],
  ['with a name', { allOf: [room, { $ref: '#/$defs/Kind' }], $defs: { Kind: { anyOf: [cat, { $ref: '#/$defs/Dog' }] }, Dog: dog } },
    { allOf: [room, { anyOf: [cat, refer('Dog')] }] }],
  ['with a generated name', { allOf: [{ $ref: '#/$defs/__schema0' }], $defs: { __schema0: { oneOf: [cat, dog] } } }, { allOf: [{ oneOf: [cat, dog] }] }],
  ['with a name, beside others', { $ref: '#/$defs/__schema0', description: 'A', $defs: { __schema0: { oneOf: [cat, dog] } } },
    { description: 'A', allOf: [{ oneOf: [cat, dog] }] }],
  ['with a generated name, beside others and parts', { $ref: '#/$defs/__schema0', title: 'A', allOf: [room], $defs: { __schema0: { oneOf: [cat, dog] } } },
    { title: 'A', allOf: [{ oneOf: [cat, dog] }, room] }],
  ['in a part', { allOf: [{ allOf: [{ oneOf: [cat, dog] }] }] }, { allOf: [{ allOf: [{ oneOf: [cat, dog] }] }] }],
  ['that nothing tells apart stays a reference',
    { allOf: [room, { $ref: '#/$defs/Kind' }], $defs: { Kind: { anyOf: [cat, room] } } }, { allOf: [room, refer('Kind')] }],
  ['of a property of a part has it', { allOf: [object({ pet: { oneOf: [cat, dog] } })] },
    { allOf: [object({ pet: { oneOf: [cat, dog], discriminator: { propertyName: 'kind' } } })] }],
  ['that refers to itself', { allOf: [{ $ref: '#/$defs/Kind' }], $defs: { Kind: { oneOf: [cat, { ...dog, allOf: [{ $ref: '#/$defs/Kind' }] }] } } },
    { allOf: [{ oneOf: [cat, { ...dog, allOf: [refer('Kind')] }] }] }],
  ['keeps the discriminator of the user', { allOf: [{ oneOf: [cat, dog], discriminator: { propertyName: 'kind' } }] },
    { allOf: [{ oneOf: [cat, dog], discriminator: { propertyName: 'kind' } }] }],
] as const) {
  parts(why, () => assert.equal(describeResult(schema).shown, expected));
}
parts('is in the document with its discriminator where it is whole', () => {
  const { shown, schemas } = describeResult({ type: 'array', items: { allOf: [room, { $ref: '#/$defs/Kind' }] }, $defs: { Kind: { oneOf: [cat, dog] } } });
  assert.equal(shown.items, { allOf: [room, { oneOf: [cat, dog] }] });
  assert.equal((schemas as any).Kind, { oneOf: [cat, dog], discriminator: { propertyName: 'kind' } });
});
parts('of a form with a file', () => {
  const document = makeDocument((server) => {
    server.registerEndpoint('/pet', { custom: { feed: { input: form(makeJsonSchema({ oneOf: [cat, dog] }), { files: { photo: {} }, lists: [] }), run } } });
  });
  const { requestBody } = findOperation(document, 'petFeed') as any;
  const photo = { type: 'string', format: 'binary', contentMediaType: 'application/octet-stream' };
  assert.equal(requestBody.content['multipart/form-data'].schema, { allOf: [{ oneOf: [cat, dog] }], properties: { photo } });
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
const withProblem = (part: object): object => ({ allOf: [PROBLEM, part] });
const [seat, row] = [object({ seat: text }), object({ row: text })];
const one = (...list: object[]): object => ({ oneOf: list.map(withProblem) });
const any = (...list: object[]): object => ({ anyOf: list.map(withProblem) });
const union = { oneOf: [taken, closed] };
const interceptors = [{ errors: { 409: [makeJsonSchema(closed)] }, around: run }, { errors: { 409: null }, around: run }];
for (const [why, declared, schema, use] of [
  ['a list', [makeJsonSchema(taken), makeJsonSchema(closed)], one(taken, closed)],
  ['a list of named schemas', [named('Taken', taken), named('Closed', closed)], one(refer('Taken'), refer('Closed'))],
  ['a list of one', [makeJsonSchema(taken)], withProblem(taken)],
  ['a union', makeJsonSchema({ ...union, description: 'Why not.' }), one(taken, closed)],
  ['a named union', named('Reason', union), one(taken, closed)],
  ['a union of a union with itself', makeJsonSchema({ anyOf: [{ $ref: '#/$defs/Reason' }, { $ref: '#/$defs/Late' }], $defs: { Reason: { oneOf: [taken, { $ref: '#' }] }, Late: closed } }), one(refer('Late'), taken)],
  ['a list with a union', [makeJsonSchema(union), makeJsonSchema(object({ code: { const: 'late' } }))], one(taken, closed, object({ code: { const: 'late' } }))],
  ['a union of two kinds', makeJsonSchema({ ...union, anyOf: [seat, row] }), withProblem({ ...union, anyOf: [seat, row] })],
  ['a union with a property', makeJsonSchema({ ...union, ...seat }), withProblem({ ...union, ...seat })],
  ['a list without a string that tells them apart', [makeJsonSchema(seat), makeJsonSchema(row)], any(seat, row)],
  ['of an operation and of its interceptors', [makeJsonSchema(taken)], { anyOf: [withProblem(closed), withProblem(taken), PROBLEM] }, interceptors],
  // `additionalProperties` would hold for the properties of the problem, too.
  ['a strict schema', makeJsonSchema({ ...taken, additionalProperties: false }), withProblem(taken)],
  ['a strict schema with a name', named('Taken', { ...taken, additionalProperties: false }), withProblem(taken)],
  ['a schema of other properties', makeJsonSchema({ ...taken, additionalProperties: text }), withProblem(taken)],
  ['a union of strict schemas', makeJsonSchema({ oneOf: [{ ...taken, additionalProperties: false }, closed] }), one(taken, closed)],
  ['a schema of any other properties', named('Taken', { ...taken, additionalProperties: {} }), withProblem(refer('Taken'))],
] as const) {
  errors(why, () => assert.equal(contentOf(makeDocument(declare(declared, use)), '409'), problems(schema)));
}
