/** Zoos. Two endpoints share their path: anyone may read, and keepers may change. */
import { defineEndpoint, integerId } from 'restpoint';
import type { SignIn } from '../keepers.ts';
import type { Store } from '../store/store.ts';
import { decodeZoo, decodeZooChange } from '../zoo.ts';
import { decodePage, replyPage } from './page.ts';

export function zoosForAnyone({ zoos }: Store) {
  return defineEndpoint({
    id: integerId,
    list: { query: decodePage, run: ({ query }) => replyPage(query, (page) => zoos.list(page)) },
    get: (id) => zoos.find(id),
  });
}

export function zoosForKeepers({ zoos }: Store, signIn: SignIn) {
  return defineEndpoint({
    id: integerId,
    context: signIn,
    schema: decodeZoo,
    create: (zoo) => zoos.insert(zoo),
    update: (id, zoo) => zoos.change(id, zoo),
    patch: { input: decodeZooChange, run: (id, change) => zoos.change(id, change) },
    delete: (id) => zoos.remove(id),
  });
}
