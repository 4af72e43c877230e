/** The document as a whole: its properties, its options, and that it is the same each time. */
import { inspect } from 'node:util';
import { bearer } from '../../src/auth/index.ts';
import { ApiServer, integerId, stringId } from '../../src/index.ts';
import { openApi, type OpenApiDocument } from '../../src/openapi/index.ts';
import { makeDocument, INFO, makeJsonSchema, listOperationIds, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const quiet = { logger: { info: () => {}, error: () => {} } };

function zoo(): ApiServer {
  const server = new ApiServer('/v1', quiet);
  const pet = { type: 'object', properties: { b: { $ref: '#/$defs/B' }, a: { $ref: '#/$defs/A' } }, $defs: { B: { $ref: '#/$defs/A' }, A: { type: 'string' } } };
  server.registerEndpoint('/pet', { id: integerId, schema: makeJsonSchema(pet), context: bearer(() => 1), create: () => 1, get: run, list: run });
  server.registerEndpoint('/ant', { id: stringId, get: run });
  return server;
}

const document = suite('the document');
document('has openapi 3.1, the info, servers and tags of the options, paths and components, in this order', () => {
  const info = { ...INFO, description: 'Pets.', license: { name: 'MIT' } };
  const servers = [{ url: 'https://zoo.example' }];
  const tags = [{ name: 'pet', description: 'All pets.' }, { name: 'ant' }];
  const made = openApi(zoo(), { info, servers, tags });
  assert.equal(Object.keys(made), ['openapi', 'info', 'servers', 'tags', 'paths', 'components']);
  assert.is(made.openapi, '3.1.0');
  assert.equal({ info: made.info, servers: made.servers, tags: made.tags }, { info, servers, tags });
  assert.equal(Object.keys(made.components ?? {}), ['schemas', 'responses', 'securitySchemes']);
});
document('has its components sorted', () => assert.equal(Object.keys(openApi(zoo(), { info: INFO }).components?.schemas ?? {}), ['A', 'B', 'Pet', 'Problem']));
document('is the same bytes for two calls, and for two servers with the same declarations', () => {
  const server = zoo();
  const text = JSON.stringify(openApi(server, { info: INFO }));
  assert.is(JSON.stringify(openApi(server, { info: INFO })), text);
  assert.is(JSON.stringify(openApi(zoo(), { info: INFO })), text);
});
document('is plain JSON, and has no object of the options or of another document', () => {
  const info = { ...INFO, contact: { name: 'Ann' } };
  const server = zoo();
  const made = openApi(server, { info: { ...info, summary: undefined } as typeof info });
  assert.equal(JSON.parse(JSON.stringify(made)), made);
  assert.not.ok('summary' in made.info);
  (made.info.contact as { name: string }).name = 'Bob';
  (made.components as any).schemas.Problem.properties = {};
  assert.is(info.contact.name, 'Ann');
  assert.ok((openApi(server, { info }).components as any).schemas.Problem.properties.title);
});
document('is made again only after a registration, and for other options', () => {
  const server = zoo();
  let made = 0;
  const schema = { '~standard': { ...makeJsonSchema({})['~standard'], get jsonSchema() {
    made += 1;
    return makeJsonSchema({})['~standard' as never]['jsonSchema'];
  } } };
  server.registerEndpoint('/fox', { get: { output: schema as never, run } });
  const webhooks = { fed: { schema: makeJsonSchema({}), tags: ['a'] } };
  const counts = [INFO, INFO, { ...INFO }, { ...INFO, title: 'Other' }].map((info) => (openApi(server, { info }), made));
  assert.equal(counts, [counts[0], counts[0], counts[0], 2 * Number(counts[0])]);
  for (const [given, isNew] of [
    [{}, true], [{ ...webhooks }, true], [{ fed: { ...webhooks.fed, tags: ['a'] } }, false], [{ fed: { ...webhooks.fed, tags: ['b'] } }, true],
    [{ fed: { schema: makeJsonSchema({}), tags: ['b'] } }, true], [{ eaten: webhooks.fed }, true],
  ] as const) {
    made = 0;
    const document = openApi(server, { info: INFO, webhooks: given });
    assert.equal([made > 0, Object.keys(document.webhooks ?? {})], [isNew, Object.keys(given)]);
  }
});
document('has an endpoint that was registered after an earlier document', () => {
  const server = zoo();
  const before = Object.keys(openApi(server, { info: INFO }).paths);
  server.registerEndpoint('/bee', { id: stringId, get: run });
  assert.equal(Object.keys(openApi(server, { info: INFO }).paths), [...before, '/v1/bee/{id}']);
});
document('of an instance of a class follows its properties', () => {
  class Pets {
    readonly id = stringId;
    readonly name = 'animals';
    readonly context: () => number = Object.assign(() => 1, { security: { name: 'key', scheme: { type: 'http', scheme: 'bearer' } } });

    get(name: string): string {
      return name;
    }
  }
  const { paths } = makeDocument((server) => server.registerEndpoint('/pet', new Pets()));
  assert.is(paths['/v1/pet/{id}']?.['get']?.operationId, 'animalsGet');
  assert.equal(paths['/v1/pet/{id}']?.['get']?.security, [{ key: [] }]);
});
document('of a hundred endpoints is made', () => {
  const { paths } = makeDocument((server) => {
    for (let index = 0; index < 100; index += 1) {
      const schema = makeJsonSchema({ type: 'object', properties: { index: { const: index }, next: { $ref: '#' } } });
      server.registerEndpoint(`/e${index}`, { id: integerId, schema, create: () => 1, get: run, update: run, delete: run });
    }
  });
  assert.is(Object.keys(paths).length, 200);
});

const only = suite('one version of an API');
function versions(server: ApiServer, name: object = {}): void {
  for (const version of ['v1', 'v2']) server.registerEndpoint(`/${version}/pet`, { ...name, id: integerId, get: run });
}
only('is what include leaves: the names of operations differ by their paths', () => {
  const made = makeDocument(versions, { root: '/api', include: ({ path }) => path.startsWith('/api/v2/') });
  assert.equal([Object.keys(made.paths), listOperationIds(made)], [['/api/v2/pet/{id}'], ['v2PetGet']]);
});
only('can share its operationIds with a different one', () => {
  const made = makeDocument((server) => versions(server, { name: 'pet' }), { root: '/api', include: ({ path }) => path.startsWith('/api/v2/') });
  assert.equal(listOperationIds(made), ['petGet']);
});
only('cannot share its operationIds with a different one in one document', () => {
  const make = (): OpenApiDocument => makeDocument((server) => versions(server, { name: 'pet' }), { root: '/api' });
  assert.throws(make, /operationId petGet is used by GET \/api\/v1\/pet\/:id and by GET \/api\/v2\/pet\/:id/);
});

const include = suite('the operations that include chooses');
const item = (name: string, part: object): unknown => makeJsonSchema({ $ref: `#/$defs/${name}`, $defs: { [name]: { type: 'object', properties: { part } } } });
const schemes = (name: string): unknown => {
  return Object.assign(() => 1, { security: { name, scheme: { type: 'http', scheme: 'bearer' } }, ' internal': { checkScopes: run } });
};
const declareStaff = (server: ApiServer): void => {
  const staff = item('Staff', { type: 'integer' });
  server.registerEndpoint('/staff', {
    context: schemes('admin'), scopes: ['staff:read'], get: { output: staff, errors: { 409: item('Fired', {}) }, run }, delete: { tags: ['keeper'], run },
  } as never);
  server.registerEndpoint('/pet', {
    id: stringId, context: schemes('keeper'), get: { output: item('Pet', { type: 'string' }), run }, list: { hidden: true, tags: ['ward'], run },
  } as never);
};
const tags = ['staff', 'keeper', 'pet', 'ward', 'nobody', 'fed'].map((name) => ({ name, description: `All of ${name}.` }));
include('are asked for by method, path, name, tags and scopes, without those that are hidden', () => {
  const asked: unknown[] = [];
  makeDocument(declareStaff, { include: (operation) => Boolean(asked.push(operation)) });
  assert.equal(asked, [
    { method: 'GET', path: '/v1/staff', operationId: 'staffGet', tags: ['staff'], scopes: ['staff:read'] },
    { method: 'DELETE', path: '/v1/staff', operationId: 'staffDelete', tags: ['keeper'], scopes: ['staff:read'] },
    { method: 'GET', path: '/v1/pet/:id', operationId: 'petGet', tags: ['pet'], scopes: [] },
  ]);
});
for (const [what, chosen, expected] of [
  ['all', () => true, [['/v1/staff', '/v1/pet/{id}'], ['Fired', 'Pet', 'Problem', 'Staff'], ['admin', 'keeper'], ['staff', 'keeper', 'pet', 'nobody', 'fed']]],
  ['some', (tag: string) => tag === 'pet', [['/v1/pet/{id}'], ['Pet', 'Problem'], ['keeper'], ['pet', 'nobody', 'fed']]],
  ['none', () => false, [[], ['Problem'], [], ['nobody', 'fed']]],
] as const) {
  include(`${what}: the document has only what they have, and tags that no operation has`, () => {
    const webhooks = { fed: { schema: makeJsonSchema({}), tags: ['fed'] } };
    const made = makeDocument(declareStaff, { tags, webhooks, include: (operation) => chosen(String(operation.tags[0])) });
    const { schemas = { Problem: {} }, securitySchemes = {} } = made.components ?? {};
    assert.equal([Object.keys(made.paths), Object.keys(schemas), Object.keys(securitySchemes), made.tags?.map(({ name }) => name)], expected);
  });
}
include('may change: each document has those of its own call', () => {
  const server = new ApiServer('/v1', quiet);
  declareStaff(server);
  let shown = 'pet';
  const choose = ({ tags: [tag] }: { readonly tags: readonly string[] }): boolean => tag === shown;
  const make = (): unknown => Object.keys(openApi(server, { info: INFO, include: choose }).paths);
  assert.equal([make(), ((shown = 'staff'), make())], [['/v1/pet/{id}'], ['/v1/staff']]);
});

const transform = suite('the document that transform returns');
transform('takes the place of the document, which is complete when transform gets it', () => {
  const server = zoo();
  let got: OpenApiDocument | undefined;
  const made = openApi(server, { info: INFO, transform: (document) => {
    got = document;
    return { ...document, tags: [{ name: 'all' }], 'x-logo': { url: undefined, text: 'zoo' } };
  } });
  assert.equal(got, openApi(server, { info: INFO }));
  assert.equal(made, { ...got, tags: [{ name: 'all' }], 'x-logo': { text: 'zoo' } });
  assert.not.ok('url' in (made['x-logo'] as object));
});
transform('can be the document that it got, changed: no other document changes, and no schema', () => {
  const server = zoo();
  const before = openApi(server, { info: INFO });
  const change = (document: any): OpenApiDocument => {
    document.info.title = 'Other';
    document.components.schemas.Problem.properties.type.format = 'uri';
    document.paths['/v1/pet/{id}'].get['x-cost'] = 1;
    return document;
  };
  const made = openApi(server, { info: INFO, transform: change });
  assert.is(made.info.title, 'Other');
  assert.is(made.paths['/v1/pet/{id}']?.['get']?.['x-cost'], 1);
  assert.equal(openApi(server, { info: INFO }), before);
});
transform('has no component of an operation that it left out, and all that others refer to', () => {
  const transformed = (change: (document: any) => OpenApiDocument): any => makeDocument(declareStaff, { transform: change }).components ?? {};
  const names = ({ schemas = {}, securitySchemes = {} }: any): unknown => [Object.keys(schemas), Object.keys(securitySchemes)];
  const leaveOut = (path: string) => (document: any): OpenApiDocument => {
    delete document.paths[path];
    return document;
  };
  assert.equal(names(transformed((document) => document)), [['Fired', 'Pet', 'Problem', 'Staff'], ['admin', 'keeper']]);
  assert.equal(names(transformed(leaveOut('/v1/staff'))), [['Pet', 'Problem'], ['keeper']]);
  assert.equal(names(transformed(leaveOut('/v1/pet/{id}'))), [['Fired', 'Problem', 'Staff'], ['admin']]);
  assert.equal(transformed((document) => ({ ...document, paths: {} })), {});
  assert.equal(transformed(({ components: _, ...others }) => ({ ...others, paths: {} })), {});
  // What it adds stays, with all that it refers to.
  const own = { schemas: { Own: { oneOf: [], discriminator: { mapping: { pet: '#/components/schemas/Pet' } } } } };
  const kept = transformed((document) => ({ ...document, paths: {}, components: { ...document.components, schemas: { ...document.components.schemas, ...own.schemas } } }));
  assert.equal(Object.keys(kept.schemas), ['Pet', 'Own']);
});
transform('if it throws, that is thrown on', () => {
  const failure = new RangeError('no logo');
  assert.throws(() => openApi(zoo(), { info: INFO, transform: () => { throw failure; } }), (thrown: unknown) => thrown === failure);
});

const options = suite('the options of openApi');
for (const [value, message] of [
  [undefined, 'options must be an object: undefined'],
  [null, 'options must be an object: null'],
  [{}, 'options.info is required'],
  [{ info: { title: 'Zoo' } }, 'options.info must have a title and a version'],
  [{ info: { title: 'Zoo', version: 1 } }, 'options.info must have a title and a version'],
  [{ info: INFO, inof: 1 }, 'unknown option options.inof: did you mean info? It can be one of info, servers, tags, webhooks, include, transform'],
  [{ info: INFO, include: ['pet'] }, 'options.include must be a function: object'],
  [{ info: INFO, include: async () => true }, 'options.include must return true or false: it returned a promise, which is not awaited'],
  [{ info: INFO, include: () => 1 }, 'options.include must return true or false: it returned number'],
  [{ info: INFO, transform: {} }, 'options.transform must be a function: object'],
  [{ info: INFO, transform: () => {} }, 'options.transform must return the document: undefined'],
  [{ info: INFO, transform: () => null }, 'options.transform must return the document: object'],
  [{ info: INFO, transform: async (made: object) => made }, 'options.transform must return the document: a promise, which is not awaited'],
  [{ info: INFO, servers: {} }, 'options.servers must be a list: object'],
  [{ info: INFO, tags: 'pet' }, 'options.tags must be a list: string'],
] as const) {
  options(`${inspect(value)} -> TypeError: ${message}`, () => {
    assert.throws(() => openApi(zoo(), value as never), (thrown: unknown) => thrown instanceof TypeError && thrown.message === message);
  });
}
