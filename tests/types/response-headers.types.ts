/** R13: The types of declared response headers: in replies, and in a client. Compiling this file is the test. */
import { client } from '../../src/client/index.ts';
import { created, defineEndpoint, integerId, problem, reply, type ApiServer, type MaybePromise, type Reply, type StandardSchemaV1 } from '../../src/index.ts';
import { petSchema, same, type Pet } from './schemas.ts';

declare const pets: Map<number, Pet>;
declare const total: StandardSchemaV1<number>;
declare const order: StandardSchemaV1<'asc' | 'desc'>;
declare const cached: StandardSchemaV1<boolean | undefined>;
declare const coerced: StandardSchemaV1<unknown, number>;
declare const server: ApiServer;

const counted = reply(200, { count: 1 }, { 'X-Total': 3, 'X-Order': 'asc', 'X-Cached': true, 'Set-Cookie': ['a=1'] });
same<(typeof counted)[' internal']['headers']['X-Order'], 'asc'>(true);
same<(typeof counted)[' internal']['headers']['X-Cached'], true>(true);

const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: petSchema,
    create: {
      responseHeaders: { 'X-Total': total },
      run: (pet) => (pet.legs > 4 ? problem(409, 'Too many legs.') : created(7, undefined, { 'X-Total': pets.size })),
    },
    list: {
      responseHeaders: { 'X-Total': total, 'X-Order': order, 'X-Cached': cached },
      run: async () => reply(200, [...pets.values()], { 'X-Total': pets.size, 'X-Order': 'asc', Link: '<?after=1>; rel="next"' }),
    },
    get: {
      responseHeaders: { 'X-Total': coerced },
      run: (id) => {
        const pet = pets.get(id);
        return id > 2 ? reply(303, undefined, { Location: '/' }) : pet && reply(200, pet, { 'X-Total': 3 });
      },
    },
    delete: { responseHeaders: { 'X-Cached': cached }, run: (id) => pets.delete(id) },
    custom: {
      any: { responseHeaders: { 'X-Total': total }, run: (): any => 1 },
      fn: { responseHeaders: { 'X-Total': (value: unknown) => Number(value) }, run: () => reply(200, 1, { 'X-Total': 7 }) },
      wide: { responseHeaders: { 'X-Total': total }, run: (): Reply<number, number> => reply(200, 1) },
    },
  }),
});

// @ts-expect-error a header that is missing
defineEndpoint({ id: integerId, list: { responseHeaders: { 'X-Total': total }, run: () => reply(200, [1]) } });
// @ts-expect-error a header with a different type
defineEndpoint({ id: integerId, list: { responseHeaders: { 'X-Total': total }, run: async () => reply(200, [1], { 'X-Total': '3' }) } });
// @ts-expect-error a plain result has no headers
defineEndpoint({ id: integerId, list: { responseHeaders: { 'X-Total': total }, run: () => [1] } });
// @ts-expect-error a plain result has no headers
defineEndpoint({ id: integerId, create: { input: petSchema, responseHeaders: { 'X-Total': total }, run: (): MaybePromise<number> => 7 } });
// @ts-expect-error a header is not a schema of a value that it can have
reply(200, [1], { 'X-Total': { at: 1 } });

const calls = client<typeof api>('http://127.0.0.1');
export async function readHeaders(): Promise<void> {
  const listed = await calls('/pet').list({ safe: true });
  if (!listed.ok) return;
  const all = listed.headers.get('X-Total');
  same<typeof all, `${number}`>(true);
  same<ReturnType<typeof listed.headers.get<'X-Order'>>, 'asc' | 'desc'>(true);
  const isCached = listed.headers.get('X-Cached');
  same<typeof isCached, 'true' | 'false' | null>(true);
  const other = listed.headers.get('Link');
  same<typeof other, string | null>(true);
}
