/**
 * A process that takes payments: each feeds the pet of the store at a place a gram, with the keys of the example.
 *
 *   node build/tests/support/paying-instance.js <place> <number> [apart]
 *
 * After statement <number> of the first payment it prints that statement, and does nothing any more. `apart` is an error: the response is stored in a later
 * transaction than the payment.
 */
import { writeSync } from 'node:fs';
import { StoreKeys } from '../../examples/zoo/keys.ts';
import { openStore } from '../../examples/zoo/store/open-store.ts';
import { loadPg } from '../../examples/zoo/store/postgres/pg.ts';
import type { Store, Transaction } from '../../examples/zoo/store/store.ts';
import { ApiServer, defineEndpoint } from '../../src/index.ts';
import { idempotent } from '../../src/interceptors/index.ts';

type Method = (this: { readonly sourceSQL?: string }, ...args: readonly unknown[]) => unknown;

const [, , database = '', number = '0', mode] = process.argv;
let isPaying = false;
let statements = 0;

/** Called when a statement is done. */
function note(sql: string): void {
  if (!isPaying) return;
  statements += 1;
  if (statements !== Number(number)) return;
  writeSync(1, `paused after ${/\w+(?: \w+)?/.exec(sql)?.[0]}\n`);
  // For ever: this process is killed now.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Notes each call of a method that runs a statement. One with a callback is outside transactions. */
function hook(prototype: Record<string, Method>, names: readonly string[]): void {
  for (const name of names) {
    const method = prototype[name];
    if (method === undefined) throw new Error(`there is no ${name}`);
    prototype[name] = function hooked(...args) {
      const sql = String(this.sourceSQL ?? args[0]);
      const result = method.apply(this, [...args]);
      if (result instanceof Promise) return result.then((value) => (note(sql), value));
      note(sql);
      return result;
    };
  }
}

function hookStatements(): void {
  if (database.startsWith('postgres:')) {
    hook((loadPg() as unknown as { Client: { prototype: Record<string, Method> } }).Client.prototype, ['query']);
    return;
  }
  const { DatabaseSync, StatementSync } = process.getBuiltinModule('node:sqlite') as unknown as Record<string, { prototype: Record<string, Method> }>;
  hook(DatabaseSync?.prototype ?? {}, ['exec']);
  hook(StatementSync?.prototype ?? {}, ['run', 'get', 'all']);
}

/** The store, whose transactions store no responses: another one does, after each of them. */
function separateResponses(store: Store): Store {
  const transaction = async <T>(run: (tx: Transaction) => Promise<T>): Promise<T> => {
    const put: [key: string, response: string][] = [];
    const result = await store.transaction(({ responses, ...tx }) => run({
      ...tx,
      responses: { lock: (key) => responses.lock(key), find: (key) => responses.find(key), put: (...stored) => void put.push(stored) },
    }));
    for (const stored of put) await store.transaction(async ({ responses }) => responses.put(...stored));
    return result;
  };
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = name === 'transaction' ? transaction : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Stores the pet, unless an instance before this one has. */
async function storePet(store: Store): Promise<void> {
  if ((await store.zoos.list({ take: 1 })).length > 0) return;
  const zoo = await store.zoos.insert({ name: 'Artis', city: 'Amsterdam' });
  await store.pets.insert(zoo, { name: 'Rex', legs: 4, lethal: false });
}

hookStatements();
const { store } = await openStore(database);
await storePet(store);
const server = new ApiServer('/v1', { logger: { info: () => {}, error: console.error } });
const keys = new StoreKeys(mode === 'apart' ? separateResponses(store) : store);
server.use((_request, _response, next) => {
  isPaying = true;
  next();
});
server.registerEndpoint('/pet', defineEndpoint({
  custom: { feed: { use: idempotent(keys), run: async ({ tx }) => ({ eaten: (await tx.pets.feed(1, 1, 1)).eaten }) } },
}));
const started = await server.start('127.0.0.1:0');
if (!started.ok) throw new Error(started.error);
console.log(`listening at ${started.url}`);
