/** The pets of a zoo, whose id is a parameter in the path. Anyone may read. Changes by keepers are recorded in the event log. */
import { type ApiRequest, defineEndpoint, integerId } from 'restpoint';
import { idempotent, pages } from 'restpoint/interceptors';
import type { EventLog } from '../event-log.ts';
import type { Keeper, SignIn } from '../keepers.ts';
import { type InTransaction, StoreKeys } from '../keys.ts';
import { Appetite, FedPet, Meal, Pet, PetChange, PetSearch, StoredPet } from '../pet.ts';
import { list } from '../schema.ts';
import type { Store } from '../store/store.ts';

const MAX_FOUND = 100;

export function petEndpoint(store: Store, events: EventLog, signIn: SignIn) {
  const { pets } = store;
  // A keeper whose connection fails can send a request again: a pet arrives once, and eats once.
  const once = idempotent(new StoreKeys(store), { caller: ({ context }: ApiRequest<Keeper>) => context.name });
  return defineEndpoint({
    id: integerId,
    params: { zoo: integerId },
    schema: Pet,
    list: {
      summary: 'The pets of a zoo, in pages',
      use: pages({ cursor: ({ id }: { readonly id: number }) => id, codec: integerId }),
      output: list(StoredPet),
      run: ({ page, params }) => pets.list(params.zoo, page),
    },
    get: { output: StoredPet, run: (id, { params }) => pets.find(params.zoo, id) },
    version: ({ revision }) => revision,
    // A change in a transaction reads the revision there: the store itself waits for the end of the transaction.
    currentVersion: async (id, { params: { zoo }, tx = store }: ApiRequest<undefined, { readonly zoo: number }> & Partial<InTransaction>) => {
      return (await tx.pets.find(zoo, id))?.revision;
    },
    create: {
      context: signIn,
      use: once,
      run: async (pet, { params: { zoo }, context, tx, afterCommit }) => {
        const id = await tx.pets.insert(zoo, pet);
        afterCommit(() => events.add('arrived', { zoo, pet: id, name: pet.name, by: context.name }));
        return id;
      },
    },
    update: { context: signIn, run: (id, pet, { params, ifMatch }) => pets.change(params.zoo, id, pet, ifMatch) },
    patch: { context: signIn, input: PetChange, run: (id, change, { params, ifMatch }) => pets.change(params.zoo, id, change, ifMatch) },
    delete: {
      context: signIn,
      run: async (id, { params: { zoo }, context, ifMatch }) => {
        const { name } = await pets.remove(zoo, id, ifMatch);
        events.add('left', { zoo, pet: id, name, by: context.name });
      },
    },
    itemCustom: {
      appetite: {
        summary: 'How much a pet still eats',
        method: 'GET',
        etag: 'body',
        cache: { maxAgeSeconds: 0 },
        output: Appetite,
        run: async (id, { params }) => {
          const { legs, eaten } = await pets.find(params.zoo, id);
          return { grams: Math.max(0, 1000 + 500 * legs - eaten) };
        },
      },
      feed: {
        context: signIn,
        use: once,
        input: Meal,
        output: FedPet,
        run: async (id, { grams }, { params: { zoo }, context, ifMatch, tx, afterCommit }) => {
          const { name, eaten } = await tx.pets.feed(zoo, id, grams, ifMatch);
          afterCommit(() => events.add('fed', { zoo, pet: id, name, by: context.name }));
          return { name, eaten };
        },
      },
    },
    custom: {
      search: {
        summary: 'The pets whose name contains a string',
        input: PetSearch,
        output: list(StoredPet),
        run: ({ name }, { params }) => pets.search(params.zoo, name, MAX_FOUND),
      },
    },
  });
}
