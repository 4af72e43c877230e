/** Zoos. Two endpoints at one path: anyone may read, and keepers may change. */
import { defineEndpoint, integerId } from 'restpoint';
import type { SignIn } from '../keepers.ts';
import { list } from '../schema.ts';
import type { Store } from '../store/store.ts';
import { StoredZoo, Zoo, ZooChange } from '../zoo.ts';
import { PageQuery, replyPage } from './page.ts';

// The name is another zoo's, or the zoo has pets.
const CONFLICT = { 409: null };

export function zoosForAnyone({ zoos }: Store) {
  return defineEndpoint({
    id: integerId,
    list: {
      summary: 'Zoos, in pages',
      query: PageQuery,
      output: { 200: list(StoredZoo) },
      run: ({ query }) => replyPage(query, (page) => zoos.list(page)),
    },
    get: { output: StoredZoo, run: (id) => zoos.find(id) },
  });
}

export function zoosForKeepers({ zoos }: Store, signIn: SignIn) {
  return defineEndpoint({
    id: integerId,
    context: signIn,
    schema: Zoo,
    create: { errors: CONFLICT, run: (zoo) => zoos.insert(zoo) },
    update: { errors: CONFLICT, run: (id, zoo) => zoos.change(id, zoo) },
    patch: { errors: CONFLICT, input: ZooChange, run: (id, change) => zoos.change(id, change) },
    delete: { errors: CONFLICT, run: (id) => zoos.remove(id) },
  });
}
