/** The options of `restpoint/queries` in each adapter of TanStack Query and in SWR: data and errors have their types, and none is `any`. Only compiled. */
import { QueryClient, useInfiniteQuery, useMutation, useQuery, useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import * as solid from '@tanstack/solid-query';
import * as svelte from '@tanstack/svelte-query';
import * as vue from '@tanstack/vue-query';
import { client, integerId, type ResultOf } from 'restpoint/client';
import { queries } from 'restpoint/queries';
import useSWR from 'swr';
import useSWRInfinite from 'swr/infinite';
import type { Api } from './pets.ts';

type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** Compiles if the value has exactly this type. */
const is = <Expected>() => <Given>(given: Given, ..._same: Is<Given, Expected> extends true ? [] : [mismatch: Expected]) => given;

const api = client<Api>('/v1', { ids: { '/pet': integerId } });
const pet = queries(api)('/pet');
type Pet = ResultOf<Api, '/pet', 'get'>;
const cache = new QueryClient();

export function inReact() {
  is<Pet | undefined>()(useQuery(pet.get(1)).data);
  is<string | undefined>()(useQuery({ ...pet.get(1), select: ({ name }) => name, staleTime: 1000 }).data);
  is<Pet>()(useSuspenseQuery(pet.get(1)).data);
  is<readonly Pet[] | undefined>()(useInfiniteQuery(pet.pages()).data?.pages[0]?.items);
  is<Pet | undefined>()(useSuspenseInfiniteQuery(pet.pages({ query: { limit: 5 } })).data.pages[0]?.items[0]);
  const { error } = useQuery(pet.get(1));
  is<string | undefined>()(error?.message);
  if (error?.status === 404) is<404>()(error.status);

  const create = useMutation(pet.create());
  is<number | undefined>()(create.data);
  create.mutate([{ name: 'Rex', likes: 'rain' }]);
  const remove = useMutation({ ...pet.delete({ optimistic: true }), onSuccess: () => {} });
  remove.mutate([7]);
  if (remove.error?.status === 409) is<number>()(remove.error.problem.meals);
  if (remove.error && remove.error.status === undefined) is<string>()(remove.error.message);
  useMutation(pet.edit({ optimistic: true })).mutate([7, (item) => ({ ...item, meals: is<number>()(item.meals) + 1 })]);
  useMutation(pet.update({ optimistic: (item, id, body) => ({ ...item, name: is<string>()(body.name), id: is<number>()(id) }) }));

  // @ts-expect-error: an id is a number.
  pet.get('7');
  // @ts-expect-error: an id is a number.
  remove.mutate(['7']);
  // @ts-expect-error: the variables are a list.
  remove.mutate(7);
  // @ts-expect-error: a name is a string.
  create.mutate([{ name: 1, likes: 'rain' }]);
  // @ts-expect-error: the endpoint has no patch.
  pet.patch;
  // @ts-expect-error: an event stream is not a query.
  queries(api).one('/change').get();
  // @ts-expect-error: a 409 of delete has no such property.
  if (remove.error?.status === 409) remove.error.problem.wings;
  // @ts-expect-error: data is not any.
  useQuery(pet.get(1)).data?.wings;
  // @ts-expect-error: errors are not any.
  if (error) error.wings;
  // @ts-expect-error: a query of pages is not any.
  pet.pages({ query: { limit: {} } });
}

export function withoutComponent() {
  is<Promise<Pet>>()(cache.ensureQueryData(pet.get(1)));
  is<Promise<Pet>>()(cache.fetchQuery(pet.get(1)));
  is<Promise<void>>()(cache.prefetchQuery(pet.get(1)));
  is<Promise<void>>()(cache.prefetchInfiniteQuery(pet.pages()));
  is<Promise<void>>()(pet.follow(cache, (options) => api.one('/change').get(options), ({ data }) => ({ id: is<number>()(data.id), item: null })));
  // @ts-expect-error: an event says which id.
  void pet.follow(cache, (options) => api.one('/change').get(options), ({ data }) => ({ id: String(data.id) }));
}

export function inVue() {
  is<Pet | undefined>()(vue.useQuery(pet.get(1)).data.value);
  is<Pet | undefined>()(vue.useInfiniteQuery(pet.pages()).data.value?.pages[0]?.items[0]);
  const remove = vue.useMutation(pet.delete({ optimistic: true }));
  remove.mutate([7]);
  if (remove.error.value?.status === 409) is<number>()(remove.error.value.problem.meals);
  void pet.follow(new vue.QueryClient(), (options) => api.one('/change').get(options), ({ data }) => data);
  // @ts-expect-error: an id is a number.
  remove.mutate(['7']);
  // @ts-expect-error: data is not any.
  vue.useQuery(pet.get(1)).data.value?.wings;
}

export function inSolid() {
  is<Pet | undefined>()(solid.useQuery(() => pet.get(1)).data);
  is<Pet | undefined>()(solid.useInfiniteQuery(() => pet.pages()).data?.pages[0]?.items[0]);
  const remove = solid.useMutation(() => pet.delete({ optimistic: true }));
  if (remove.error?.status === 409) is<number>()(remove.error.problem.meals);
  // @ts-expect-error: an id is a number.
  remove.mutate(['7']);
  // @ts-expect-error: data is not any.
  solid.useQuery(() => pet.get(1)).data?.wings;
}

export function inSvelte() {
  is<Pet | undefined>()(svelte.createQuery(() => pet.get(1)).data);
  is<Pet | undefined>()(svelte.createInfiniteQuery(() => pet.pages()).data?.pages[0]?.items[0]);
  const remove = svelte.createMutation(() => pet.delete({ optimistic: true }));
  if (remove.error?.status === 409) is<number>()(remove.error.problem.meals);
  // @ts-expect-error: an id is a number.
  remove.mutate(['7']);
  // @ts-expect-error: data is not any.
  svelte.createQuery(() => pet.get(1)).data?.wings;
}

export function inSwr() {
  const { queryKey, queryFn } = pet.get(1);
  is<Pet | undefined>()(useSWR(queryKey, () => queryFn()).data);
  const pages = pet.pages();
  useSWRInfinite((_, before: Awaited<ReturnType<typeof pages.queryFn>> | null) => [pages.queryKey, before?.next], ([, pageParam]) => pages.queryFn({ pageParam }));
  // @ts-expect-error: data is not any.
  useSWR(queryKey, () => queryFn()).data?.wings;
}
