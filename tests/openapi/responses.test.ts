/** The responses of an operation: of a plain result, of its `output`, and its errors. */
import { type ApiServer, bytes, integerId, stringId, uuidId, type IdCodec } from '../../src/index.ts';
import { bearer } from '../../src/auth/index.ts';
import { idempotent, memoryIdempotencyStore, pages } from '../../src/interceptors/index.ts';
import { makeDocument, makeJsonSchema, findOperation, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const text = { type: 'string' };
const legs = { type: 'integer' };
const json = (schema: object): unknown => ({ 'application/json': { schema } });
const problem = (name: string): unknown => ({ $ref: `#/components/responses/${name}` });

/** The responses other than errors. */
function getResponses(document: ReturnType<typeof makeDocument>, operationId: string): unknown {
  return Object.fromEntries(Object.entries(findOperation(document, operationId).responses).filter(([status]) => status < '4'));
}

const LOCATION = { description: 'The path of the item.', schema: { type: 'string', format: 'uri-reference' } };

const plain = suite('the response of a plain result');
const schema = makeJsonSchema(text, legs);
const every = makeDocument((server) => {
  server.registerEndpoint('/pet', {
    id: stringId, schema, create: () => '1', list: run, get: run, update: run, patch: { input: schema, run }, delete: run,
    custom: { count: { run } }, itemCustom: { feed: { run } },
  });
  server.registerEndpoint('/me', { schema, create: run, get: run, update: run, delete: run });
  server.registerEndpoint('/free', { id: stringId, get: run });
});
for (const [operationId, responses] of [
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
  plain(`of ${operationId} -> ${JSON.stringify(responses)}`, () => assert.equal(getResponses(every, operationId), responses));
}
for (const [name, id, idText] of [
  ['stringId', stringId, text],
  ['integerId', integerId, text],
  ['uuidId', uuidId, { type: 'string', format: 'uuid' }],
] as const) {
  plain(`of a Create with ${name} -> the id as text, and Location`, () => {
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: id as IdCodec<any>, schema, create: run }));
    const { 201: created } = findOperation(document, 'petCreate').responses as Record<string, any>;
    assert.equal(created.content, { 'text/plain': { schema: idText } });
    assert.is(created.headers.Location.required, true);
    assert.equal(created.headers.Location.schema, { type: 'string', format: 'uri-reference' });
  });
}

const outputs = suite('the responses that output declares');
const output = makeJsonSchema(text, legs);
for (const [why, declared, responses] of [
  ['a decoder -> the 200', output, { 200: { description: 'OK', content: json(legs) } }],
  ['a function -> a 200 of anything', (value: unknown) => value, { 200: { description: 'OK', content: json({}) } }],
  ['a map -> its statuses, and no others', { 202: output, 204: null, 303: null }, {
    202: { description: 'Accepted', content: json(legs) }, 204: { description: 'No Content' }, 303: { description: 'See Other', headers: { Location: LOCATION } },
  }],
  ['statuses without a phrase', { 299: null, 399: null }, { 299: { description: 'Success' }, 399: { description: 'Redirection' } }],
  ['bytes -> their media types', { 200: bytes({ types: ['image/png'] }) }, { 200: { description: 'OK', content: { 'image/png': {} } } }],
] as const) {
  outputs(why, () => {
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list: { output: declared as typeof output, run } }));
    assert.equal(getResponses(document, 'petList'), responses);
  });
}
for (const [what, properties, responses] of [
  ['a decoder', { output }, { 201: { description: 'Created', content: json(legs) } }],
  ['a decoder of the 201', { output: { 201: output } }, { 201: { description: 'Created', content: json(legs) } }],
  ['a 201 without a body', { output: { 201: null } }, { 201: { description: 'Created', headers: { Location: LOCATION } } }],
] as const) {
  outputs(`of a Create with ${what} -> ${'headers' in responses[201] ? 'Location' : 'no Location, since a plain result has none'}`, () => {
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, create: { ...properties, input: output, run } } as never));
    assert.equal(getResponses(document, 'petCreate'), responses);
  });
}
outputs('204 without a body, of a create and an update', () => {
  const declared = { output: { 204: null }, run };
  const document = makeDocument((server) => server.registerEndpoint('/me', { update: declared, create: declared } as never));
  for (const id of ['meUpdate', 'meCreate']) assert.equal(getResponses(document, id), { 204: { description: 'No Content' } });
});
for (const [why, properties, created, other] of [
  ['as a map', { output: { 200: output } }, 200, 200],
  ['as a decoder', { output }, 201, 200],
  ['of one other status', { output: { 202: output } }, 202, 202],
] as const) {
  outputs(`of a Create, an Update, a Patch and a Delete, ${why} -> ${created} and ${other}`, () => {
    const long = { ...properties, run: (): any => 1 };
    const document = makeDocument((server) => server.registerEndpoint('/me', { create: long, update: long, patch: long, delete: long }));
    for (const operationId of ['meCreate', 'meUpdate', 'mePatch', 'meDelete']) {
      const status = operationId === 'meCreate' ? created : other;
      const description = { 200: 'OK', 201: 'Created', 202: 'Accepted' }[status];
      assert.equal(getResponses(document, operationId), { [status]: { description, content: json(legs) } });
    }
  });
}
outputs('of a Get take the place of the schema', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, schema: makeJsonSchema(text), get: { output, run } }));
  assert.equal(getResponses(document, 'petGet'), { 200: { description: 'OK', content: json(legs) } });
});

const added = suite('G1: the headers that interceptors add to successes');
const REFERENCE = { $ref: '#/components/headers/Link' };
for (const [why, options, description] of [
  ['pages', {}, 'The URL of the next page with `rel="next"`, if there is one (RFC 8288).'],
  ['pages with prev', { prev: true },
    'The URL of the next page with `rel="next"`, if there is one (RFC 8288). The URL of the previous page with `rel="prev"`, if there is one.'],
] as const) {
  added(`Link of ${why}, and no error has it`, () => {
    const use = pages({ cursor: () => 1, ...options });
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list: { use, output: { 200: output, 303: null }, run } } as never));
    const { 200: found, 303: elsewhere, 400: wrong } = findOperation(document, 'petList').responses as Record<string, any>;
    assert.equal([found.headers, elsewhere.headers, wrong], [{ Link: REFERENCE }, { Location: LOCATION }, problem('BadRequest')]);
    assert.equal(document.components?.headers, { Link: { description, schema: text } });
  });
}
added('beside the headers that the operation declares, which take their place', () => {
  const describeLink = (responseHeaders: object): unknown => {
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, list: { use: pages({ cursor: () => 1 }), responseHeaders, output, run } } as never));
    return (findOperation(document, 'petList').responses as Record<string, any>)[200].headers;
  };
  const total = makeJsonSchema(legs);
  assert.equal(describeLink({ 'X-Total': total }), { Link: REFERENCE, 'X-Total': { schema: legs } });
  assert.equal(describeLink({ Link: total }), { Link: { schema: legs } });
  const old = { type: 'string', description: 'Its line.', deprecated: true };
  assert.equal(describeLink({ Link: makeJsonSchema(old) }), { Link: { description: 'Its line.', deprecated: true, schema: old } });
});
added('Idempotent-Replayed of idempotent', () => {
  const use = idempotent(memoryIdempotencyStore());
  const document = makeDocument((server) => server.registerEndpoint('/pet', { custom: { pay: { use, run } } }));
  const { 200: paid } = findOperation(document, 'petPay').responses as Record<string, any>;
  assert.equal(paid.headers, { 'Idempotent-Replayed': { $ref: '#/components/headers/Idempotent-Replayed' } });
});

const errors = suite('E8: the errors of an operation');
const context = bearer(() => 1);
const input = makeJsonSchema(text);
for (const [why, declare, operationId, statuses] of [
  ['without anything', { get: undefined, list: { run } }, 'petList', []],
  ['with an id', { delete: run }, 'petDelete', [400, 404]],
  ['with a query', { list: { query: makeJsonSchema({}), run } }, 'petList', [400]],
  ['with a body', { custom: { feed: { input, run } } }, 'petFeed', [400, 413, 415]],
  ['with a body of bytes', { custom: { feed: { input: bytes(), run } } }, 'petFeed', [413, 415]],
  ['with an id and a body', { itemCustom: { feed: { input, run } } }, 'petItemFeed', [400, 404, 413, 415]],
  ['with a context that has security', { context, list: run }, 'petList', [401, 403]],
  ['with a context without security', { context: () => 1, list: run }, 'petList', []],
  ['with declared errors', { list: { errors: { 409: null, 503: null }, run } }, 'petList', [409, 503]],
] as const) {
  errors(`${why} -> ${[...statuses, 'default'].join(', ')}`, () => {
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, ...declare } as { id: typeof stringId; delete: typeof run }));
    const statusesOf = Object.keys(findOperation(document, operationId).responses).filter((status) => status >= '4');
    assert.equal(statusesOf, [...statuses.map(String), 'default']);
  });
}
errors('422 where the server returns it for rejected values', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, get: run, custom: { feed: { input, run } } }), { server: { validationStatus: 422 } });
  assert.equal(Object.keys(findOperation(document, 'petFeed').responses), ['200', '400', '413', '415', '422', 'default']);
  assert.equal(Object.keys(findOperation(document, 'petGet').responses), ['200', '400', '404', 'default']);
  assert.match(document.components?.responses?.['UnprocessableContent']?.description ?? '', /^A value of the body/);
});
errors('a parameter in the sub-path -> 400 and 404; operations of a singleton may find nothing', () => {
  const document = makeDocument((server) => {
    server.registerEndpoint('/zoo/:zoo', { params: { zoo: stringId }, update: { run } });
    server.registerEndpoint('/me', { get: run, delete: run });
  });
  assert.equal(Object.keys(findOperation(document, 'zooUpdate').responses), ['204', '400', '404', 'default']);
  assert.equal(Object.keys(findOperation(document, 'meGet').responses), ['200', '404', 'default']);
  assert.equal(Object.keys(findOperation(document, 'meDelete').responses), ['204', '404', 'default']);
});
errors('are components over one Problem schema, sorted, and only those that are used', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', {
    id: stringId, context, list: { errors: { 409: null, 480: null, 481: null, 599: null }, query: makeJsonSchema({}), run }, delete: run,
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
  assert.equal(Object.keys((schemas['Problem'] as any).properties.errors.items.properties), ['detail', 'pointer', 'parameter', 'header']);
  assert.equal(findOperation(document, 'petList').responses['409'], problem('Conflict'));
  assert.equal(findOperation(document, 'petList').responses['default'], problem('Problem'));
  assert.equal((responses['Unauthorized'] as any).headers['WWW-Authenticate'].required, true);
});
errors('with a decoder have its properties beside those of a problem, also instead of one of the server', () => {
  const report = makeJsonSchema({ type: 'object', properties: { balance: text } });
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, delete: { errors: { 402: report, 404: report }, run } }));
  const { 402: paid, 404: missing } = findOperation(document, 'petDelete').responses as Record<string, any>;
  const properties = { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties: { balance: text } }] };
  assert.equal(paid, { description: 'Payment Required.', content: { 'application/problem+json': { schema: properties } } });
  assert.equal(missing, { description: 'There is no such item.', content: { 'application/problem+json': { schema: properties } } });
});
const ANY_PROBLEM = '#/components/schemas/Problem';
const declareReport = (report: object, use: readonly object[] = []) => (server: ApiServer): void => {
  server.registerEndpoint('/pet', { id: stringId, delete: { use: use as never, errors: { 402: report, 404: report, 409: null }, run } } as never);
};
const contentOf = (document: ReturnType<typeof makeDocument>, status: string): any => (findOperation(document, 'petDelete').responses[status] as any).content;
errors('of a server whose formatProblem is a function are unknown as JSON, and problems as application/problem+json', () => {
  const report = makeJsonSchema({ type: 'object', required: ['balance'] });
  const document = makeDocument(declareReport(report), { server: { formatProblem: () => ({ body: {} }) } });
  const { schemas = {}, responses = {} } = document.components ?? {};
  assert.equal(responses['Conflict']?.content, { ...json({}) as object, 'application/problem+json': { schema: { $ref: ANY_PROBLEM } } });
  assert.equal(contentOf(document, '402'), {
    ...json({}) as object, 'application/problem+json': { schema: { allOf: [{ $ref: ANY_PROBLEM }, { type: 'object', required: ['balance'] }] } },
  });
  // RFC 9457 requires no property.
  assert.equal([Object.keys(schemas), schemas['Problem']?.['required']], [['Problem'], undefined]);
});
const failure = { type: 'object', required: ['error'], properties: { error: text } };
const properties = { type: 'object', required: ['report'] };
for (const [why, { name, type, whole }, form] of [
  ['a JSON Schema', { name: 'Problem', type: 'application/problem+json', whole: properties }, { schema: failure, type: 'application/problem+json' }],
  ['a JSON Schema with a name', { name: 'Failure', type: 'application/problem+json', whole: properties },
    { schema: { ...failure, $id: 'Failure' }, type: 'application/problem+json' }],
  ['a decoder', { name: 'Problem', type: 'application/json', whole: undefined }, { schema: makeJsonSchema({}, failure) }],
  ['of a media type', { name: 'Problem', type: 'application/vnd.zoo+json', whole: undefined }, { schema: failure, type: 'application/vnd.zoo+json' }],
] as const) {
  errors(`of a server whose formatProblem says: ${why} -> one component, and declared errors are the whole body, of problems with properties`, () => {
    const use = [{ errors: { 404: null }, around: run }];
    const document = makeDocument(declareReport(makeJsonSchema(properties), use), { server: { formatProblem: { ...form, format: () => ({ body: {} }) } } });
    const reference = { $ref: `#/components/schemas/${name}` };
    const body = whole === undefined ? reference : { allOf: [reference, whole] };
    assert.equal(document.components?.schemas, { [name]: failure });
    assert.equal(document.components?.responses?.['Conflict']?.content, { [type]: { schema: reference } });
    assert.equal(contentOf(document, '402'), { [type]: { schema: body } });
    assert.equal(contentOf(document, '404'), { [type]: { schema: whole === undefined ? body : { anyOf: [body, reference] } } });
  });
}
for (const [type, schema] of [['application/json', {}], ['application/problem+json', { $ref: ANY_PROBLEM }]] as const) {
  errors(`of a server whose formatProblem says ${type} and no schema -> ${JSON.stringify(schema)}`, () => {
    const document = makeDocument(declareReport(makeJsonSchema(properties)), { server: { formatProblem: { type, format: () => ({ body: {} }) } } });
    assert.equal(document.components?.responses?.['Conflict']?.content, { [type]: { schema } });
  });
}
