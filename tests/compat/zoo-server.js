/** The example of this repository as a server in this process, with its store in memory. It must be compiled: `npx tsc -p examples`. */
import { zooServer } from '../../build/examples/zoo/server.js';
import { MemoryStore } from '../../build/examples/zoo/store/memory-store.js';

/** That of keepers. */
export const TOKEN = 'a-token-of-the-traffic';
/** A zoo that the store fails to find. */
export const BROKEN_ZOO = 500;
/** The longest JSON that it takes. */
export const BODY_BYTES = 10_000;

/**
 * Starts the zoo with one zoo and one pet, which `npm start` stores too. `prepare` gets the server before it starts, `options` are those of
 * `ApiServer`.
 */
export async function startZoo({ port = 0, prepare = () => {}, options = {} } = {}) {
  const store = new MemoryStore();
  store.pets.insert(store.zoos.insert({ name: 'The zoo', city: 'Utrecht' }), { name: 'Rex', legs: 4, lethal: false });
  const find = store.zoos.find.bind(store.zoos);
  store.zoos.find = (id) => {
    if (id === BROKEN_ZOO) throw new Error('the disk is on fire');
    return find(id);
  };
  const server = zooServer(store, TOKEN, { logger: { info() {}, error() {} }, limits: { bodyBytes: BODY_BYTES }, ...options });
  prepare(server);
  const started = await server.start({ host: '127.0.0.1', port });
  if (!started.ok) throw new Error(started.error);
  return { url: started.url, stop: () => server.stop() };
}
