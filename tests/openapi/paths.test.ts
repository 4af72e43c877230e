/** The paths and methods of a document, their order, and the names of their parameters. */
import { integerId, stringId, uuidId } from '../../src/index.ts';
import { makeDocument, findOperation, run } from '../support/make-document.ts';
import { assert, suite } from '../support/facts.ts';

const decode = (json: unknown): unknown => json;

const paths = suite('the paths of a document');
paths('are those of the operations, in order of registration; discovery, HEAD and mounts are left out', () => {
  const document = makeDocument((server) => {
    server.registerEndpoint('/zebra', { id: stringId, schema: decode, get: run, list: run, create: () => '1' });
    server.mount('/health', run);
    server.registerEndpoint('/ant', {
      id: stringId, update: { input: decode, run }, patch: { input: decode, run }, delete: run, custom: { count: { run } }, itemCustom: { feed: { run } },
    });
    server.registerEndpoint('/me', { schema: decode, create: run, get: run, update: run, patch: { run }, delete: run, custom: { reset: { run } } });
  });
  assert.equal(Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item)]), [
    ['/v1/zebra', ['post', 'get']],
    ['/v1/zebra/{id}', ['get']],
    ['/v1/ant/{id}', ['put', 'patch', 'delete']],
    ['/v1/ant/count', ['post']],
    ['/v1/ant/{id}/feed', ['post']],
    ['/v1/me', ['post', 'get', 'put', 'patch', 'delete']],
    ['/v1/me/reset', ['post']],
  ]);
});
paths('of the root "" and the sub-path "/" are "/" and "/{id}"', () => {
  const document = makeDocument((server) => server.registerEndpoint('/', { id: stringId, list: run, get: run }), { root: '' });
  assert.equal(Object.keys(document.paths), ['/', '/{id}']);
});
paths('with braces have them escaped, and are not taken for paths with parameters', () => {
  const document = makeDocument((server) => {
    server.registerEndpoint('/a{zoo}', { name: 'literal', get: run });
    server.registerEndpoint('/a/:zoo', { name: 'parameter', params: { zoo: stringId }, get: run });
  });
  assert.equal(Object.entries(document.paths).map(([path, { get }]) => [path, get?.operationId]), [
    ['/v1/a%7Bzoo%7D', 'literalGet'],
    ['/v1/a/{zoo}', 'parameterGet'],
  ]);
});
paths('of a server without endpoints are empty, and the document has no components', () => {
  assert.equal(makeDocument(() => {}), { openapi: '3.1.0', info: { title: 'Zoo', version: '1' }, paths: {} });
});

const coinciding = suite('patterns that coincide');
coinciding('are one path item, with the names of the first', () => {
  const document = makeDocument((server) => {
    server.registerEndpoint('/zoo/:zoo/pet', { id: integerId, params: { zoo: stringId }, get: run });
    server.registerEndpoint('/zoo/:park/pet/:animal', { params: { park: uuidId, animal: stringId }, delete: run });
    server.registerEndpoint('/zoo/:a/pet', { id: integerId, params: { a: stringId }, list: run });
  });
  assert.equal(Object.keys(document.paths), ['/v1/zoo/{zoo}/pet/{id}', '/v1/zoo/{a}/pet']);
  const { parameters = [] } = findOperation(document, 'zooPetDelete');
  assert.equal(parameters.map(({ name, schema }) => [name, schema]), [
    ['zoo', { type: 'string', format: 'uuid' }],
    ['id', { type: 'string', minLength: 1, pattern: '^[^\\x00\\r\\n]+$' }],
  ]);
});
