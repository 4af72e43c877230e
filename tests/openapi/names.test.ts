/** The names of operations and tags: the prefix of an endpoint, and the name of each kind. */
import { bearer } from '../../src/auth/index.ts';
import { checks } from '../../src/checks/index.ts';
import { KINDS, makeKind, NAMED_METHODS } from '../../src/declaration/kinds.ts';
import type { Operation } from '../../src/endpoint/operation.ts';
import { ApiServer, stringId } from '../../src/index.ts';
import { listTools } from '../../src/mcp/tools.ts';
import { nameOperation } from '../../src/openapi/names.ts';
import { makeDocument, makeJsonSchema, listOperationIds, findOperation, run } from '../support/make-document.ts';
import { assert, isTypeError, suite } from '../support/facts.ts';

const decode = (json: unknown): unknown => json;

const prefixes = suite('the prefix of an endpoint');
for (const [subpath, params, name, operationId] of [
  ['/pet', [], undefined, 'petDelete'],
  ['/zoo/:zoo/pet', ['zoo'], undefined, 'zooPetDelete'],
  ['/zoo/:zoo/pet-shop', ['zoo'], undefined, 'zooPetShopDelete'],
  ['/PetShop/v1.2', [], undefined, 'petShopV12Delete'],
  ['/petShop', [], undefined, 'petShopDelete'],
  ['/2nd', [], undefined, '2ndDelete'],
  ['/_pet', [], undefined, 'petDelete'],
  ['/pet{s}', [], undefined, 'petSDelete'],
  ['/~', [], undefined, '~Delete'],
  ['/pet', [], 'animal', 'animalDelete'],
  ['/pet', [], 'Animal', 'AnimalDelete'],
] as const) {
  prefixes(`${subpath}${name === undefined ? '' : `, named ${name}`} -> ${operationId}`, () => {
    const codecs = Object.fromEntries(params.map((each) => [each, stringId]));
    const document = makeDocument((server) => server.registerEndpoint(subpath as '/pet', {
      id: stringId, params: codecs, delete: run, ...(name === undefined ? {} : { name }),
    } as { id: typeof stringId; delete: typeof run }));
    assert.equal(listOperationIds(document), [operationId]);
    assert.equal(findOperation(document, operationId).tags, [operationId.replace('Delete', '')]);
  });
}
prefixes('a sub-path without a literal segment -> no prefix, and no tag', () => {
  const document = makeDocument((server) => {
    server.registerEndpoint('/', { id: stringId, get: run, custom: { 'feed-all': { run } }, itemCustom: { feed: { run } } });
    server.registerEndpoint('/:zoo', { params: { zoo: stringId }, delete: run });
  }, { root: '/v1' });
  assert.equal(listOperationIds(document), ['get', 'delete', 'feedAll', 'itemFeed']);
  assert.is(findOperation(document, 'get').tags, undefined);
});
prefixes('a name of signs alone stays', () => {
  const document = makeDocument((server) => server.registerEndpoint('/', { custom: { '~': { run }, _: { run }, '-a-': { run } } }), { root: '/v1' });
  assert.equal(listOperationIds(document), ['~', '_', 'a']);
});
prefixes('the root is not part of it', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, get: run }), { root: '/api/v1' });
  assert.equal(listOperationIds(document), ['petGet']);
});

const kinds = suite('the operationId of each kind');
kinds('of an endpoint with ids', () => {
  const long = { run };
  const document = makeDocument((server) => server.registerEndpoint('/pet', {
    id: stringId, schema: decode, create: () => '1', list: run, get: run, update: run, patch: { input: decode, run }, delete: run,
    custom: { search: long, 'feed-all': long }, itemCustom: { feed: long },
  }));
  assert.equal(listOperationIds(document).sort(), [
    'petCreate', 'petDelete', 'petFeedAll', 'petGet', 'petItemFeed', 'petList', 'petPatch', 'petSearch', 'petUpdate',
  ]);
});
kinds('of a singleton', () => {
  const document = makeDocument((server) => server.registerEndpoint('/settings', {
    schema: decode, create: run, get: run, update: run, patch: { input: decode, run }, delete: run, custom: { reset: { run } },
  }));
  assert.equal(listOperationIds(document).sort(), ['settingsCreate', 'settingsDelete', 'settingsGet', 'settingsPatch', 'settingsReset', 'settingsUpdate']);
});
for (const namedMethod of NAMED_METHODS) {
  kinds(`is different for each, with one name for all named ones, of the method ${namedMethod}`, () => {
    const declared = KINDS.filter(({ isNamed, method }) => !isNamed || method === namedMethod).map(({ name, method, isNamed, decoder }) => {
      const operation = { run, ...(decoder !== undefined && { input: decode }), ...(isNamed && { method }) };
      return [name, isNamed ? { feed: operation } : operation];
    });
    const declaration = { id: stringId, ...Object.fromEntries(declared) };
    const ids = listOperationIds(makeDocument((server) => server.registerEndpoint('/pet', declaration)));
    assert.is(ids.length, declared.length);
    assert.is(new Set(ids).size, ids.length, ids.join(', '));
  });
}
for (const [name, suffix, operationId] of [['itemReplace', '/:id/<name>', 'petItemReplaceFeed'], ['replace', '/<name>', 'petReplaceFeed']] as const) {
  kinds(`of a new kind ${name} with <name>: ${operationId}`, () => {
    const kind = makeKind({ name, method: 'PUT', suffix, decoder: 'input', result: 'nothing' });
    assert.is(nameOperation({ endpoint: { declared: {}, subpath: '/pet' }, kind, name: 'feed', options: {} } as unknown as Operation), operationId);
  });
}

const summaries = suite('the summary of an operation that declares none');
for (const [path, name, noun] of [
  ['/pet', undefined, ' pet'],
  ['/animals', undefined, ' animals'],
  ['/pet-category', undefined, ' pet category'],
  ['/', undefined, ''],
  ['/x', 'zooPet', ' zoo pet'],
] as const) {
  summaries(`at ${path}, ${name ?? 'without a name'}: Create${noun}, List${noun}`, () => {
    const document = makeDocument((server) => server.registerEndpoint(path, {
      id: stringId, schema: decode, create: () => '', list: run, get: run, update: run, patch: { input: decode, run }, delete: run,
      custom: { 'empty-bin': { run } }, itemCustom: { feed: { run } }, ...(name !== undefined && { name }),
    }));
    const verbs = ['Create', 'Delete', 'Empty bin', 'Feed', 'Get', 'List', 'Patch', 'Update'];
    assert.equal(listOperationIds(document).map((id) => findOperation(document, id).summary).sort(), verbs.map((verb) => verb + noun));
  });
}
summaries('of a singleton', () => {
  const document = makeDocument((server) => server.registerEndpoint('/profile', { get: run, custom: { reset: { run } } }));
  assert.equal([findOperation(document, 'profileGet').summary, findOperation(document, 'profileReset').summary], ['Get profile', 'Reset profile']);
});

const declared = suite('the declared properties of an operation');
declared('are in the document: operationId, summary, description, tags and deprecated', () => {
  const properties = { operationId: 'feed', summary: 'Feeds.', description: 'Feeds *all* pets.', tags: ['food', 'care'], deprecated: true } as const;
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, itemCustom: { feed: { run, ...properties } } }));
  const { operationId, summary, description, tags, deprecated } = findOperation(document, 'feed');
  assert.equal({ operationId, summary, description, tags, deprecated }, properties);
});
declared('are absent from the document without a declaration', () => {
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, get: run }));
  const operation = findOperation(document, 'petGet');
  for (const name of ['description', 'deprecated', 'requestBody']) assert.not.ok(name in operation, name);
});
declared('of a plain function are not those of the functions beside it', () => {
  const beside = { query: run, input: run, output: run, errors: run, summary: run, tags: run };
  const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, custom: beside }));
  assert.equal(findOperation(document, 'petInput'), {
    tags: ['pet'],
    summary: 'Input pet',
    operationId: 'petInput',
    responses: { 200: { description: 'OK', content: { 'application/json': { schema: {} } } }, default: { $ref: '#/components/responses/Problem' } },
    security: [],
  });
});

const hidden = suite('hidden');
for (const [why, endpoint, shown] of [
  ['an operation', { get: { hidden: true, run }, list: { hidden: false, run }, delete: run }, ['petList', 'petDelete']],
  ['an endpoint', { hidden: true, get: { run }, delete: run }, []],
  ['an endpoint, and not one of its operations', { hidden: true, get: { hidden: false, run }, delete: run }, ['petGet']],
  ['a named operation', { custom: { feed: { hidden: true, run }, count: run } }, ['petCount']],
] as const) {
  hidden(`${why} -> ${shown.join(', ') || 'nothing'} in the document`, () => {
    const document = makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, ...endpoint } as never));
    assert.equal(listOperationIds(document), shown);
  });
}
hidden('its schemas, its security and its operationId are not in the document either', () => {
  const schema = makeJsonSchema({ $id: 'Pet', type: 'object' });
  const document = makeDocument((server) => {
    server.registerEndpoint('/pet', { id: stringId, get: run });
    server.registerEndpoint('/old', { id: stringId, hidden: true, context: bearer(() => 1), get: { operationId: 'petGet', output: schema, run } });
  });
  assert.equal(Object.keys(document.components?.schemas ?? {}), ['Problem']);
  assert.equal([listOperationIds(document), document.components?.securitySchemes], [['petGet'], undefined]);
});
hidden('is served, is checked, and is a tool if it declares one', async () => {
  const server = new ApiServer('', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoint('/pet', { hidden: true, get: { tool: true, run: () => 'Rex' }, delete: () => {} });
  assert.is(await (await server.fetch('/pet')).json(), 'Rex');
  assert.equal(listTools(server).map(({ name }) => name), ['petGet']);
  assert.ok(checks(server).some(({ name }) => name.includes('GET /pet')));
});

const clashes = suite('two operations with one operationId');
for (const [why, endpoint, message] of [
  ['of a name and a kind', { get: run, custom: { get: { run } } }, 'operationId petGet is used by GET /v1/pet/:id and by POST /v1/pet/get'],
  ['of two names', { custom: { 'feed-all': { run }, feedAll: { run } } }, 'operationId petFeedAll is used by POST /v1/pet/feed-all and by POST /v1/pet/feedAll'],
  ['as declared', { get: { run, operationId: 'x' }, delete: { run, operationId: 'x' } }, 'operationId x is used by GET /v1/pet/:id and by DELETE /v1/pet/:id'],
] as const) {
  clashes(`${why} -> TypeError`, () => {
    assert.throws(
      () => makeDocument((server) => server.registerEndpoint('/pet', { id: stringId, ...endpoint } as any)),
      isTypeError(message),
    );
  });
}
