/** Calls through `openapi-fetch`, with the types that `openapi-typescript` makes. The tool copies this file beside those types. */
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

type Schemas = components['schemas'];
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

const path = { zoo: 'berlin' };
const born = '2026-01-02T03:04:05.000Z';

export async function calls(baseUrl: string): Promise<Record<string, unknown>> {
  const api = createClient<paths>({ baseUrl, headers: { authorization: 'Bearer secret' } });
  return { ...await successes(api), ...await problems(api), ...await bytes(api), ...await otherLibraries(api), ...await seats(api) };
}

type Api = ReturnType<typeof createClient<paths>>;

async function successes(api: Api): Promise<Record<string, unknown>> {
  // `legs` and `lives` have defaults, so a client may leave them out. A date is a string.
  const body = { name: 'Rex', born, kind: { is: 'cat' } } satisfies Schemas['ZooPetInput'];
  const created = await api.POST('/v1/zoo/{zoo}/pet', { params: { path }, body, parseAs: 'text' });
  same<typeof created.data, string | undefined>(true);

  const listed = await api.GET('/v1/zoo/{zoo}/pet', { params: { path, query: { limit: 1, tag: ['a', 'b'] } } });
  same<typeof listed.data, Schemas['ZooPet'][] | undefined>(true);
  const [first] = listed.data ?? [];
  if (first !== undefined) same<[typeof first.born, typeof first.legs], [string, number]>(true);

  const patched = await api.PATCH('/v1/zoo/{zoo}/pet/{id}', { params: { path: { ...path, id: 1 } }, body: { name: 'Asp' } });
  same<typeof patched.data, Schemas['ZooPet'] | undefined>(true);
  const accepted = await api.PATCH('/v1/zoo/{zoo}/pet/{id}', { params: { path: { ...path, id: 1 } }, body: {} });
  const deleted = await api.DELETE('/v1/zoo/{zoo}/pet/{id}', { params: { path: { ...path, id: 1 } } });
  same<typeof deleted.data, undefined>(true);
  return {
    created: [created.response.status, created.data, created.response.headers.get('location')],
    listed: [listed.response.status, listed.data?.map(({ name, legs, kind, born }) => [name, legs, kind.is, born])],
    patched: [patched.response.status, patched.data?.name],
    accepted: [accepted.response.status],
    deleted: [deleted.response.status],
  };
}

async function problems(api: Api): Promise<Record<string, unknown>> {
  const params = { path: { ...path, id: 1 } };
  const invalid = await api.POST('/v1/zoo/{zoo}/pet', { params: { path }, body: { name: '', born, kind: { is: 'cat', lives: 0.5 } } });
  same<typeof invalid.error, Schemas['Problem'] | undefined>(true);
  const unauthorized = await api.GET('/v1/zoo/{zoo}/pet', { params: { path }, headers: { authorization: null } });
  const hungry = await api.POST('/v1/zoo/{zoo}/pet/{id}/feed', { params, body: { is: 'cat', lives: 3 } });
  const { error } = hungry;
  return {
    invalid: [invalid.response.status, invalid.error?.errors?.map(({ pointer }) => pointer)],
    unauthorized: [unauthorized.response.status, unauthorized.response.headers.get('www-authenticate'), unauthorized.error?.title],
    unpaid: [hungry.response.status, error !== undefined && 'balance' in error && error.balance],
  };
}

async function bytes(api: Api): Promise<Record<string, unknown>> {
  const { data, response } = await api.POST('/v1/zoo/{zoo}/pet/{id}/picture', {
    params: { path: { ...path, id: 1 } },
    headers: { 'content-type': 'image/png' },
    body: new Blob(['pixels']),
    bodySerializer: (body) => body as Blob,
    parseAs: 'blob',
  });
  same<typeof data, Blob | undefined>(true);
  return { picture: [response.status, response.headers.get('content-type'), await data?.text()] };
}

/** Responses whose schemas are those of Valibot and of ArkType. */
async function otherLibraries(api: Api): Promise<Record<string, unknown>> {
  const id = '123e4567-e89b-12d3-a456-426614174000';
  const headers = { authorization: `Basic ${btoa('ann:secret')}` };
  const keeper = await api.GET('/v1/zoo/{zoo}/keeper/{id}', { params: { path: { ...path, id } }, headers });
  same<typeof keeper.data, Schemas['ZooKeeper'] | undefined>(true);
  const ticket = await api.GET('/v1/ticket/{id}', { params: { path: { id: '1' } } });
  same<typeof ticket.data, Schemas['Ticket'] | undefined>(true);
  return {
    keeper: [keeper.response.status, keeper.data?.since, keeper.data?.boss?.name],
    ticket: [ticket.response.status, ticket.data?.price, ticket.data?.valid],
  };
}

/** Several errors of a status, an intersection with a union, keys, versions, pages, a named read, a file and events. */
async function seats(api: Api): Promise<Record<string, unknown>> {
  const bought = await Promise.all([1, 2, 3].map(async (row) => {
    const { data, error, response } = await api.POST('/v1/seat/buy', { params: { header: { 'Idempotency-Key': `buy-${row}` } }, body: { row, number: 4 } });
    if (data !== undefined) return [response.status, data.row, data.code === 'gone' ? data.at : data.since];
    if (response.status !== 409 || error === undefined || !('code' in error)) return [response.status];
    if (error.code === 'taken') return [error.status, error.code, error.seat];
    return error.code === 'closed' ? [error.status, error.code, error.opens] : [error.code];
  }));
  const edited = await api.PUT('/v1/seat/{id}', { params: { path: { id: 'A1' }, header: { 'If-Match': '"7"' } }, body: { row: 1, number: 1 } });
  const { error } = edited;
  const first = await api.GET('/v1/seat', { params: { query: { limit: 2 } } });
  const second = await api.GET('/v1/seat', { params: { query: { limit: 2, after: 2 } } });
  const near = await api.GET('/v1/seat/near', { params: { query: { row: 2 } } });
  const view = await api.POST('/v1/seat/view', {
    body: { caption: 'A1', photo: '' },
    bodySerializer: ({ caption }) => {
      const form = new FormData();
      form.set('caption', caption);
      form.set('photo', new File(['pixels'], 'a1.png', { type: 'image/png' }));
      return form;
    },
  });
  const sales = await api.GET('/v1/seat/sales', { parseAs: 'text' });
  return {
    bought,
    edited: [edited.response.status, error !== undefined && 'code' in error && (error.code === 'broken' ? error.since : error.at)],
    pages: [first.data?.items.length, first.data?.next, second.data?.items.map(({ number }) => number), second.data?.next],
    near: near.data?.row,
    view: [view.data?.caption, view.data?.bytes],
    sales: [sales.response.status, String(sales.data).split('\n').find((line) => line.startsWith('event'))],
  };
}

/** Compiled, and never called. */
export async function rejected(api: Api): Promise<void> {
  // @ts-expect-error the body is missing
  await api.POST('/v1/zoo/{zoo}/pet', { params: { path } });
  // @ts-expect-error `name` is missing
  await api.POST('/v1/zoo/{zoo}/pet', { params: { path }, body: { born, kind: { is: 'dog' } } });
  // @ts-expect-error no kind is a cow
  await api.POST('/v1/zoo/{zoo}/pet', { params: { path }, body: { name: 'Rex', born, kind: { is: 'cow' } } });
  // @ts-expect-error a client sends no `Date`
  await api.POST('/v1/zoo/{zoo}/pet', { params: { path }, body: { name: 'Rex', born: new Date(), kind: { is: 'dog' } } });
  // @ts-expect-error `limit` is a number
  await api.GET('/v1/zoo/{zoo}/pet', { params: { path, query: { limit: 'many' } } });
  // @ts-expect-error there is no parameter `size`
  await api.GET('/v1/zoo/{zoo}/pet', { params: { path, query: { size: 1 } } });
  // @ts-expect-error `id` is missing
  await api.GET('/v1/zoo/{zoo}/pet/{id}', { params: { path } });
  // @ts-expect-error a change of a seat needs `If-Match`
  await api.PUT('/v1/seat/{id}', { params: { path: { id: 'A1' } }, body: { row: 1, number: 1 } });
  const { error } = await api.POST('/v1/seat/buy', { body: { row: 1, number: 1 } });
  // @ts-expect-error only a seat that is taken has the property
  if (error !== undefined && 'code' in error && error.code === 'closed') error.seat;
  // @ts-expect-error a ticket cannot be changed
  await api.PUT('/v1/ticket/{id}', { params: { path: { id: '1' } } });
}
