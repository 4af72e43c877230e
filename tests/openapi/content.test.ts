/** The bodies of requests: their schema, their media types, and whether they are required. */
import { bytes, stringId } from '../../src/index.ts';
import { makeDocument, makeJsonSchema, findOperation, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const legs = { type: 'integer' };
const name = { type: 'string' };

const bodies = suite('the body of a request');
bodies('is the input of the schema, or of the operation\'s own input; other operations have no body', () => {
  const input = makeJsonSchema(legs, {});
  const document = makeDocument((server) => server.registerEndpoint('/pet', {
    id: stringId, schema: makeJsonSchema(name, {}), create: () => '1', list: run, get: run, update: { input, run }, patch: { input, run }, delete: run,
    custom: { feed: { input, run }, count: { run } }, itemCustom: { feed: { input, run }, wake: { run } },
  }));
  const bodyOf = (operationId: string): unknown => findOperation(document, operationId).requestBody;
  const json = (schema: object): unknown => ({ required: true, content: { 'application/json': { schema } } });
  for (const [operationId, body] of [
    ['petCreate', json(name)],
    ['petUpdate', json(legs)],
    ['petPatch', json(legs)],
    ['petFeed', json(legs)],
    ['petItemFeed', json(legs)],
    ['petList', undefined],
    ['petGet', undefined],
    ['petDelete', undefined],
    ['petCount', undefined],
    ['petItemWake', undefined],
  ] as const) assert.equal(bodyOf(operationId), body, operationId);
});
bodies('is not required where it is optional', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: makeJsonSchema(legs), optional: true, run } } }));
  assert.equal(findOperation(document, 'petFeed').requestBody, { content: { 'application/json': { schema: legs } } });
});
bodies('is absent without schema and input', () => {
  const document = makeDocument((server) => server.registerEndpoint('/me', { create: { run }, patch: { run } }));
  assert.is(findOperation(document, 'meCreate').requestBody, undefined);
  assert.is(findOperation(document, 'mePatch').requestBody, undefined);
});
for (const [types, content] of [
  [undefined, { '*/*': {} }],
  [['image/png', 'image/*'], { 'image/png': {}, 'image/*': {} }],
  [['text/csv', 'application/pdf'], { 'text/csv': { schema: name }, 'application/pdf': {} }],
] as const) {
  bodies(`of bytes of ${types?.join(', ') ?? 'any type'} has their media types, and no schema but of text`, () => {
    const input = bytes(types === undefined ? {} : { types });
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, itemCustom: { picture: { input, run } } }));
    assert.equal(findOperation(document, 'petItemPicture').requestBody, { required: true, content });
  });
}
