/** The queries of `checkAdapter` in Svelte, without a page. */
import { createInfiniteQuery, createMutation, createQuery } from '@tanstack/svelte-query';

export function begin(pet, cache) {
  let queries;
  const end = $effect.root(() => {
    const [one, list] = [createQuery(() => pet.get(1), () => cache), createInfiniteQuery(() => pet.pages(), () => cache)];
    const [edit, remove] = [createMutation(() => pet.edit({ optimistic: true }), () => cache), createMutation(() => pet.delete({ optimistic: true }), () => cache)];
    queries = { one: () => one, list: () => list, edit: () => edit, remove: () => remove, end: () => end() };
  });
  return queries;
}
