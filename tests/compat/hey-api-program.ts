/** Calls of the functions that `@hey-api/openapi-ts` makes. The tool copies this file beside the folder that they are in. */
import { client } from './client/client.gen.js';
import * as api from './client/index.js';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

const path = { zoo: 'berlin' };
const born = '2026-01-02T03:04:05.000Z';

export async function calls(baseUrl: string): Promise<Record<string, unknown>> {
  client.setConfig({ baseUrl, auth: 'secret' });
  return { ...await successes(), ...await problems(), ...await bytes(), ...await otherLibraries(), ...await seats() };
}

async function successes(): Promise<Record<string, unknown>> {
  // `legs` and `lives` have defaults, so a client may leave them out. A date is a string.
  const body = { name: 'Rex', born, kind: { is: 'cat' } } satisfies api.ZooPetInput;
  const created = await api.zooPetCreate({ path, body });
  same<typeof created.data, string | undefined>(true);

  const listed = await api.zooPetList({ path, query: { limit: 1, tag: ['a', 'b'] } });
  same<typeof listed.data, api.ZooPet[] | undefined>(true);
  const [first] = listed.data ?? [];
  if (first !== undefined) same<[typeof first.born, typeof first.legs], [string, number]>(true);

  const patched = await api.zooPetPatch({ path: { ...path, id: 1 }, body: { name: 'Asp' } });
  // It has a response 202 without a body, which is `unknown` here.
  same<typeof patched.data, unknown>(true);
  const accepted = await api.zooPetPatch({ path: { ...path, id: 1 }, body: {} });
  const deleted = await api.zooPetDelete({ path: { ...path, id: 1 } });
  return {
    created: [created.response?.status, created.data, created.response?.headers.get('location')],
    listed: [listed.response?.status, listed.data?.map(({ name, legs, kind, born }) => [name, legs, kind.is, born])],
    patched: [patched.response?.status, (patched.data as api.ZooPet).name],
    accepted: [accepted.response?.status],
    deleted: [deleted.response?.status],
  };
}

async function problems(): Promise<Record<string, unknown>> {
  const invalid = await api.zooPetCreate({ path, body: { name: '', born, kind: { is: 'cat', lives: 0.5 } } });
  same<typeof invalid.error, api.Problem | undefined>(true);
  const unauthorized = await api.zooPetList({ path, security: [] });
  const { error, response } = await api.zooPetItemFeed({ path: { ...path, id: 1 }, body: { is: 'cat', lives: 3 } });
  return {
    invalid: [invalid.response?.status, invalid.error?.errors?.map(({ pointer }) => pointer)],
    unauthorized: [unauthorized.response?.status, unauthorized.response?.headers.get('www-authenticate'), unauthorized.error?.title],
    unpaid: [response?.status, error !== undefined && 'balance' in error && error.balance],
  };
}

async function bytes(): Promise<Record<string, unknown>> {
  const { data, response } = await api.zooPetItemPicture({
    path: { ...path, id: 1 },
    headers: { 'Content-Type': 'image/png' },
    body: new Blob(['pixels']),
    bodySerializer: null,
  });
  return { picture: [response?.status, response?.headers.get('content-type'), await (data as Blob).text()] };
}

/** Responses whose schemas are those of Valibot and of ArkType. */
async function otherLibraries(): Promise<Record<string, unknown>> {
  const id = '123e4567-e89b-12d3-a456-426614174000';
  const keeper = await api.keeper({ path: { ...path, id }, auth: 'ann:secret' });
  same<typeof keeper.data, api.ZooKeeper | undefined>(true);
  const ticket = await api.ticketGet({ path: { id: '1' } });
  same<typeof ticket.data, api.Ticket | undefined>(true);
  return {
    keeper: [keeper.response?.status, keeper.data?.since, keeper.data?.boss?.name],
    ticket: [ticket.response?.status, ticket.data?.price, ticket.data?.valid],
  };
}

/** Several errors of a status, an intersection with a union, keys, versions, pages, a named read, a file and events. */
async function seats(): Promise<Record<string, unknown>> {
  const bought = await Promise.all([1, 2, 3].map(async (row) => {
    const { data, error, response } = await api.seatBuy({ headers: { 'Idempotency-Key': `buy-${row}` }, body: { row, number: 4 } });
    if (data !== undefined) return [response?.status, data.row, data.code === 'gone' ? data.at : data.since];
    if (response?.status !== 409 || error === undefined || !('code' in error)) return [response?.status];
    if (error.code === 'taken') return [error.status, error.code, error.seat];
    return error.code === 'closed' ? [error.status, error.code, error.opens] : [error.code];
  }));
  const edited = await api.seatUpdate({ path: { id: 'A1' }, headers: { 'If-Match': '"7"' }, body: { row: 1, number: 1 } });
  const { error } = edited;
  const first = await api.seatList({ query: { limit: 2 } });
  const second = await api.seatList({ query: { limit: 2, after: 2 } });
  const near = await api.seatNear({ query: { row: 2 } });
  const view = await api.seatView({ body: { caption: 'A1', photo: new File(['pixels'], 'a1.png', { type: 'image/png' }) } });
  const events: unknown[] = [];
  const sales = await api.seatSales({ sseMaxRetryAttempts: 1, onSseEvent: ({ event }) => events.push(event) });
  for await (const _ of sales.stream) break;
  return {
    bought,
    edited: [edited.response?.status, error !== undefined && 'code' in error && (error.code === 'broken' ? error.since : error.at)],
    pages: [first.data?.items.length, first.data?.next, second.data?.items.map(({ number }) => number), second.data?.next],
    near: near.data?.row,
    view: [view.data?.caption, view.data?.bytes],
    sales: [200, `event: ${events[0]}`],
  };
}

/** Compiled, and never called. */
export async function rejected(): Promise<void> {
  // @ts-expect-error the body is missing
  await api.zooPetCreate({ path });
  // @ts-expect-error `name` is missing
  await api.zooPetCreate({ path, body: { born, kind: { is: 'dog' } } });
  // @ts-expect-error no kind is a cow
  await api.zooPetCreate({ path, body: { name: 'Rex', born, kind: { is: 'cow' } } });
  // @ts-expect-error a client sends no `Date`
  await api.zooPetCreate({ path, body: { name: 'Rex', born: new Date(), kind: { is: 'dog' } } });
  // @ts-expect-error `limit` is a number
  await api.zooPetList({ path, query: { limit: 'many' } });
  // @ts-expect-error there is no parameter `size`
  await api.zooPetList({ path, query: { size: 1 } });
  // @ts-expect-error `id` is missing
  await api.zooPetGet({ path });
  // @ts-expect-error a change of a seat needs `If-Match`
  await api.seatUpdate({ path: { id: 'A1' }, body: { row: 1, number: 1 } });
  const { error } = await api.seatBuy({ body: { row: 1, number: 1 } });
  // @ts-expect-error only a seat that is taken has the property
  if (error !== undefined && 'code' in error && error.code === 'closed') error.seat;
  // @ts-expect-error a ticket cannot be changed
  await api.ticketUpdate({ path: { id: '1' } });
}
