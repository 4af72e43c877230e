/**
 * A zoo over HTTP. `zoo/server.ts` has its paths.
 *
 *   npm start                                      http://127.0.0.1:8080, zoos in zoo.db, a random token for keepers
 *   npm start -- --all                             prints a command for each feature, instead of three
 *   PORT=0 HOST=::1 ZOO_DB=other.db npm start      any free port, a different address, a different file
 *   ZOO_DB=postgres://zoo@db/zoo npm start         zoos in PostgreSQL, with the package pg: npm install --no-save pg
 *   ZOO_TOKEN=… npm start                          your own token, which is not printed
 *
 * On Ctrl-C and SIGTERM it completes the requests in flight, closes the store and exits with 0.
 */
import { randomBytes } from 'node:crypto';
import { openStore } from './zoo/store/open-store.ts';
import { zooServer } from './zoo/server.ts';
import { firstPet, firstSuggestions, suggestions } from './zoo/suggestions.ts';

const { HOST, PORT, ZOO_DB, ZOO_TOKEN } = process.env;
const { store, kind } = await openStore(ZOO_DB || 'zoo.db').catch((error: Error) => {
  // A name can have several addresses, and all of them fail.
  console.error(`The store cannot be opened: ${error instanceof AggregateError ? error.errors.join(', ') : error.message}`);
  process.exit(1);
});
console.log(`store: ${kind}`);

const token = ZOO_TOKEN || randomBytes(18).toString('base64url');
// Each response and each logged error has the id of its request.
const server = zooServer(store, token, { requestId: true });
const first = await firstPet(store);

const started = await server.start({ host: HOST || '127.0.0.1', port: Number(PORT || 8080) });
if (started.ok) {
  // A terminal sends Ctrl-C to npm and to this process, and npm passes it on, so the signal arrives twice.
  let closing: Promise<void> | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (closing ??= close()));
  console.log(`\nThe zoo is open at ${started.url}`);
  console.log(`token: ${ZOO_TOKEN ? 'the one in ZOO_TOKEN' : token}`);
  const suggest = process.argv.includes('--all') ? suggestions : firstSuggestions;
  console.log(suggest(first, started.url, ZOO_TOKEN ? '$ZOO_TOKEN' : token));
} else {
  console.error(started.error);
  process.exitCode = 1;
  await store.close();
}

async function close(): Promise<void> {
  await server.stop();
  await store.close();
  console.log('The zoo is closed.');
  // A process that exits by itself stops catching signals shortly before, so the second signal would kill it.
  process.exit();
}
