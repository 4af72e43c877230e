/** The client of the example, by the type of its API. Compiling this file is the test. */
import { client, integerId } from 'restpoint/client';
import type { Api } from '../../examples/zoo/server.ts';
import { same } from './schemas.ts';

type StoredZoo = { id: number; name: string; city: string };
type StoredPet = { id: number; name: string; legs: number; lethal: boolean; eaten: number };

const api = client<Api>('/v1', { headers: async () => ({ Authorization: 'Bearer x' }) });

const zoos = api('/zoo', {}, { id: integerId });
const zooId = await zoos.create({ name: 'Artis', city: 'Amsterdam' });
same<typeof zooId, number>(true);
const page = await zoos.list({ query: { limit: 1 } });
same<typeof page, StoredZoo[]>(true);
await zoos.list();
const zoo = await zoos.get(zooId);
same<typeof zoo, StoredZoo>(true);
const updated = await zoos.update(zooId, { name: 'Artis', city: 'Amsterdam' });
same<typeof updated, undefined>(true);
await zoos.patch(zooId, { city: 'Utrecht' });
await zoos.delete(zooId);

const pets = api('/zoo/:zoo/pet', { zoo: zooId }, { id: integerId });
const petId = await pets.create({ name: 'Rex', legs: 4, lethal: false }, { idempotencyKey: '7c5d' });
const found = await pets.custom.search({ name: 'R' });
same<typeof found, StoredPet[]>(true);
const fed = await pets.itemCustom.feed(petId, { grams: 250 });
same<typeof fed, { name: string; eaten: number }>(true);
const appetite = await pets.itemCustom.appetite.get(petId);
same<typeof appetite, { grams: number }>(true);

const photo = api.one('/zoo/:zoo/pet/:pet/photo', { zoo: zooId, pet: petId });
await photo.update(new Uint8Array([1]), { headers: { 'Content-Type': 'image/png' } });
const response = await photo.get({ raw: true });
same<typeof response, Response>(true);

const csv = await api.one('/zoo/:zoo/pet.csv', { zoo: zooId }).get();
same<typeof csv, string>(true);
for await (const event of api.one('/event').get({ query: { after: 0, limit: 2 } })) {
  same<typeof event.event, 'arrived' | 'fed' | 'left'>(true);
  same<typeof event.data, { zoo: number; pet: number; name: string; by: string }>(true);
}
const animal = await api('/animal').get('ant');
same<typeof animal, { name: string; legs: number; lethal: boolean }>(true);
const me = await api.one('/keeper/me').get();
same<typeof me, { name: string }>(true);

// @ts-expect-error a body of a different shape
await pets.create({ name: 'Rex', legs: 'four', lethal: false });
// @ts-expect-error a property is missing
await zoos.create({ name: 'Artis' });
// @ts-expect-error a query of a different type
await zoos.list({ query: { limit: 'all' } });
// @ts-expect-error no such operation
await pets.custom.feed({ grams: 1 });
// @ts-expect-error a named read is called by its method
await pets.itemCustom.appetite(petId);
// @ts-expect-error the id is missing
await pets.itemCustom.feed({ grams: 1 });
// @ts-expect-error another parameter
api('/zoo/:zoo/pet', { pet: 1 });
// @ts-expect-error a codec of a different type
api('/animal', {}, { id: integerId });
// @ts-expect-error an operation that no endpoint at this path has
await api('/animal').delete('ant');

for await (const each of pets.each({ query: { limit: 10 } })) same<typeof each, StoredPet>(true);
