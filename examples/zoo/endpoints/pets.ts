/** The pets of a zoo, whose id is a parameter in the path. What keepers do with them goes into the event log. */
import { defineEndpoint, integerId } from 'restpoint';
import type { EventLog } from '../event-log.ts';
import type { SignIn } from '../keepers.ts';
import { decodeMeal, decodePet, decodePetChange, decodeSearch } from '../pet.ts';
import type { Store } from '../store/store.ts';
import { decodePage, replyPage } from './page.ts';

const MAX_FOUND = 100;

export function petsForAnyone({ pets }: Store) {
  return defineEndpoint({
    id: integerId,
    params: { zoo: integerId },
    list: { query: decodePage, run: ({ query, params }) => replyPage(query, (page) => pets.list(params.zoo, page)) },
    get: (id, { params }) => pets.find(params.zoo, id),
    custom: {
      search: { input: decodeSearch, run: ({ name }, { params }) => pets.search(params.zoo, name, MAX_FOUND) },
    },
  });
}

export function petsForKeepers({ pets }: Store, events: EventLog, signIn: SignIn) {
  return defineEndpoint({
    id: integerId,
    params: { zoo: integerId },
    context: signIn,
    schema: decodePet,
    create: async (pet, { params: { zoo }, context }) => {
      const id = await pets.insert(zoo, pet);
      events.add({ kind: 'arrived', zoo, pet: id, name: pet.name, by: context.name });
      return id;
    },
    update: (id, pet, { params }) => pets.change(params.zoo, id, pet),
    patch: { input: decodePetChange, run: (id, change, { params }) => pets.change(params.zoo, id, change) },
    delete: async (id, { params: { zoo }, context }) => {
      const { name } = await pets.remove(zoo, id);
      events.add({ kind: 'left', zoo, pet: id, name, by: context.name });
    },
    itemCustom: {
      feed: {
        input: decodeMeal,
        run: async (id, { grams }, { params: { zoo }, context }) => {
          const { name, eaten } = await pets.feed(zoo, id, grams);
          events.add({ kind: 'fed', zoo, pet: id, name, by: context.name });
          return { name, eaten };
        },
      },
    },
  });
}
