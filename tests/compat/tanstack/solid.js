/** The queries of `checkAdapter` in Solid, without a page. */
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/solid-query';
import { createRoot } from 'solid-js';

export function begin(pet, cache) {
  return createRoot((end) => {
    const [one, list] = [useQuery(() => pet.get(1), () => cache), useInfiniteQuery(() => pet.pages(), () => cache)];
    const [edit, remove] = [useMutation(() => pet.edit({ optimistic: true }), () => cache), useMutation(() => pet.delete({ optimistic: true }), () => cache)];
    return { one: () => one, list: () => list, edit: () => edit, remove: () => remove, end };
  });
}
