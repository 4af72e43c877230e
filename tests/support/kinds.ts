/** An endpoint of items and a singleton that have every kind of operation, and a row for each operation. */
import type { KindsWith, NamedKinds } from '../../src/declaration/kinds.ts';
import { integerId, stringId, type ApiServer, type ContextRequest } from '../../src/index.ts';

const input = (json: unknown): unknown => ({ decoded: json });

/** Declares operations that note their arguments, except the request, and return a value for each of them. */
export class Recorder {
  readonly calls: unknown[][] = [];

  readonly items = {
    id: integerId,
    schema: input,
    create: (item: unknown) => this.#note(7, 'create', item),
    list: () => this.#note(['all'], 'list'),
    get: (id: number) => this.#note({ id }, 'get', id),
    update: (id: number, item: unknown) => this.#note(1, 'update', id, item),
    patch: { input, run: (id: number, change: unknown) => this.#note(1, 'patch', id, change) },
    delete: (id: number) => this.#note(1, 'delete', id),
    custom: {
      search: { input, run: (text: unknown) => this.#note(['found'], 'search', text) },
      count: { run: () => this.#note(2, 'count') },
      nearest: { method: 'GET', run: () => this.#note(['next'], 'nearest') },
    },
    itemCustom: {
      feed: { input, run: (id: number, food: unknown) => this.#note('fed', 'feed', id, food) },
      wake: { run: (id: number) => this.#note('awake', 'wake', id) },
      visits: { method: 'GET', run: (id: number) => this.#note(3, 'visits', id) },
    },
  };

  readonly single = {
    schema: input,
    create: (item: unknown) => this.#note('ignored', 'create', item),
    get: () => this.#note({ theme: 'dark' }, 'get'),
    update: (item: unknown) => this.#note(1, 'update', item),
    patch: { input, run: (change: unknown) => this.#note(1, 'patch', change) },
    delete: () => this.#note(1, 'delete'),
    custom: { reset: { run: () => this.#note('done', 'reset') }, themes: { method: 'GET', run: () => this.#note(['dark'], 'themes') } },
  };

  readonly register = (server: ApiServer): void => this.#registerBelow(server, '', {});

  /** Below a parameter, with a context that notes its request. */
  readonly registerInZoo = (server: ApiServer): void => this.#registerBelow(server, '/zoo/:zoo', {
    params: { zoo: stringId },
    context: ({ itemId, params, query }: ContextRequest) => this.#note(true, 'context', itemId, params, String(query)),
  });

  #registerBelow(server: ApiServer, path: string, properties: object): void {
    // The types are the compile-only tests' matter.
    server.registerEndpoint(`${path}/pet`, { ...this.items, ...properties } as never);
    server.registerEndpoint(`${path}/settings`, { ...this.single, ...properties } as never);
  }

  #note<Result>(result: Result, ...got: unknown[]): Result {
    this.calls.push(got);
    return result;
  }
}

/** The type of a body, which also a request without one says. */
export const JSON_HEADERS: readonly string[] = ['Content-Type: application/json'];

const item = { decoded: { legs: 4 } };
export const BODY = '{"legs":4}';

/** The functions of an endpoint's client. The compile-only tests check its types. */
export type Calls = {
  readonly [Kind in KindsWith<unknown>]: Kind extends NamedKinds ? Readonly<Record<string, NamedCallOfClient>> : CallOfClient;
};
type NamedCallOfClient = CallOfClient & { readonly get: CallOfClient };
type CallOfClient = (...args: unknown[]) => Promise<unknown>;

const TEXT = 'text/plain; charset=utf-8';
const JSON_TYPE = 'application/json';
const legs = { legs: 4 };

/** A row for each kind, on items and on a singleton: its request, its reply, the operation's arguments, a client's call and its result. */
export const ROWS = [
  ['POST', '/pet', BODY, 201, TEXT, '7', ['create', item], (pets) => pets.create(legs), 7],
  ['GET', '/pet', '', 200, JSON_TYPE, '["all"]', ['list'], (pets) => pets.list(), ['all']],
  ['GET', '/pet/5', '', 200, JSON_TYPE, '{"id":5}', ['get', 5], (pets) => pets.get(5), { id: 5 }],
  ['PUT', '/pet/5', BODY, 204, undefined, '', ['update', 5, item], (pets) => pets.update(5, legs), undefined],
  ['PATCH', '/pet/5', BODY, 204, undefined, '', ['patch', 5, item], (pets) => pets.patch(5, legs), undefined],
  ['DELETE', '/pet/5', '', 204, undefined, '', ['delete', 5], (pets) => pets.delete(5), undefined],
  ['POST', '/pet/search', BODY, 200, JSON_TYPE, '["found"]', ['search', item], (pets) => pets.custom['search']?.(legs), ['found']],
  ['POST', '/pet/count', '', 200, JSON_TYPE, '2', ['count'], (pets) => pets.custom['count']?.(), 2],
  ['POST', '/pet/5/feed', BODY, 200, JSON_TYPE, '"fed"', ['feed', 5, item], (pets) => pets.itemCustom['feed']?.(5, legs), 'fed'],
  ['POST', '/pet/5/wake', '', 200, JSON_TYPE, '"awake"', ['wake', 5], (pets) => pets.itemCustom['wake']?.(5), 'awake'],
  ['GET', '/pet/nearest', '', 200, JSON_TYPE, '["next"]', ['nearest'], (pets) => pets.custom['nearest']?.get(), ['next']],
  ['GET', '/pet/5/visits', '', 200, JSON_TYPE, '3', ['visits', 5], (pets) => pets.itemCustom['visits']?.get(5), 3],
  ['POST', '/settings', BODY, 201, undefined, '', ['create', item], (settings) => settings.create(legs), undefined],
  ['GET', '/settings', '', 200, JSON_TYPE, '{"theme":"dark"}', ['get'], (settings) => settings.get(), { theme: 'dark' }],
  ['PUT', '/settings', BODY, 204, undefined, '', ['update', item], (settings) => settings.update(legs), undefined],
  ['PATCH', '/settings', BODY, 204, undefined, '', ['patch', item], (settings) => settings.patch(legs), undefined],
  ['DELETE', '/settings', '', 204, undefined, '', ['delete'], (settings) => settings.delete(), undefined],
  ['POST', '/settings/reset', '', 200, JSON_TYPE, '"done"', ['reset'], (settings) => settings.custom['reset']?.(), 'done'],
  ['GET', '/settings/themes', '', 200, JSON_TYPE, '["dark"]', ['themes'], (settings) => settings.custom['themes']?.get(), ['dark']],
] as const satisfies readonly (readonly [string, string, string, number, string | undefined, string, readonly unknown[], (api: Calls) => unknown, unknown])[];
