/**
 * Zoos. Anyone may read, and keepers may change. The `ETag` of a zoo is its revision. The store compares it with `If-Match` in the statement that
 * writes, since a different keeper may have written after the server compared it.
 */
import { defineEndpoint, integerId } from 'restpoint';
import { pages } from 'restpoint/interceptors';
import type { SignIn } from '../keepers.ts';
import { list } from '../schema.ts';
import type { Store } from '../store/store.ts';
import { StoredZoo, Zoo, ZooChange } from '../zoo.ts';

// The name is taken, or the zoo has pets.
const CONFLICT = { 409: null };

export function zooEndpoint({ zoos }: Store, signIn: SignIn) {
  return defineEndpoint({
    id: integerId,
    schema: Zoo,
    list: {
      summary: 'Zoos, in pages',
      use: pages({ cursor: ({ id }: { readonly id: number }) => id, codec: integerId }),
      output: list(StoredZoo),
      run: ({ page }) => zoos.list(page),
    },
    get: { output: StoredZoo, run: (id) => zoos.find(id) },
    version: ({ revision }) => revision,
    create: { context: signIn, errors: CONFLICT, run: (zoo) => zoos.insert(zoo) },
    update: { context: signIn, errors: CONFLICT, run: (id, zoo, { ifMatch }) => zoos.change(id, zoo, ifMatch) },
    patch: { context: signIn, errors: CONFLICT, input: ZooChange, run: (id, change, { ifMatch }) => zoos.change(id, change, ifMatch) },
    delete: { context: signIn, errors: CONFLICT, run: (id, { ifMatch }) => zoos.remove(id, ifMatch) },
  });
}
