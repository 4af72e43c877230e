/** V12: The versions of items in documents: the ETag of a response, the conditions of a request, and the responses to those that are not met. */
import { stringId } from '../../src/index.ts';
import { makeDocument, makeJsonSchema, findOperation, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const schema = makeJsonSchema({ type: 'object', properties: { name: { type: 'string' } } });
const headers = makeJsonSchema({ type: 'object', properties: { 'if-match': { type: 'integer' } } });
const other = makeJsonSchema({ type: 'integer' });
const properties = { id: stringId, schema, get: run, update: run, patch: { input: schema, run }, delete: run, itemCustom: { feed: run }, create: run, list: run } as const;

const ETAG = { ETag: { description: 'The version of the item.', schema: { type: 'string' } } };

/** The responses, the header parameters and those that are required, and the headers of the success, of an operation. */
function partsOf(declared: object, operationId: string): readonly unknown[] {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { ...properties, ...declared } as typeof properties));
  const { responses, parameters = [] } = findOperation(document, operationId) as { responses: Record<string, any>; parameters?: readonly any[] };
  const headers = parameters.filter((each) => each.in === 'header');
  return [
    Object.keys(responses).filter((status) => ['304', '412', '428'].includes(status)),
    headers.map(({ name }) => name),
    headers.filter(({ required }) => required).map(({ name }) => name),
    (responses['200'] ?? responses['204'] ?? responses['201']).headers?.ETag,
  ];
}

const CONDITIONS = ['If-Match', 'If-None-Match'];
const version = run;

const documented = suite('versions in a document');
for (const [why, declared, operationId, expected] of [
  ['a get', { version }, 'petGet', [['304'], ['If-None-Match'], [], ETAG.ETag]],
  ['a get of an endpoint without', {}, 'petGet', [[], [], [], undefined]],
  ['a get that declares its 304', { version, get: { run, output: { 200: schema, 304: null } } }, 'petGet', [['304'], ['If-None-Match'], [], ETAG.ETag]],
  ['a get with currentVersion alone', { currentVersion: run }, 'petGet', [[], [], [], undefined]],
  ['an update', { version }, 'petUpdate', [['412'], CONDITIONS, [], undefined]],
  ['an update of an endpoint without', {}, 'petUpdate', [[], [], [], undefined]],
  ['an update with currentVersion alone', { currentVersion: run }, 'petUpdate', [['412'], CONDITIONS, [], undefined]],
  ['an update that needs If-Match', { version, requireIfMatch: true }, 'petUpdate', [['412', '428'], CONDITIONS, ['If-Match'], undefined]],
  ['an update that sends the item', { version, update: { run, output: schema } }, 'petUpdate', [['412'], CONDITIONS, [], undefined]],
  ['a patch', { version }, 'petPatch', [['412'], CONDITIONS, [], undefined]],
  ['a patch that sends the item', { version, patch: { input: schema, output: schema, run } }, 'petPatch', [['412'], CONDITIONS, [], ETAG.ETag]],
  ['a patch that sends something else', { version, patch: { input: schema, output: other, run } }, 'petPatch', [['412'], CONDITIONS, [], undefined]],
  ['a delete that needs If-Match', { version, requireIfMatch: true }, 'petDelete', [['412', '428'], CONDITIONS, ['If-Match'], undefined]],
  ['an operation of an item', { version, requireIfMatch: true }, 'petItemFeed', [['412'], CONDITIONS, [], undefined]],
  ['a create', { version }, 'petCreate', [[], [], [], undefined]],
  ['a list', { version }, 'petList', [[], [], [], undefined]],
  ['a field that the operation declares itself', { version, update: { headers: headers, run } },
    'petUpdate', [['412'], ['if-match', 'If-None-Match'], [], undefined]],
] as const) {
  documented(`${why}: ${JSON.stringify(expected)}`, () => assert.equal(partsOf(declared, operationId), expected));
}
documented('the responses themselves', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { ...properties, version, requireIfMatch: true }));
  assert.equal(findOperation(document, 'petGet').responses['304'], { description: 'Not Modified', headers: ETAG });
  const { PreconditionFailed, PreconditionRequired } = document.components?.responses as Record<string, { description: string }>;
  assert.is(PreconditionFailed?.description, 'The item has a different version.');
  assert.is(PreconditionRequired?.description, 'The request has no If-Match.');
});
