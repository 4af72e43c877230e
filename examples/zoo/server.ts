/** The paths of the zoo, and the endpoint or handler of each. */
import { ApiError, ApiServer, type ApiServerOptions, defineEndpoint } from 'restpoint';
import { openApiHandler } from 'restpoint/openapi';
import { DOCUMENT } from './document.ts';
import { animals } from './endpoints/animals.ts';
import { eventEndpoint } from './endpoints/events.ts';
import { petCsvEndpoint } from './endpoints/pets-csv.ts';
import { petEndpoint } from './endpoints/pets.ts';
import { photoEndpoint } from './endpoints/photo.ts';
import { zooEndpoint } from './endpoints/zoos.ts';
import { EventLog } from './event-log.ts';
import { health } from './health.ts';
import { Keeper, type SignIn, signInWith } from './keepers.ts';
import { ChangedError, ConflictError, UnavailableError, type Store } from './store/store.ts';

/** Makes the server. Whoever has the token is a keeper. Throws `TypeError` if it cannot be one. */
export function zooServer(store: Store, token: string, options: ApiServerOptions = {}): ApiServer {
  const server = new ApiServer('/v1', { mapError, ...options });
  registerZoo(server, store, signInWith(token));
  server.mount('/health', health);
  server.mount('/openapi.json', openApiHandler(server, DOCUMENT));
  return server;
}

/** The whole API, as clients know it. */
export type Api = ReturnType<typeof registerZoo>;

function registerZoo(server: ApiServer, store: Store, signIn: SignIn) {
  const events = new EventLog();
  return server.registerEndpoints({
    '/animal': animals,
    '/zoo': zooEndpoint(store, signIn),
    '/zoo/:zoo/pet': petEndpoint(store, events, signIn),
    '/zoo/:zoo/pet.csv': petCsvEndpoint(store),
    '/zoo/:zoo/pet/:pet/photo': photoEndpoint(store, signIn),
    '/event': eventEndpoint(events),
    '/keeper/me': defineEndpoint({ context: signIn, get: { output: Keeper, run: ({ context }) => context } }),
  });
}

/**
 * A conflict is a 409, an item that has changed since the server compared its version a 412, and a store that is not available a 503. That
 * something is not in the store is a 404 already: the server knows such errors by their name.
 */
function mapError(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ConflictError) return ApiError.status(409, thrown.message, { cause: thrown });
  if (thrown instanceof ChangedError) return ApiError.status(412, thrown.message, { cause: thrown });
  if (thrown instanceof UnavailableError) {
    return ApiError.status(503, thrown.message, { headers: { 'Retry-After': '1' }, cause: thrown.cause });
  }
  return undefined;
}
