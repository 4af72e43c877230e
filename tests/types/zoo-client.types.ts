/** The client of the example, by the types of its endpoints. Compiling this file is the test. */
import { client } from 'restpoint/client';
import { integerId, stringId } from 'restpoint/codecs';
import type { Animals } from '../../examples/zoo/endpoints/animals.ts';
import type { EventEndpoint } from '../../examples/zoo/endpoints/events.ts';
import type { PetCsvEndpoint } from '../../examples/zoo/endpoints/pets-csv.ts';
import type { PetEndpoint } from '../../examples/zoo/endpoints/pets.ts';
import type { PhotoEndpoint } from '../../examples/zoo/endpoints/photo.ts';
import type { ZooEndpoint } from '../../examples/zoo/endpoints/zoos.ts';
import { same } from './schemas.ts';

type StoredZoo = { id: number; name: string; city: string };
type StoredPet = { id: number; name: string; legs: number; lethal: boolean; eaten: number };

const api = client('/v1', { headers: async () => ({ Authorization: 'Bearer x' }) });

const zoos = api<ZooEndpoint>({ path: '/zoo', id: integerId });
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

const inZoo = api<PetEndpoint>({ path: '/zoo/:zoo/pet', id: integerId, params: { zoo: integerId } });
const pets = inZoo({ zoo: zooId });
const petId = await pets.create({ name: 'Rex', legs: 4, lethal: false });
const found = await pets.custom.search({ name: 'R' });
same<typeof found, StoredPet[]>(true);
const fed = await pets.itemCustom.feed(petId, { grams: 250 });
same<typeof fed, { name: string; eaten: number }>(true);

const petOf = { zoo: integerId, pet: integerId };
const photo = api<PhotoEndpoint>({ path: '/zoo/:zoo/pet/:pet/photo', params: petOf })({ zoo: zooId, pet: petId });
await photo.update(new Uint8Array([1]), { headers: { 'Content-Type': 'image/png' } });
const response = await photo.get({ raw: true });
same<typeof response, Response>(true);

const csv = await api<PetCsvEndpoint>({ path: '/zoo/:zoo/pet.csv', params: { zoo: integerId } })({ zoo: zooId }).get();
same<typeof csv, string>(true);
const events = await api<EventEndpoint>({ path: '/event' }).get({ query: { after: 0, limit: 2 }, timeoutMs: 0, raw: true });
same<typeof events, Response>(true);
const animal = await api<Animals>({ path: '/animal', id: stringId }).get('ant');
same<typeof animal, { name: string; legs: number; lethal: boolean }>(true);

// @ts-expect-error a body of another shape
await pets.create({ name: 'Rex', legs: 'four', lethal: false });
// @ts-expect-error a member is missing
await zoos.create({ name: 'Artis' });
// @ts-expect-error a query of another type
await zoos.list({ query: { limit: 'all' } });
// @ts-expect-error no such operation
await pets.custom.feed({ grams: 1 });
// @ts-expect-error the id is missing
await pets.itemCustom.feed({ grams: 1 });
// @ts-expect-error another parameter
inZoo({ pet: 1 });
// @ts-expect-error a codec of another type
api<Animals>({ path: '/animal', id: integerId });
// @ts-expect-error an operation that the endpoint does not have
await api<PetCsvEndpoint>({ path: '/zoo/:zoo/pet.csv', params: { zoo: integerId } })({ zoo: zooId }).delete();
