/** The webhooks of a document. */
import { stringId } from '../../src/index.ts';
import { type OpenApiDocument, type OpenApiOptions } from '../../src/openapi/index.ts';
import { type DocumentOptions, makeDocument, makeJsonSchema, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const PET = { type: 'object', properties: { name: { type: 'string' } } };
const pet = makeJsonSchema({ $id: 'Pet', ...PET });

/** The document of a server that stores pets. */
function documentWith(options: DocumentOptions): OpenApiDocument {
  return makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, schema: pet, get: run }), options);
}
/** The operation of a webhook. */
function webhookOf(webhooks: OpenApiOptions['webhooks'] = {}, options: DocumentOptions = {}): any {
  const [item] = Object.values(documentWith({ ...options, webhooks }).webhooks ?? {});
  return item?.['post'];
}

const webhooks = suite('webhooks in a document');
webhooks('a POST with the headers of Standard Webhooks, and the schema as its body', () => {
  const document = documentWith({ webhooks: { 'pet.created': { schema: pet } } });
  const { parameters, ...others } = document.webhooks?.['pet.created']?.['post'] as any;
  assert.equal(others, {
    summary: 'Pet created',
    operationId: 'petCreatedWebhook',
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } },
    responses: { '2XX': { description: 'The webhook is received.' }, default: { description: 'The webhook is sent again later.' } },
    security: [],
  });
  assert.equal(parameters.map(({ name, in: where, required, schema: { type } }: any) => [name, where, required, type]), [
    ['webhook-id', 'header', true, 'string'], ['webhook-timestamp', 'header', true, 'integer'], ['webhook-signature', 'header', true, 'string'],
  ]);
  assert.equal(document.components?.schemas?.['Pet'], PET);
  assert.equal(Object.keys(document), ['openapi', 'info', 'paths', 'webhooks', 'components']);
});
webhooks('have the texts, tags and id of the options', () => {
  const texts = { summary: 'A pet was born', description: 'Sent once.', tags: ['events'], operationId: 'born', deprecated: true } as const;
  const { parameters: _parameters, requestBody: _body, responses: _responses, security: _security, ...others } = webhookOf({ born: { schema: pet, ...texts } });
  assert.equal(others, texts);
});
webhooks('are in the order of the options, and none of them is in the paths', () => {
  const schema = pet;
  const { paths, webhooks: sent = {} } = documentWith({ webhooks: { 'pet.left': { schema }, 'pet.born': { schema }, __proto__: { schema } } });
  assert.equal([Object.keys(sent), Object.keys(paths)], [['pet.left', 'pet.born'], ['/v1/pet/{id}']]);
});
webhooks('are not there without any', () => {
  for (const options of [{}, { webhooks: {} }, { webhooks: undefined as never }]) assert.not.ok('webhooks' in documentWith(options));
});
webhooks('have the side of a schema that the API sends', () => {
  const { requestBody } = webhookOf({ 'pet.born': { schema: makeJsonSchema({ type: 'string' }, { type: 'integer' }) } });
  assert.equal(requestBody.content['application/json'].schema, { type: 'integer' });
});
webhooks('have schemas of jsonSchema; those that none has are logged', () => {
  const schema = { '~standard': { version: 1, vendor: 'tests', validate: (value: unknown) => ({ value }) } } as const;
  assert.equal(webhookOf({ a: { schema } }, { server: { jsonSchema: () => ({ type: 'null' }) } }).requestBody.content['application/json'].schema,
    { type: 'null' });
  const problems: string[] = [];
  assert.equal(webhookOf({ a: { schema } }, { problems }).requestBody.content['application/json'].schema, {});
  assert.equal(problems, ["webhook a has no JSON Schema: the decoder has none, and the server's jsonSchema returned none"]);
});
webhooks('are the same bytes twice, and no object of the options or of another document', () => {
  const tags = ['events'];
  const options = { webhooks: { 'pet.created': { schema: pet, tags }, 'pet.left': { schema: pet } } };
  const first = documentWith(options);
  assert.is(JSON.stringify(documentWith(options)), JSON.stringify(first));
  const [created, left] = Object.values(first.webhooks ?? {}).map((item) => item['post'] as any);
  created.tags.push('changed');
  created.parameters[0].name = 'changed';
  created.responses.default.description = 'changed';
  assert.equal([tags, left.parameters[0].name, left.responses.default.description], [['events'], 'webhook-id', 'The webhook is sent again later.']);
});
for (const [what, given, message] of [
  ['a list', [] , undefined],
  ['no object', 7, 'options.webhooks must be an object: 7'],
  ['a webhook without a schema', { a: {} }, 'options.webhooks.a.schema is required'],
  ['a schema that is none', { a: { schema: {} } }, 'options.webhooks.a.schema must be a schema, or a function: '],
  ['an unknown option', { a: { schema: pet, sumary: 'x' } }, 'unknown option options.webhooks.a.sumary'],
  ['tags that are no list', { a: { schema: pet, tags: 'x' } }, 'options.webhooks.a.tags must be a list of strings'],
  ['the id of an operation', { a: { schema: pet, operationId: 'petGet' } }, 'operationId petGet is used by GET /v1/pet/:id and by webhook a'],
  ['two with one id', { 'a.b': { schema: pet }, 'a-b': { schema: pet } }, 'operationId aBWebhook is used by webhook a.b and by webhook a-b'],
] as const) {
  webhooks(`${what}: ${message ?? 'no webhooks'}`, () => {
    const make = (): OpenApiDocument => documentWith({ webhooks: given as any });
    if (message === undefined) assert.not.ok('webhooks' in make());
    else assert.throws(make, (error: Error) => error instanceof TypeError && error.message.startsWith(message));
  });
}
