/**
 * Stores that are wrong when two requests come at once, when a client leaves, when a caller is a stranger, or when a request is rejected. Each is
 * found by the check that is for it, and its right twin passes all checks. A database is turns of the event loop: the tests do not depend on time.
 */
import { assert, suite } from '../support/facts.ts';
import { bearer } from '../../src/auth/index.ts';
import { type Check, checks, type ChecksOptions } from '../../src/checks/index.ts';
import { SchemaValidator } from '../../src/checks/schema-validator.ts';
import { mergePatch } from '../../src/formats/index.ts';
import { ApiError, ApiServer, bytes, integerId, reply } from '../../src/index.ts';
import { idempotent, type IdempotencyStore, memoryIdempotencyStore, pages } from '../../src/interceptors/index.ts';
import { failuresOf, standard } from './pet-server.ts';

/** Waits as for a database. */
async function io(turns = 3): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A schema of objects, which drops properties that it does not name. */
function object(properties: Readonly<Record<string, object>>, required = Object.keys(properties)): any {
  const schema = { type: 'object', required, properties };
  const validator = new SchemaValidator({});
  return standard(schema, (value) => {
    const issue = validator.findIssue(value, schema);
    if (issue !== undefined) return { issues: [{ message: issue }] };
    return { value: Object.fromEntries(Object.entries(value as object).filter(([name]) => Object.hasOwn(properties, name))) };
  });
}

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };
const PET = object({ name: TEXT, legs: INTEGER });
const OK = object({ ok: { type: 'boolean' } });
const PETS = standard({ type: 'array', items: { type: 'object', properties: { name: TEXT, legs: INTEGER } } });

/** A table. `read` waits, and returns a copy. */
class Table<Row extends object> {
  readonly rows = new Map<number, Row>();
  #lastId = 0;

  insert(row: Row): number {
    this.#lastId += 1;
    this.rows.set(this.#lastId, row);
    return this.#lastId;
  }

  async read(id: number): Promise<Row | undefined> {
    const row = this.rows.get(id);
    await io();
    return row && { ...row };
  }
}

/** Runs functions one after the other. */
function makeLock(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let tail: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const next = tail.then(work);
    tail = next.catch(() => {});
    return next;
  };
}

interface Pet { readonly name: string; readonly legs: number; readonly owner?: string }
interface Versioned extends Pet { readonly revision: number }
interface Order { paid: number; refunded: number }

type Service = readonly [endpoint: object, options?: ChecksOptions];

let made = 0;
const rex = (): Pet => ({ name: `Rex ${made += 1}`, legs: 4 });
const SAMPLES = { petCreate: { body: rex } };

/** The operations of a store that is right. */
function makeCrud(pets: Table<any>, output: unknown = PET): Record<string, unknown> {
  return { id: integerId, schema: PET, create: async (pet: Pet) => (await io(), pets.insert(pet)), get: { output, run: (id: number) => pets.read(id) } };
}

/** Pets with versions. `update` gets the store, the version that the client knows, and the new pet. */
function makeVersioned(update: (pets: Table<Versioned>, id: number, pet: Pet, isCurrent: () => boolean) => Promise<unknown>): Service {
  const pets = new Table<Versioned>();
  const isCurrent = (id: number, ifMatch: unknown) => () => !Array.isArray(ifMatch) || ifMatch.includes(String(pets.rows.get(id)?.revision));
  return [{
    ...makeCrud(pets, object({ name: TEXT, legs: INTEGER, revision: INTEGER })), create: async (pet: Pet) => (await io(), pets.insert({ ...pet, revision: 1 })),
    version: ({ revision }: Versioned) => revision, requireIfMatch: true,
    update: async (id: number, pet: Pet, { ifMatch }: any) => {
      if (pets.rows.has(id)) return update(pets, id, pet, isCurrent(id, ifMatch));
      return false;
    },
  }, { samples: SAMPLES }];
}

function write(pets: Table<Versioned>, id: number, pet: Pet): void {
  pets.rows.set(id, { ...pet, revision: (pets.rows.get(id)?.revision ?? 0) + 1 });
}

function expectCurrent(isCurrent: () => boolean): void {
  if (!isCurrent()) throw ApiError.status(412);
}

/** Orders that can be refunded by `refund`. */
function makeOrders(refund: (orders: Map<number, Order>) => object, headers = {}): Service {
  const orders = new Map<number, Order>();
  const get = async (id: number) => {
    const order = orders.get(id);
    await io();
    return order && { ...order };
  };
  return [{
    id: integerId, schema: object({ paid: INTEGER }), create: ({ paid }: Order) => orders.set(orders.size + 1, { paid, refunded: 0 }).size,
    get: { output: object({ paid: INTEGER, refunded: INTEGER }), run: get },
    itemCustom: { refund: { input: object({ amount: INTEGER }), output: OK, ...refund(orders) } },
  }, { samples: { petCreate: { body: { paid: 100 } }, petItemRefund: { body: { amount: 5 }, headers } } }];
}

const addRefund = (orders: Map<number, Order>, id: number, amount: number): object => {
  const order = orders.get(id);
  if (order !== undefined) order.refunded += amount;
  return { ok: true };
};

/** A create behind a store of keys. */
function makeKeyed(once: (kept: Map<string, any>) => IdempotencyStore<any>['once']): Service {
  const pets = new Table<Pet>();
  return [{ ...makeCrud(pets), create: { use: idempotent({ once: once(new Map()) }), run: async (pet: Pet) => (await io(), pets.insert(pet)) } }, { samples: SAMPLES }];
}
const rightOnce = (): IdempotencyStore<any>['once'] => {
  const right = memoryIdempotencyStore();
  return (claim, run) => right.once(claim, run);
};

const AT = 'two at once with one If-Match -> one success';
const KEY = 'two at once with one Idempotency-Key -> one effect';
const LEFT = 'again with its Idempotency-Key, after the client has left -> one effect';
const ORDER = 'two at once -> as one after the other';
const AGAIN = 'the same again -> success, or a rejection that changes nothing';

const services: (readonly [what: string, check: string, message: RegExp, make: (isWrong: boolean) => Service])[] = [
  ['an update that reads, waits and writes', `PUT /v1/pet/:id: ${AT}`, /PUT \/v1\/pet\/\d+ with if-match: "1" and \{.*\} returned 204\. Expected: 1 of two to succeed, as one after the other, not 204 and 204/, (isWrong) => {
    return makeVersioned(async (pets, id, pet, isCurrent) => {
      await pets.read(id);
      if (!isWrong) expectCurrent(isCurrent);
      write(pets, id, pet);
    });
  }],
  ['an update that compares, waits and writes', `PUT /v1/pet/:id: ${AT}`, /not 204 and 204/, (isWrong) => {
    return makeVersioned(async (pets, id, pet, isCurrent) => {
      await io(5);
      expectCurrent(isCurrent);
      if (isWrong) await io(2);
      write(pets, id, pet);
    });
  }],
  ['an update that compares between two waits', `PUT /v1/pet/:id: ${AT}`, /not 204 and 204/, (isWrong) => {
    return makeVersioned(async (pets, id, pet, isCurrent) => {
      await io(Math.ceil(Math.random() * 4));
      expectCurrent(isCurrent);
      if (isWrong) await io(6);
      write(pets, id, pet);
      await io(Math.ceil(Math.random() * 4));
    });
  }],
  ['updates in a queue that compare nothing', `PUT /v1/pet/:id: ${AT}`, /not 204 and 204/, (isWrong) => {
    const lock = makeLock();
    return makeVersioned((pets, id, pet, isCurrent) => lock(async () => {
      await io();
      if (!isWrong) expectCurrent(isCurrent);
      write(pets, id, pet);
    }));
  }],
  ['a name that is looked for, and then inserted', `POST /v1/pet: ${ORDER}`, /Expected: 1 of two to succeed, as one after the other, not 201 and 201/, (isWrong) => {
    const pets = new Table<Pet>();
    const lock = isWrong ? async <Result>(work: () => Promise<Result>) => work() : makeLock();
    return [{ ...makeCrud(pets), list: { output: PETS, run: () => [...pets.rows.values()] }, create: (pet: Pet) => lock(async () => {
      const isTaken = [...pets.rows.values()].some(({ name }) => name === pet.name);
      await io();
      if (isTaken) throw ApiError.status(409, 'Taken.');
      return pets.insert(pet);
    }) }, { samples: SAMPLES }];
  }],
  ['the last one in stock, which is sold twice', `POST /v1/pet/:id/sell: ${ORDER}`, /Expected: 1 of two to succeed, as one after the other, not 200 and 200/, (isWrong) => {
    const stock = new Table<{ left: number }>();
    return [{
      id: integerId, schema: object({ left: INTEGER }), create: ({ left }: { left: number }) => stock.insert({ left }), get: (id: number) => stock.read(id),
      itemCustom: { sell: { output: OK, run: async (id: number) => {
        const row = await stock.read(id);
        const left = isWrong ? row?.left : stock.rows.get(id)?.left;
        if (left !== 1) throw ApiError.status(409, 'Sold.');
        stock.rows.set(id, { left: 0 });
        return { ok: true };
      } } },
    }, { samples: { petCreate: { body: { left: 1 } }, petItemSell: {} } }];
  }],
  ['a unique constraint that is a 500', `POST /v1/pet: ${AGAIN}`, /returned 500 .*Expected: success, or a rejection with a status of 4xx/, (isWrong) => {
    const pets = new Table<Pet>();
    return [{ ...makeCrud(pets), create: async (pet: Pet) => {
      await io();
      if (![...pets.rows.values()].some(({ name }) => name === pet.name)) return pets.insert(pet);
      throw isWrong ? new Error('23505') : ApiError.status(409, 'Taken.');
    } }, { samples: SAMPLES }];
  }],
  ['a unique constraint that is a 500 only at once', `POST /v1/pet: ${ORDER}`, /returned 500 .*Expected: no failure of the server, for requests at once/, (isWrong) => {
    const pets = new Table<Pet>();
    const isTaken = ({ name }: Pet): boolean => [...pets.rows.values()].some((each) => each.name === name);
    return [{ ...makeCrud(pets), create: async (pet: Pet) => {
      if (isTaken(pet)) throw ApiError.status(409, 'Taken.');
      await io();
      if (isTaken(pet)) throw isWrong ? new Error('23505') : ApiError.status(409, 'Taken.');
      return pets.insert(pet);
    } }, { samples: SAMPLES }];
  }],
  ['an id that is the largest one and 1', `POST /v1/pet: ${ORDER}`, /Expected: an item of its own, not \/v1\/pet\/\d+ again/, (isWrong) => {
    const pets = new Table<Pet>();
    return [{ ...makeCrud(pets), create: async (pet: Pet) => {
      const id = Math.max(0, ...pets.rows.keys()) + 1;
      await io();
      if (!isWrong) return pets.insert(pet);
      pets.rows.set(id, pet);
      return id;
    } }, { samples: SAMPLES }];
  }],
  ['a counter of ids that is read and written', `POST /v1/pet: ${ORDER}`, /Expected: an item of its own/, (isWrong) => {
    const pets = new Table<Pet>();
    let lastId = 0;
    return [{ ...makeCrud(pets), create: async (pet: Pet) => {
      const id = lastId + 1;
      if (!isWrong) lastId = id;
      await io();
      lastId = Math.max(lastId, id);
      pets.rows.set(id, pet);
      return id;
    } }, { samples: SAMPLES }];
  }],
  ['a key that is stored before the work', `POST /v1/pet: ${KEY}`, /Expected: the header Location/, (isWrong) => makeKeyed((kept) => (!isWrong ? rightOnce() : async (claim, work) => {
    const { key = '', fingerprint = '' } = claim ?? {};
    await io(1);
    if (kept.has(key)) return kept.get(key);
    kept.set(key, { fingerprint, response: { status: 201, headers: [], body: '' } });
    kept.set(key, { fingerprint, response: await work({}) });
    return 'done';
  }))],
  ['a key that is stored after the work', `POST /v1/pet: ${KEY}`, /Expected: the response that the other request with its key gets: \d+/, (isWrong) => makeKeyed((kept) => (!isWrong ? rightOnce() : async (claim, work) => {
    const { key = '', fingerprint = '' } = claim ?? {};
    await io(1);
    if (kept.has(key)) return kept.get(key);
    const response = await work({});
    await io(1);
    kept.set(key, { fingerprint, response });
    return 'done';
  }))],
  ['a patch that reads, merges and writes', 'PATCH /v1/pet/:id: two at once with different properties -> GET /v1/pet/:id has both', /Expected: name of GET \/v1\/pet\/:id: "a", as by two requests one after the other, not no change/, (isWrong) => {
    const pets = new Table<Pet>();
    return [{ ...makeCrud(pets), patch: { input: object({ name: TEXT, legs: INTEGER }, []), run: async (id: number, change: Partial<Pet>) => {
      const old = await pets.read(id);
      if (old === undefined) return false;
      return void pets.rows.set(id, { ...(isWrong ? old : pets.rows.get(id) ?? old), ...change });
    } } }, { samples: { ...SAMPLES, petPatch: { body: { legs: 3 } } } }];
  }],
  ['a patch that merges an object in an item', 'PATCH /v1/pet/:id: two at once with different properties -> GET /v1/pet/:id has both', /Expected: city of home of GET \/v1\/pet\/:id: "a", as by two/, (isWrong) => {
    const HOME = object({ home: { type: 'object', properties: { city: TEXT, zip: TEXT } } });
    const pets = new Table<{ home: object }>();
    return [{
      id: integerId, schema: HOME, create: (pet: { home: object }) => pets.insert(pet), get: (id: number) => pets.read(id),
      patch: { input: HOME, run: async (id: number, { home }: { home: object }) => {
        const old = await pets.read(id);
        if (old === undefined) return false;
        return void pets.rows.set(id, { home: { ...(isWrong ? old : pets.rows.get(id))?.home, ...home } });
      } },
    }, { samples: { petCreate: { body: { home: { city: 'Rome', zip: '1' } } }, petPatch: { body: { home: { city: 'Bonn' } } } } }];
  }],
  ['a refund that its own code does once for a key', `POST /v1/pet/:id/refund: ${KEY}`, /Expected: refunded of GET \/v1\/pet\/:id: a change by 5, as by two requests one after the other, not a change by 10/, (isWrong) => {
    const done = new Set<string>();
    return makeOrders((orders) => ({ headers: object({ 'idempotency-key': TEXT }), run: async (id: number, { amount }: any, { headers: { 'idempotency-key': key } }: any) => {
      const isDone = done.has(key);
      if (!isWrong) done.add(key);
      await io();
      done.add(key);
      return isDone ? { ok: true } : addRefund(orders, id, amount);
    } }), { 'Idempotency-Key': 'the-same' });
  }],
  ['a store of keys for each process', `POST /v1/pet/:id/refund: ${KEY}`, /Expected: one response without Idempotent-Replayed, not 2/, (isWrong) => {
    const stores = [memoryIdempotencyStore(), memoryIdempotencyStore()] as const;
    let at = 0;
    const use = idempotent({ once: (claim, run) => stores[isWrong ? (at += 1) % 2 as 0 | 1 : 0].once(claim, run) }, { required: true });
    return makeOrders((orders) => ({ use, run: async (id: number, { amount }: any) => (await io(), addRefund(orders, id, amount)) }));
  }],
  ['a refund that no GET shows, and that is made twice', `POST /v1/pet/:id/refund: ${KEY}`, /Expected: one response without Idempotent-Replayed, not 2/, (isWrong) => {
    const stores = [memoryIdempotencyStore(), memoryIdempotencyStore()] as const;
    let at = 0;
    const use = idempotent({ once: (claim, run) => stores[isWrong ? (at += 1) % 2 as 0 | 1 : 0].once(claim, run) }, { required: true });
    return makeOrders(() => ({ use, run: async () => (await io(), { ok: true }) }));
  }],
  ['work that goes on after its client has left, and gives its key back', `POST /v1/pet/:id/refund: ${LEFT}`, /Expected: refunded of GET \/v1\/pet\/:id: a change by 5, as by two requests one after the other, not a change by 10/, (isWrong) => {
    const use = idempotent(memoryIdempotencyStore(), { required: true });
    return makeOrders((orders) => ({ use, run: async (id: number, { amount }: any, { signal }: any) => {
      const work = io(6).then(() => (isWrong || !signal.aborted ? addRefund(orders, id, amount) : undefined));
      const leaving = new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      leaving.catch(() => {});
      const result = await (isWrong ? Promise.race([work, leaving]) : work);
      signal.throwIfAborted();
      return result;
    } }));
  }],
  ['a stock that is read, and written with more', `POST /v1/pet/:id/restock: ${ORDER}`, /Expected: left of GET \/v1\/pet\/:id: a change by 10, as by two requests one after the other, not a change by 5/, (isWrong) => {
    const stock = new Table<{ left: number }>();
    return [{
      id: integerId, schema: object({ left: INTEGER }), create: ({ left }: { left: number }) => stock.insert({ left }), get: (id: number) => stock.read(id),
      itemCustom: { restock: { output: OK, run: async (id: number) => {
        const row = await stock.read(id);
        if (row === undefined) throw ApiError.notFound();
        stock.rows.set(id, { left: (isWrong ? row : stock.rows.get(id) ?? row).left + 5 });
        return { ok: true };
      } } },
    }, { samples: { petCreate: { body: { left: 1 } }, petItemRestock: {} } }];
  }],
  ['an order that is shipped twice', `POST /v1/pet/:id/refund: ${ORDER}`, /Expected: 1 of two to succeed/, (isWrong) => {
    const shipped = new Set<number>();
    return makeOrders(() => ({ run: async (id: number) => {
      const wasShipped = shipped.has(id);
      if (!isWrong) shipped.add(id);
      await io();
      if (wasShipped) throw ApiError.status(409, 'Shipped.');
      shipped.add(id);
      return { ok: true };
    } }));
  }],
  ['a delete that looks, and then deletes', `DELETE /v1/pet/:id: ${ORDER}`, /Expected: 1 of two to succeed, as one after the other, not 204 and 204/, (isWrong) => {
    const pets = new Table<Pet>();
    return [{ ...makeCrud(pets), delete: async (id: number) => {
      const isThere = pets.rows.has(id);
      await io();
      return pets.rows.delete(id) || (isWrong && isThere);
    } }, { samples: SAMPLES }];
  }],
  ['an update that brings a deleted item back, and is rejected', 'DELETE /v1/pet/:id: at once with PUT /v1/pet/:id -> as one after the other', /Expected: the status of GET \/v1\/pet\/:id: 404, as by two requests one after the other, not no change/, (isWrong) => {
    const pets = new Table<Pet>();
    return [{ ...makeCrud(pets), delete: async (id: number) => (await io(1), pets.rows.delete(id)), update: async (id: number, pet: Pet) => {
      if (await pets.read(id) === undefined) return false;
      await io();
      const isThere = pets.rows.has(id);
      if (isWrong || isThere) pets.rows.set(id, pet);
      return isThere && undefined;
    } }, { samples: SAMPLES }];
  }],
  ['a rejection that is committed', `POST /v1/pet/:id/refund: ${AGAIN}`, /Expected: nothing changes, but GET \/v1\/pet\/\d+ has a different response than before: .*"refunded":1\}, then 200 .*"refunded":2\}/, (isWrong) => makeOrders((orders) => ({
    run: async (id: number, { amount }: any) => {
      const order = orders.get(id);
      if (order === undefined) throw ApiError.notFound();
      if (isWrong) order.refunded += 1;
      await io();
      if (order.paid < 100) throw ApiError.status(409, 'Too little.');
      if (!isWrong) order.refunded += 1;
      order.paid -= amount;
      return { ok: true };
    },
  }))],
  ['a cache that all callers share', 'GET /v1/pet/:id by a caller to whom its item does not belong -> a rejection, and changes nothing', /Expected: 403 or 404 for an item of a different caller/, (isWrong) => {
    const pets = new Table<Pet>();
    const cache = new Map<number, Pet>();
    const context = bearer((token) => (['ann', 'bob'].includes(token) ? { user: token } : undefined));
    return [{
      ...makeCrud(pets), context, create: async (pet: Pet, { context: { user: owner } }: any) => (await io(), pets.insert({ ...pet, owner })),
      get: { output: PET, run: async (id: number, { context: { user } }: any) => {
        if (isWrong && cache.has(id)) return cache.get(id);
        const pet = await pets.read(id);
        if (pet?.owner !== user) return undefined;
        cache.set(id, pet!);
        return pet;
      } },
    }, { headers: { authorization: 'Bearer ann' }, strangers: { petGet: { Authorization: 'Bearer bob' } }, samples: SAMPLES }];
  }],
  ['a cache that an update does not clear', 'PUT /v1/pet/:id: one with a different body changes GET /v1/pet/:id', /Expected: a different GET \/v1\/pet\/:id than before/, (isWrong) => {
    const pets = new Table<Pet>();
    const cache = new Map<number, Pet | undefined>();
    return [{
      ...makeCrud(pets), get: async (id: number) => cache.get(id) ?? cache.set(id, await pets.read(id)).get(id),
      update: async (id: number, pet: Pet) => {
        if (!pets.rows.has(id)) return false;
        if (!isWrong) cache.delete(id);
        return void pets.rows.set(id, pet);
      },
    }, { samples: SAMPLES }];
  }],
  ['a pool of ten, and a get that waits for one more connection', 'PUT /v1/pet/:id: many at once -> each gets a response, and a later one too', /got no complete response after 300 ms/, (isWrong) => {
    const pets = new Table<Pet>();
    let free = isWrong ? 10 : 100;
    const waiting: (() => void)[] = [];
    const take = async (): Promise<unknown> => (free > 0 ? (free -= 1) : new Promise<void>((resolve) => waiting.push(resolve)));
    const give = (): void => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    };
    const connect = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      await take();
      return io().then(work).finally(give);
    };
    const crud = makeCrud(pets);
    return [{
      ...crud, get: { output: PET, run: (id: number) => connect(() => pets.read(id)) },
      update: { use: { around: async (_: unknown, next: (adds: object) => Promise<unknown>) => connect(() => next({})) }, run: (id: number, pet: Pet) => {
        if (!pets.rows.has(id)) return false;
        return void pets.rows.set(id, pet);
      } },
    }, { samples: SAMPLES, timeoutMs: isWrong ? 300 : 10_000 }];
  }],
];

/** The checks of an endpoint at `/pet`, or of endpoints by their paths. */
function makeChecks([endpoint, options]: Service): Check[] {
  const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  server.registerEndpoints((Object.keys(endpoint)[0]?.startsWith('/') === true ? endpoint : { '/pet': endpoint }) as never);
  return checks(server, options);
}

const MANY = 'many at once -> each gets a response, and a later one too';
const STRANGER = 'by a caller to whom its item does not belong -> a rejection, and changes nothing';
services.push(
  ['an update that compares nothing, of a map behind an async get', `PUT /v1/pet/:id: ${AT}`, /not 204 and 204/, (isWrong) => {
    const pets = new Map<number, Versioned>();
    return [{
      id: integerId, schema: PET, create: (pet: Pet) => pets.set(pets.size + 1, { ...pet, revision: 1 }).size, version: ({ revision }: Versioned) => revision,
      get: { output: object({ name: TEXT, legs: INTEGER, revision: INTEGER }), run: async (id: number) => pets.get(id) },
      update: async (id: number, pet: Pet, { ifMatch }: any) => {
        const { revision = 0 } = pets.get(id) ?? {};
        if (!isWrong && Array.isArray(ifMatch) && !ifMatch.includes(String(revision))) throw ApiError.status(412);
        pets.set(id, { ...pet, revision: revision + 1 });
      },
    }, { samples: SAMPLES }];
  }],
  ['a tag that is a hash of the item', `PUT /v1/pet/:id: ${AT}`, /not 204 and 204/, (isWrong) => {
    const pets = new Table<Pet>();
    const hash = ({ name, legs }: Pet): string => `${name}-${legs}`;
    return [{ ...makeCrud(pets), version: hash, update: async (id: number, pet: Pet, { ifMatch }: any) => {
      const old = await pets.read(id);
      if (old === undefined) return false;
      const current = isWrong ? old : pets.rows.get(id) ?? old;
      if (Array.isArray(ifMatch) && !ifMatch.includes(hash(current))) throw ApiError.status(412);
      return void pets.rows.set(id, pet);
    } }, { samples: { petCreate: { body: { name: 'Rex', legs: 4 } } } }];
  }],
  ['an amount that is a string of digits', `POST /v1/pet/:id/refund: ${ORDER}`, /Expected: balance of GET \/v1\/pet\/:id: a change by 0\.2, as by two requests one after the other, not a change by 0\.1/, (isWrong) => {
    const accounts = new Table<{ balance: string }>();
    return [{
      id: integerId, schema: object({ balance: TEXT }), create: ({ balance }: { balance: string }) => accounts.insert({ balance }), get: (id: number) => accounts.read(id),
      itemCustom: { refund: { output: OK, run: async (id: number) => {
        const old = await accounts.read(id);
        if (old === undefined) throw ApiError.notFound();
        accounts.rows.set(id, { balance: (Number((isWrong ? old : accounts.rows.get(id) ?? old).balance) + 0.1).toFixed(2) });
        return { ok: true };
      } } },
    }, { samples: { petCreate: { body: { balance: '0.10' } }, petItemRefund: {} } }];
  }],
  ['a pool that rejects all who wait for each other', `PUT /v1/pet/:id: ${MANY}`, /returned 503 .*Expected: a success of 12 requests at once, as of one alone/, (isWrong) => {
    const pets = new Table<Pet>();
    let running = 0;
    return [{ ...makeCrud(pets), update: async (id: number, pet: Pet) => {
      running += 1;
      await io();
      const isFull = isWrong && running > 10;
      await io();
      running -= 1;
      if (isFull) throw ApiError.status(503);
      if (!pets.rows.has(id)) return false;
      return void pets.rows.set(id, pet);
    } }, { samples: SAMPLES }];
  }],
  ['a pool that is empty after a crowd', `PUT /v1/pet/:id: ${MANY}`, /returned 503 .*Expected: 204, as before 12 requests at once/, (isWrong) => {
    const pets = new Table<Pet>();
    let running = 0;
    let isBroken = false;
    return [{ ...makeCrud(pets), update: async (id: number, pet: Pet) => {
      if (isBroken) throw ApiError.status(503);
      running += 1;
      await io();
      isBroken ||= isWrong && running > 10;
      running -= 1;
      if (!pets.rows.has(id)) return false;
      return void pets.rows.set(id, pet);
    } }, { samples: SAMPLES }];
  }],
  ['a GET that finds nothing in a crowd', `GET /v1/pet/:id: ${MANY}`, /returned 404 .*Expected: a success of each of 12 requests at once, as of one alone/, (isWrong) => {
    const pets = new Table<Pet>();
    let running = 0;
    return [{ ...makeCrud(pets), get: async (id: number) => {
      running += 1;
      const pet = await pets.read(id);
      const isLost = isWrong && running > 10;
      await io();
      running -= 1;
      return isLost ? undefined : pet;
    } }, { samples: SAMPLES }];
  }],
  ['a caller whom nobody knows', `DELETE /v1/pet/:id ${STRANGER}`, /returned 401 .*Expected: 403 or 404 for an item of a different caller/, (isWrong) => {
    const pets = new Table<Pet>();
    const context = bearer((token) => (['ann', 'bob'].includes(token) ? { user: token } : undefined));
    const remove = (id: number, { context: { user } }: any): boolean => user === 'ann' && pets.rows.delete(id);
    return [{ ...makeCrud(pets), context, delete: remove }, { headers: { authorization: 'Bearer ann' }, strangers: { petDelete: { authorization: `Bearer ${isWrong ? 'eve' : 'bob'}` } }, samples: SAMPLES }];
  }],
);

const ANN_AND_BOB = bearer((token) => (['ann', 'bob'].includes(token) ? { user: token } : undefined));
const ANN = { authorization: 'Bearer ann' };
const BOB = { authorization: 'Bearer bob' };
const byAnn = (strangers: readonly string[], samples: ChecksOptions['samples'] = SAMPLES): ChecksOptions => {
  return { headers: ANN, strangers: Object.fromEntries(strangers.map((name) => [name, BOB])), samples };
};
const OWNED = object({ name: TEXT, legs: INTEGER, owner: TEXT }, ['name', 'legs']);
const LISTED = { type: 'array', items: { type: 'object', properties: { name: TEXT, legs: INTEGER, owner: TEXT } } };
/** Pets that only their owner may see. */
function makeOwned(declare: (listOf: (user: string) => Pet[], pets: Table<Pet>) => object, options: ChecksOptions): Service {
  const pets = new Table<Pet>();
  const find = (id: number, user: string): Pet | undefined => (pets.rows.get(id)?.owner === user ? pets.rows.get(id) : undefined);
  return [{
    id: integerId, context: ANN_AND_BOB, create: { input: PET, run: (pet: Pet, { context: { user: owner } }: any) => pets.insert({ ...pet, owner }) },
    get: { output: OWNED, run: (id: number, { context: { user } }: any) => find(id, user) },
    delete: (id: number, { context: { user } }: any) => find(id, user) !== undefined && pets.rows.delete(id),
    ...declare((user) => [...pets.rows.values()].filter(({ owner }) => owner === user), pets),
  }, options];
}
const HIDDEN = 'by a caller to whom an item does not belong -> does not show it';
const UNCHANGED = 'by a caller to whom an item does not belong -> does not change it';
const IN_ZOO = standard({ type: 'object', properties: { zoo: { type: 'string' } }, required: ['zoo'] }, (value) => (
  Object(value).zoo === 'a' ? { value } : { issues: [{ message: 'zoo is missing' }] }
));
const UNLISTED = 'DELETE /v1/pet/:id: GET /v1/pet does not show the item after it';
const UNNAMED = 'PATCH /v1/pet/:id: GET /v1/pet/:id has the same as before in what a merge patch does not name';
const ofAll = (isWrong: boolean, pets: Table<Pet>, own: Pet[]): Pet[] => (isWrong ? [...pets.rows.values()] : own);
const userOf = ({ context: { user } }: any): string => user;

/** Something in stock, which is locked for a turn of the event loop while its sale begins. */
function makeHalfLocked(isWrong: boolean): Service {
  const stock = new Map<number, { left: number; isLocked: boolean; calls: number; readonly second: Promise<void>; readonly onSecond: () => void }>();
  const longer = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 20));
  let sequences = 0;
  return [{
    id: integerId, schema: object({ left: INTEGER }), get: (id: number) => stock.has(id) && { left: stock.get(id)!.left },
    create: ({ left }: { left: number }) => {
      let onSecond = (): void => {};
      const second = new Promise<void>((resolve) => { onSecond = resolve; });
      return stock.set(stock.size + 1, { left, isLocked: false, calls: 0, second, onSecond }).size;
    },
    itemCustom: { sell: { output: OK, run: async (id: number) => {
      const item = stock.get(id);
      if (item === undefined) throw ApiError.notFound();
      item.calls += 1;
      if (item.calls === 2) item.onSecond();
      if (item.left === 0) {
        sequences += 1;
        await longer();
        throw ApiError.status(409, 'Sold.');
      }
      if (item.isLocked) throw ApiError.status(409, 'It is being sold.');
      item.isLocked = true;
      await io(1);
      item.isLocked = false;
      // After both orders were measured, the first one waits for the second.
      await (isWrong && sequences >= 2 ? item.second : longer());
      if (!isWrong && item.left === 0) throw ApiError.status(409, 'Sold.');
      item.left = 0;
      return { ok: true };
    } } },
  }, { samples: { petCreate: { body: { left: 1 } }, petItemSell: {} } }];
}

/** A delete whose update still knows the id while it waits: the second time that it comes first, it waits for an update. */
function makeSlowDelete(isWrong: boolean): Service {
  const [pets, known, updated] = [new Table<Pet>(), new Set<number>(), new Set<number>()];
  let onUpdate = (): void => {};
  let early = 0;
  return [{
    ...makeCrud(pets),
    create: (pet: Pet) => {
      const id = pets.insert(pet);
      known.add(id);
      return id;
    },
    update: (id: number, pet: Pet) => {
      updated.add(id);
      onUpdate();
      return (isWrong ? known : pets.rows).has(id) && void pets.rows.set(id, pet);
    },
    delete: async (id: number) => {
      const isDeleted = pets.rows.delete(id);
      if (isWrong && !updated.has(id)) early += 1;
      if (isWrong && !updated.has(id) && early === 2) await new Promise<void>((resolve) => { onUpdate = resolve; });
      known.delete(id);
      return isDeleted;
    },
  }, { samples: SAMPLES }];
}

/** A cart of each caller, or one for all. */
function makeCart(isOne: (method: string) => boolean, strangers: readonly string[], declared: object = {}): Service {
  const carts = new Map<string, object>();
  const [EMPTY, CART] = [{ things: 0 }, object({ things: INTEGER })];
  const whose = (method: string, request: any): string => (isOne(method) ? 'ann' : userOf(request));
  return [{ '/cart': {
    context: ANN_AND_BOB, get: { output: CART, run: (request: any) => carts.get(whose('GET', request)) ?? EMPTY },
    update: { input: CART, run: (cart: object, request: any) => void carts.set(whose('PUT', request), cart) },
    delete: (request: any) => void carts.delete(whose('DELETE', request)),
    custom: { total: { method: 'GET', output: CART, run: (request: any) => carts.get(whose('GET', request)) ?? EMPTY } }, ...declared,
  } }, byAnn(strangers, { cartUpdate: { body: { things: 0 } } })];
}

/** Pets that can be patched by `change`. */
function makePatched(sample: object, change: (old: any, apply: (old: any) => Promise<any>) => Promise<object>): Service {
  const pets = new Table<any>();
  const schema = object({ name: TEXT, legs: INTEGER, home: { type: 'object', properties: { city: TEXT, zip: TEXT } }, tags: { type: 'array', items: TEXT } }, ['name']);
  const output = object({ name: TEXT, legs: INTEGER, home: {}, tags: {}, changes: INTEGER }, ['name']);
  return [{
    id: integerId, schema, create: (pet: object) => pets.insert({ ...pet, changes: 0 }), get: { output, run: (id: number) => pets.rows.get(id) },
    patch: { input: mergePatch(schema), run: async (id: number, apply: (old: any) => Promise<any>) => {
      const old = pets.rows.get(id);
      if (old === undefined) return false;
      return void pets.rows.set(id, { ...await change(old, apply), changes: old.changes + 1 });
    } },
  }, { samples: { petCreate: { body: sample }, petPatch: { body: { legs: 3 } } } }];
}

services.push(
  ['a lock that is given back too early', `POST /v1/pet/:id/sell: ${ORDER}`, /1 of two to succeed, .* not 200 and 200 .*, with (?!0 ms)/, makeHalfLocked],
  ['a delete that waits for an update', 'DELETE /v1/pet/:id: at once with PUT /v1/pet/:id -> as one after the other',
    /GET \/v1\/pet\/:id: 404, .* not no change/, makeSlowDelete],
  ['a GET that rejects some of a crowd', `GET /v1/pet/:id: ${MANY}`, /returned 409 .*Expected: a success of each of 12 requests at once, as of one alone/, (isWrong) => {
    const pets = new Table<Pet>();
    let running = 0;
    return [{ ...makeCrud(pets), get: async (id: number) => {
      if (running === 4) throw ApiError.status(isWrong ? 409 : 503);
      running += 1;
      return pets.read(id).finally(() => { running -= 1; });
    } }, { samples: SAMPLES }];
  }],
  ['a list of the items of all', `GET /v1/pet ${HIDDEN}`, /Expected: nothing that a different caller has written, not \{"name":"Rex \d+","legs":4,"owner":"ann"\}/, (isWrong) => {
    return makeOwned((listOf, pets) => ({ list: { output: standard(LISTED), run: (request: any) => ofAll(isWrong, pets, listOf(userOf(request))) } }), byAnn(['petGet', 'petList', 'petCreate']));
  }],
  ['a list of equal items without ids', `GET /v1/pet ${HIDDEN}`, /nothing that a different caller has written/, (isWrong) => {
    return makeOwned((listOf, pets) => ({ list: { output: standard({ type: 'array', items: TEXT }), run: (request: any) => ofAll(isWrong, pets, listOf(userOf(request))).map(({ name }) => name) } }),
      byAnn(['petList'], { petCreate: { body: { name: 'Rex', legs: 4 } } }));
  }],
  ['pages in an envelope', `GET /v1/pet ${HIDDEN}`, /nothing that a different caller has written/, (isWrong) => {
    const use = pages({ cursor: ({ legs }: Pet) => legs, codec: integerId, max: 2, envelope: true });
    let legs = 0;
    return makeOwned((listOf, pets) => ({ list: { use, output: standard(LISTED), run: ({ page: { after = 0, take }, ...request }: any) => {
      return ofAll(isWrong, pets, listOf(userOf(request))).filter((pet) => pet.legs > after).slice(0, take);
    } } }), byAnn(['petList'], { petCreate: { body: () => ({ name: 'Rex', legs: (legs += 1) }) } }));
  }],
  ['a named GET of lines', `GET /v1/pet/mine ${HIDDEN}`, /nothing that a different caller has written, not "Rex \d+"/, (isWrong) => {
    const text = bytes({ types: ['text/plain'] });
    return makeOwned((listOf, pets) => ({ custom: { mine: { method: 'GET', output: { 200: text }, run: (request: any) => {
      return reply(200, ofAll(isWrong, pets, listOf(userOf(request))).map(({ name }) => name).join('\n'), { 'Content-Type': 'text/plain' });
    } } } }), byAnn(['petMine']));
  }],
  ['a list that rejects nobody, of a cache that all callers share', `GET /v1/pet ${HIDDEN}`, /nothing that a different caller has written/, (isWrong) => {
    const cache = new Map<string, Pet[]>();
    return makeOwned((listOf, pets) => ({
      create: { input: PET, run: (pet: Pet, request: any) => (cache.clear(), pets.insert({ ...pet, owner: userOf(request) })) },
      list: { output: standard(LISTED), run: (request: any) => {
        const key = isWrong ? '' : userOf(request);
        return cache.get(key) ?? cache.set(key, listOf(userOf(request))).get(key);
      } },
      delete: (id: number, request: any) => {
        cache.clear();
        return pets.rows.get(id)?.owner === userOf(request) && pets.rows.delete(id);
      },
    }), byAnn(['petList']));
  }],
  ['a named GET of an item, which is not empty', `GET /v1/pet/:id/legs ${STRANGER}`, /Expected: 403 or 404 for an item of a different caller/, (isWrong) => {
    return makeOwned((_, pets) => ({ itemCustom: { legs: { method: 'GET', output: standard({ type: 'array', items: INTEGER }), run: (id: number, request: any) => {
      const pet = pets.rows.get(id);
      if (pet === undefined) throw ApiError.notFound();
      return isWrong || pet.owner === userOf(request) ? [pet.legs] : [];
    } } } }), byAnn(['petItemLegs']));
  }],
  ['a list of what is deleted, which needs a query', UNLISTED, /Expected: a list without the item that is deleted: \{"name":"Rex \d+","legs":4\}/, (isWrong) => {
    const pets = new Table<Pet>();
    const deleted = new Set<number>();
    const isThere = (id: number): boolean => pets.rows.has(id) && !deleted.has(id);
    return [{
      ...makeCrud(pets), list: { query: IN_ZOO, output: PETS, run: () => [...pets.rows].filter(([id]) => isWrong || isThere(id)).map(([, pet]) => pet) },
      get: { output: PET, run: (id: number) => (isThere(id) ? pets.rows.get(id) : undefined) }, delete: (id: number) => isThere(id) && void deleted.add(id),
    }, { samples: { ...SAMPLES, petList: { query: { zoo: 'a' } } } }];
  }],
  ['a cart of everybody', `GET /v1/cart ${HIDDEN}`, /nothing that a different caller has written, not \{"things":1\}/, (isWrong) => {
    return makeCart(() => isWrong, ['cartGet', 'cartUpdate', 'cartDelete', 'cartTotal']);
  }],
  ['a total of the cart of everybody', `GET /v1/cart/total ${HIDDEN}`,
    /nothing that a different caller has written/, (isWrong) => makeCart(() => isWrong, ['cartTotal'])],
  ['a cart that anybody fills', `PUT /v1/cart ${UNCHANGED}`, /Expected: nothing changes, but GET \/v1\/cart has a different response/, (isWrong) => {
    return makeCart((method) => isWrong && method === 'PUT', ['cartUpdate']);
  }],
  ['a cart that anybody empties', `DELETE /v1/cart ${UNCHANGED}`, /Expected: nothing changes, but GET \/v1\/cart has a different response/, (isWrong) => {
    return makeCart((method) => isWrong && method === 'DELETE', ['cartDelete']);
  }],
  ['a cart that is not emptied', 'DELETE /v1/cart: GET /v1/cart returns 404 after it, or what is there by default', /Expected: 404 after DELETE \/v1\/cart/, (isWrong) => {
    return makeCart(() => false, [], isWrong ? { delete: () => {} } : {});
  }],
  ['pets that anybody adds to the zoo of a different caller', `POST /v1/zoo/:zoo/pet ${UNCHANGED}`, /Expected: nothing changes, but GET \/v1\/zoo\/\d+\/pet has a different response/, (isWrong) => {
    const owners = new Table<{ owner: string }>();
    const pets: { zoo: number; owner: string; name: string }[] = [];
    return [{
      '/zoo': { id: integerId, context: ANN_AND_BOB, create: { input: object({}), run: (_: unknown, request: any) => owners.insert({ owner: userOf(request) }) } },
      '/zoo/:zoo/pet': {
        id: integerId, params: { zoo: integerId }, context: ANN_AND_BOB,
        create: { input: object({ name: TEXT }), run: ({ name }: Pet, request: any) => pets.push({ zoo: request.params.zoo, owner: userOf(request), name }) },
        list: { output: standard({ type: 'array', items: TEXT }), run: (request: any) => {
          return pets.filter(({ zoo, owner }) => zoo === request.params.zoo && (isWrong || owner === userOf(request))).map(({ name }) => name);
        } },
      },
    }, byAnn(['zooPetCreate', ...(isWrong ? [] : ['zooPetList'])], { zooCreate: { body: {} }, zooPetCreate: { body: rex } })];
  }],
  ['a merge patch that resets a value', UNNAMED, /Expected: legs of GET \/v1\/pet\/:id to stay 4, since a merge patch does not change what it does not name \(RFC 7396\), not 0/, (isWrong) => {
    return makePatched({ name: 'Rex', legs: 4 }, async (old, apply) => ({ ...await apply(old), ...(isWrong && { legs: 0 }) }));
  }],
  ['a merge patch that sets the default of what it does not name', UNNAMED, /legs of GET \/v1\/pet\/:id to stay \d+, .* not 0/, (isWrong) => {
    return makePatched({ name: 'Rex', legs: 0 }, async (old, apply) => {
      const { legs: _, ...others } = old;
      return isWrong ? { legs: 0, ...await apply(others) } : apply(old);
    });
  }],
  ['a merge patch that replaces an object in an item', UNNAMED, /home\.(?:city|zip) of GET \/v1\/pet\/:id to stay ".*", .* not undefined/, (isWrong) => {
    return makePatched({ name: 'Rex', home: { city: 'Rome', zip: '1' }, tags: ['a'] }, async (old, apply) => {
      const { home } = await apply({ name: 'Rex' });
      return { ...await apply(old), ...(isWrong && home !== undefined && { home }) };
    });
  }],
);

const faults = suite('Y3 Y4 Y5 Y6 Y7 Y8 Y9 Y10: a store that is wrong');
for (const [what, name, message, make] of services) {
  faults(`by ${what} is found by "${name}"`, async () => {
    const all = makeChecks(make(true));
    const check = all.find((each) => each.name === name);
    assert.ok(check, all.map((each) => each.name).join('\n'));
    assert.match((await failuresOf([check])).get(name) ?? 'no failure', message);
  });
}

const twins = suite('a store that is right');
for (const [what, , , make] of services) {
  twins(`in place of one with ${what} passes all checks`, async () => assert.equal([...await failuresOf(makeChecks(make(false)))], []));
}

/** An update that loses changes. */
const losing = (): Service => makeVersioned(async (pets, id, pet) => {
  await pets.read(id);
  write(pets, id, pet);
});
const repeating = suite('the distance of two requests at once');
repeating('is named by the failure', async () => {
  const failed = await failuresOf(makeChecks(losing()).filter(({ name }) => name.endsWith(AT)));
  assert.match([...failed.values()].join(), /not 204 and 204 .*, with 0 ms between two requests$/);
});
repeating('is not tried with concurrency: 0, and a crowd neither with 1', () => {
  const names = (concurrency: number): string[] => makeChecks([losing()[0], { samples: SAMPLES, concurrency }]).map(({ name }) => name).filter((name) => name.includes('at once'));
  assert.equal(names(0), []);
  assert.ok(names(1).some((name) => name.endsWith(AT)) && !names(1).some((name) => name.endsWith(MANY)), names(1).join('\n'));
  assert.ok(names(2).some((name) => name.endsWith(MANY)));
});
