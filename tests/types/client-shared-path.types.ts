/** Items beside a singleton at one path: each has its own operations. Compiling this file is the test. */
import { client, type BodyOf, type Breaking, type ResultOf } from '../../src/client/index.ts';
import { ApiServer, defineEndpoint, integerId, stringId } from '../../src/index.ts';
import { queries } from '../../src/queries/index.ts';
import { same } from './schemas.ts';

const server = new ApiServer('/v1');
const params = { zoo: stringId };
const shelf = server.registerEndpoints({
  '/zoo/:zoo/book': defineEndpoint({ id: integerId, params, create: { input: Number, run: () => 1 }, get: (id) => ({ id }) }),
  '/page': defineEndpoint({ id: integerId, get: (id) => id }),
});
const catalog = server.registerEndpoints({
  '/zoo/:zoo/book': defineEndpoint({ params, get: { query: (query: unknown) => query as { readonly from: number }, run: () => ({ pages: 7 }) }, delete: () => undefined }),
});
type Items = typeof shelf;
type Both = typeof shelf & typeof catalog;
const api = client<Both>('/v1', { ids: { '/zoo/:zoo/book': integerId, '/page': integerId } });

const books = api('/zoo/:zoo/book', { zoo: 'x' });
const made = await books.create(7);
same<typeof made, number>(true);
const book = await books.get(made);
same<typeof book, { id: number }>(true);
// @ts-expect-error only the singleton can be deleted
books.delete(made);

const one = api.one('/zoo/:zoo/book', { zoo: 'x' });
const found = await one.get({ query: { from: 1 } });
same<typeof found, { pages: number }>(true);
await one.delete();
// @ts-expect-error only an item can be created
one.create(7);
// @ts-expect-error the singleton has parameters, too
api.one('/zoo/:zoo/book');
// @ts-expect-error here is no singleton
api.one('/page');
// @ts-expect-error without the items, the path is only a singleton's
client<typeof catalog>('/v1')('/zoo/:zoo/book', { zoo: 'x' });

same<ResultOf<Both, '/zoo/:zoo/book', 'get'>, { id: number }>(true);
same<BodyOf<Both, '/zoo/:zoo/book', 'create'>, number>(true);
same<Awaited<ReturnType<ReturnType<ReturnType<typeof queryOne>['get']>['queryFn']>>, { pages: number }>(true);
const queryOne = () => queries(api).one('/zoo/:zoo/book', { zoo: 'x' });

same<Breaking<Both, Both>, never>(true);
same<Breaking<Items, Both>, never>(true);
same<Breaking<typeof catalog, Both>, never>(true);
same<Breaking<Both, Items>, '/zoo/:zoo/book'>(true);
same<Breaking<Both, typeof catalog>, '/zoo/:zoo/book' | '/page'>(true);
