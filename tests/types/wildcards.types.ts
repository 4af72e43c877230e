/** Ids and parameters of several segments. Compiling this file is the test. */
import { client } from '../../src/client/index.ts';
import { ApiServer, defineEndpoint, integerId, stringId, wildcardId } from '../../src/index.ts';
import { petSchema, same, type Pet } from './schemas.ts';

const server = new ApiServer('');

const files = defineEndpoint({
  id: wildcardId, schema: petSchema,
  create: (pet) => (same<typeof pet, Pet>(true), 'a/b'),
  list: () => ['a/b'],
  get: (id) => (same<typeof id, string>(true), undefined as Pet | undefined),
  delete: (id) => void same<typeof id, string>(true),
});
server.registerEndpoint('/file', files);
server.registerEndpoint('/found', { id: wildcardId, get: (id) => id, custom: { find: () => 1 } });
// @ts-expect-error a wrong operation is still wrong beside a wildcard
defineEndpoint({ id: wildcardId, get: (id) => id, custom: { find: () => {} } });
defineEndpoint({ id: { ...wildcardId, emptySegments: true }, get: (id) => (same<typeof id, string>(true), id) });

const parts = defineEndpoint({ params: { zoo: integerId, path: wildcardId }, get: ({ params }) => (same<typeof params, { readonly zoo: number; readonly path: string }>(true), params) });
server.registerEndpoint('/zoo/:zoo/file/*path', parts);
server.registerEndpoints({ '/zoo/:zoo/file/*path': parts });
server.registerEndpoint('/*path', { params: { path: wildcardId }, get: ({ params }) => params.path });
// @ts-expect-error a parameter that the path does not have
server.registerEndpoint('/zoo/:zoo/file', parts);
// @ts-expect-error a parameter that the endpoint does not have
server.registerEndpoint('/zoo/:zoo/file/*path', { params: { zoo: integerId }, get: ({ params }) => params.zoo });
// @ts-expect-error a different name
server.registerEndpoint('/zoo/:zoo/file/*rest', parts);
server.registerEndpoint('/zoo/:zoo/*path/file', parts);
server.registerEndpoints({ '/file/*path/:zoo': parts, '/zoo/:zoo/*path/of/': parts });
// @ts-expect-error a parameter after it that the endpoint does not have
server.registerEndpoint('/file/*path/:zoo/:other', parts);

const api = client<{ '/file': typeof files; '/zoo/:zoo/file/*path': typeof parts }>('http://localhost');
void api('/file', {}, { id: wildcardId }).get('a/b');
void api.one('/zoo/:zoo/file/*path', { zoo: 1, path: 'a/b' }, { params: { path: wildcardId } }).get();
void client<{ '/file': typeof files }>('', { ids: { '/file': wildcardId } })('/file').get('a/b');
// @ts-expect-error nor of all ids
client<{ '/file': typeof files }>('', { ids: {} });
// @ts-expect-error without its codec, a/b would be one segment
api('/file');
// @ts-expect-error nor with another one
api('/file', {}, { id: stringId });
// @ts-expect-error a parameter of several segments needs its codec too
api.one('/zoo/:zoo/file/*path', { zoo: 1, path: 'a/b' });
