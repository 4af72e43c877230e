/** R2: The types of `reply` and `bytes`: the inferred types, and the rejected calls. Compiling this file is the test. */
import { createReadStream } from 'node:fs';
import { bytes, defineEndpoint, reply, stringId, ApiServer, type Bytes, type BytesOptions, type Reply, type ResponseHeaders } from '../../src/index.ts';
import { same, type Pet } from './schemas.ts';

declare const pet: Pet;
declare const pets: Map<string, Pet>;
declare const anything: any;
declare const unknown: unknown;

// The status is a literal, and the body keeps its type.
const made = reply(202, pet);
same<typeof made, Reply<Pet, 202>>(true);
const empty = reply(204);
same<typeof empty, Reply<undefined, 204>>(true);
const redirect = reply(303, undefined, { Location: '/' });
same<typeof redirect, Reply<undefined, 303, { Location: '/' }>>(true);
const list = reply(200, [pet, pet]);
same<typeof list, Reply<Pet[], 200>>(true);
const counted = reply(200, { count: 1 }, { ETag: '"1"', 'Set-Cookie': ['a=1', 'b=2'] });
same<(typeof counted)[' internal']['body'], { count: 1 }>(true);
same<(typeof counted)[' internal']['status'], 200>(true);
// Literals within it keep their types, and lists are none that are `readonly`.
const queued = reply(202, { status: 'queued', at: { place: 'door' }, all: ['a'], isDone: false });
same<typeof queued, Reply<{ status: 'queued'; at: { place: 'door' }; all: 'a'[]; isDone: false }, 202>>(true);
const text = reply(200, 'text');
same<typeof text, Reply<string, 200>>(true);
const none = reply(200, null);
same<typeof none, Reply<null, 200>>(true);
reply(200, anything);
reply(200, unknown);
reply(200, createReadStream('a'), { 'Content-Type': 'text/csv' });
reply(200, new Uint8Array(1));
reply(200, new ReadableStream());
const either = pets.size > 0 ? reply(200, pet) : reply(304);
same<(typeof either)[' internal']['status'], 200 | 304>(true);

const paged = reply(200, [pet], pets.size > 1 ? { Link: '<?after=1>; rel="next"' } : {});
same<(typeof paged)[' internal']['body'], Pet[]>(true);

// @ts-expect-error a promise
reply(200, Promise.resolve(pet));
// @ts-expect-error perhaps a promise
reply(200, pets.size > 0 ? pet : Promise.resolve(pet));
// @ts-expect-error an item that may not have been found
reply(200, pets.get('ant'));
// @ts-expect-error undefined without headers
reply(303, undefined);
// @ts-expect-error a status that is not a number
reply('200');
reply(200, pet, { Age: 1, 'X-Cached': true });
// @ts-expect-error a header that is not a string, a number or a boolean
reply(200, pet, { Age: null });
// @ts-expect-error a reply is made by `reply`
export const forged: Reply<Pet> = { status: 200, body: pet };

export const wide: Reply<unknown> = made;
export const headers: ResponseHeaders = { a: 'b', c: ['d'] };

// Any operation can return one.
defineEndpoint({
  id: stringId,
  get: (id) => (id === '' ? reply(200, createReadStream('a')) : pet),
  delete: () => reply(200, pet),
  custom: { make: { run: async () => reply(202, pet) } },
});

// The input is an iterable of bytes.
defineEndpoint({
  id: stringId,
  custom: {
    put: { input: bytes({ types: ['image/*'] }), run: (body) => same<typeof body, AsyncIterable<Uint8Array>>(true) },
    echo: { input: bytes(), run: (body) => reply(200, body) },
  },
});
const input = bytes();
same<typeof input, Bytes>(true);
same<(typeof input)['types'], readonly string[] | undefined>(true);
export const accepting: BytesOptions = { types: ['image/png'] };
// @ts-expect-error an unknown option
bytes({ type: 'image/png' });

same<ApiServer['stopping'], AbortSignal>(true);

// The input of an endpoint's `version` is never a reply.
defineEndpoint({
  id: stringId,
  get: (id) => (id === '' ? reply(304) : pet),
  version: (item) => (same<typeof item, Pet>(true), ''),
});
