/** The responses of an operation: of a plain result, of its `output`, and its errors. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, integerId, stringId, uuidId, type IdCodec } from '../../src/index.ts';
import { bearer } from '../../src/auth/index.ts';
import { describe, jsonSchemaOf, operationOf } from '../support/describing.ts';

const run = (): undefined => undefined;
const text = { type: 'string' };
const legs = { type: 'integer' };
const json = (schema: object): unknown => ({ 'application/json': { schema } });
const problem = (name: string): unknown => ({ $ref: `#/components/responses/${name}` });

/** The answers other than errors. */
function answersOf(document: ReturnType<typeof describe>, operationId: string): unknown {
  return Object.fromEntries(Object.entries(operationOf(document, operationId).responses).filter(([status]) => status < '4'));
}

const plain = suite('the answer of a plain result');
const schema = jsonSchemaOf(text, legs);
const every = describe((server) => {
  server.registerEndpoint('/pet', {
    id: stringId, schema, create: () => '1', list: run, get: run, update: run, patch: { input: schema, run }, delete: run,
    custom: { count: { run } }, itemCustom: { feed: { run } },
  });
  server.registerEndpoint('/me', { schema, create: run, get: run, update: run, delete: run });
  server.registerEndpoint('/free', { id: stringId, get: run });
});
for (const [operationId, answers] of [
  ['petList', { 200: { description: 'OK', content: json({}) } }],
  ['petGet', { 200: { description: 'OK', content: json(legs) } }],
  ['petUpdate', { 204: { description: 'No Content' } }],
  ['petPatch', { 204: { description: 'No Content' } }],
  ['petDelete', { 204: { description: 'No Content' } }],
  ['petCount', { 200: { description: 'OK', content: json({}) } }],
  ['petItemFeed', { 200: { description: 'OK', content: json({}) } }],
  ['meCreate', { 201: { description: 'Created' } }],
  ['meGet', { 200: { description: 'OK', content: json(legs) } }],
  ['freeGet', { 200: { description: 'OK', content: json({}) } }],
] as const) {
  plain(`of ${operationId} -> ${JSON.stringify(answers)}`, () => assert.equal(answersOf(every, operationId), answers));
}
for (const [name, id, idText] of [
  ['stringId', stringId, text],
  ['integerId', integerId, text],
  ['uuidId', uuidId, { type: 'string', format: 'uuid' }],
] as const) {
  plain(`of a Create with ${name} -> the id as text, and Location`, () => {
    const document = describe((server) => server.registerEndpoint('/pet', { id: id as IdCodec<any>, schema, create: run }));
    const { 201: created } = operationOf(document, 'petCreate').responses as Record<string, any>;
    assert.equal(created.content, { 'text/plain': { schema: idText } });
    assert.is(created.headers.Location.required, true);
    assert.equal(created.headers.Location.schema, { type: 'string', format: 'uri-reference' });
  });
}
plain.run();

const outputs = suite('the answers that output declares');
const output = jsonSchemaOf(text, legs);
for (const [why, declared, answers] of [
  ['a decoder -> the 200', output, { 200: { description: 'OK', content: json(legs) } }],
  ['a function -> a 200 of anything', (value: unknown) => value, { 200: { description: 'OK', content: json({}) } }],
  ['a map -> its statuses, and no others', { 202: output, 204: null, 303: null }, {
    202: { description: 'Accepted', content: json(legs) }, 204: { description: 'No Content' }, 303: { description: 'See Other' },
  }],
  ['statuses without a phrase', { 299: null, 399: null }, { 299: { description: 'Success' }, 399: { description: 'Redirection' } }],
  ['bytes -> their media types', { 200: bytes({ types: ['image/png'] }) }, { 200: { description: 'OK', content: { 'image/png': {} } } }],
] as const) {
  outputs(why, () => {
    const document = describe((server) => server.registerEndpoint('/pet', { id: stringId, list: { output: declared as typeof output, run } }));
    assert.equal(answersOf(document, 'petList'), answers);
  });
}
outputs('of a Create, an Update, a Patch and a Delete take the place of 201 and 204', () => {
  const long = { output: { 200: output }, run };
  const document = describe((server) => server.registerEndpoint('/me', { create: long, update: long, patch: long, delete: long }));
  for (const operationId of ['meCreate', 'meUpdate', 'mePatch', 'meDelete']) {
    assert.equal(answersOf(document, operationId), { 200: { description: 'OK', content: json(legs) } });
  }
});
outputs('of a Get take the place of the schema', () => {
  const document = describe((server) => server.registerEndpoint('/pet', { id: stringId, schema: jsonSchemaOf(text), get: { output, run } }));
  assert.equal(answersOf(document, 'petGet'), { 200: { description: 'OK', content: json(legs) } });
});
outputs.run();

const errors = suite('the errors of an operation');
const context = bearer(() => 1);
const input = jsonSchemaOf(text);
for (const [why, declare, operationId, statuses] of [
  ['without anything', { get: undefined, list: { run } }, 'petList', []],
  ['with an id', { delete: run }, 'petDelete', [400, 404]],
  ['with a query', { list: { query: jsonSchemaOf({}), run } }, 'petList', [400]],
  ['with a body', { custom: { feed: { input, run } } }, 'petFeed', [400, 413, 415]],
  ['with a body of bytes', { custom: { feed: { input: bytes(), run } } }, 'petFeed', [413, 415]],
  ['with an id and a body', { itemCustom: { feed: { input, run } } }, 'petItemFeed', [400, 404, 413, 415]],
  ['with a context that has security', { context, list: run }, 'petList', [401, 403]],
  ['with a context without security', { context: () => 1, list: run }, 'petList', []],
  ['with declared errors', { list: { errors: { 409: null, 503: null }, run } }, 'petList', [409, 503]],
] as const) {
  errors(`${why} -> ${[...statuses, 'default'].join(', ')}`, () => {
    const document = describe((server) => server.registerEndpoint('/pet', { id: stringId, ...declare } as { id: typeof stringId; delete: () => undefined }));
    const statusesOf = Object.keys(operationOf(document, operationId).responses).filter((status) => status >= '4');
    assert.equal(statusesOf, [...statuses.map(String), 'default']);
  });
}
errors('a parameter in the sub-path -> 400 and 404; a Get of a singleton may find nothing', () => {
  const document = describe((server) => {
    server.registerEndpoint('/zoo/:zoo', { params: { zoo: stringId }, update: { run } });
    server.registerEndpoint('/me', { get: run, delete: run });
  });
  assert.equal(Object.keys(operationOf(document, 'zooUpdate').responses), ['204', '400', '404', 'default']);
  assert.equal(Object.keys(operationOf(document, 'meGet').responses), ['200', '404', 'default']);
  assert.equal(Object.keys(operationOf(document, 'meDelete').responses), ['204', 'default']);
});
errors('are components over one Problem schema, sorted, and only those that are used', () => {
  const document = describe((server) => server.registerEndpoint('/pet', {
    id: stringId, context, list: { errors: { 409: null, 480: null, 481: null, 599: null }, query: jsonSchemaOf({}), run }, delete: run,
    custom: { feed: { input, run } },
  }));
  const { responses = {}, schemas = {} } = document.components ?? {};
  assert.equal(Object.keys(responses), [
    'BadRequest', 'ClientError480', 'ClientError481', 'Conflict', 'ContentTooLarge', 'Forbidden', 'NotFound', 'Problem', 'ServerError599',
    'Unauthorized', 'UnsupportedMediaType',
  ]);
  for (const { description, content } of Object.values(responses)) {
    assert.ok(description.length > 5);
    assert.equal(content, { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } });
  }
  assert.equal(Object.keys(schemas), ['Problem']);
  assert.equal(operationOf(document, 'petList').responses['409'], problem('Conflict'));
  assert.equal(operationOf(document, 'petList').responses['default'], problem('Problem'));
  assert.equal((responses['Unauthorized'] as any).headers['WWW-Authenticate'].required, true);
});
errors('with a decoder have its members beside those of a problem, also in place of one of the server', () => {
  const report = jsonSchemaOf({ type: 'object', properties: { balance: text } });
  const document = describe((server) => server.registerEndpoint('/pet', { id: stringId, delete: { errors: { 402: report, 404: report }, run } }));
  const { 402: paid, 404: missing } = operationOf(document, 'petDelete').responses as Record<string, any>;
  const members = { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties: { balance: text } }] };
  assert.equal(paid, { description: 'Payment Required.', content: { 'application/problem+json': { schema: members } } });
  assert.equal(missing, { description: 'There is no such item.', content: { 'application/problem+json': { schema: members } } });
});
errors('of a server with formatProblem are JSON without a schema, but for those that errors declare', () => {
  const report = jsonSchemaOf({ type: 'object', required: ['error'] });
  const document = describe((server) => server.registerEndpoint('/pet', { id: stringId, delete: { errors: { 402: report }, run } }), {
    server: { formatProblem: () => ({ body: {} }) },
  });
  assert.equal(document.components?.schemas, undefined);
  assert.equal(document.components?.responses?.['NotFound']?.content, json({}));
  assert.equal((operationOf(document, 'petDelete').responses['402'] as any).content, json({ type: 'object', required: ['error'] }));
});
errors.run();
