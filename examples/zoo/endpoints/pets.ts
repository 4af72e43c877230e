/** The pets of a zoo, whose id is a parameter in the path. Changes by keepers are recorded in the event log. */
import { defineEndpoint, integerId } from 'restpoint';
import type { EventLog } from '../event-log.ts';
import type { SignIn } from '../keepers.ts';
import { FedPet, Meal, Pet, PetChange, PetSearch, StoredPet } from '../pet.ts';
import { list } from '../schema.ts';
import type { Store } from '../store/store.ts';
import { PageQuery, replyPage } from './page.ts';

const MAX_FOUND = 100;

export function petsForAnyone({ pets }: Store) {
  return defineEndpoint({
    id: integerId,
    params: { zoo: integerId },
    list: {
      summary: 'The pets of a zoo, in pages',
      query: PageQuery,
      output: { 200: list(StoredPet) },
      run: ({ query, params }) => replyPage(query, (page) => pets.list(params.zoo, page)),
    },
    get: { output: StoredPet, run: (id, { params }) => pets.find(params.zoo, id) },
    custom: {
      search: {
        summary: 'The pets whose name contains a text',
        input: PetSearch,
        output: list(StoredPet),
        run: ({ name }, { params }) => pets.search(params.zoo, name, MAX_FOUND),
      },
    },
  });
}

export function petsForKeepers({ pets }: Store, events: EventLog, signIn: SignIn) {
  return defineEndpoint({
    id: integerId,
    params: { zoo: integerId },
    context: signIn,
    schema: Pet,
    create: async (pet, { params: { zoo }, context }) => {
      const id = await pets.insert(zoo, pet);
      events.add({ kind: 'arrived', zoo, pet: id, name: pet.name, by: context.name });
      return id;
    },
    update: (id, pet, { params }) => pets.change(params.zoo, id, pet),
    patch: { input: PetChange, run: (id, change, { params }) => pets.change(params.zoo, id, change) },
    delete: async (id, { params: { zoo }, context }) => {
      const { name } = await pets.remove(zoo, id);
      events.add({ kind: 'left', zoo, pet: id, name, by: context.name });
    },
    itemCustom: {
      feed: {
        input: Meal,
        output: FedPet,
        run: async (id, { grams }, { params: { zoo }, context }) => {
          const { name, eaten } = await pets.feed(zoo, id, grams);
          events.add({ kind: 'fed', zoo, pet: id, name, by: context.name });
          return { name, eaten };
        },
      },
    },
  });
}
