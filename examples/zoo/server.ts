/** The paths of the zoo, and the endpoint or handler of each. */
import { ApiError, ApiServer, type ApiServerOptions } from 'restpoint';
import { openApiHandler } from 'restpoint/openapi';
import { DOCUMENT } from './document.ts';
import { animals } from './endpoints/animals.ts';
import { eventsForAnyone } from './endpoints/events.ts';
import { meForKeepers } from './endpoints/me.ts';
import { petsAsCsv } from './endpoints/pets-csv.ts';
import { petsForAnyone, petsForKeepers } from './endpoints/pets.ts';
import { photoForAnyone, photoForKeepers } from './endpoints/photo.ts';
import { zoosForAnyone, zoosForKeepers } from './endpoints/zoos.ts';
import { EventLog } from './event-log.ts';
import { health } from './health.ts';
import { signInWith, type SignIn } from './keepers.ts';
import { ConflictError, UnavailableError, type Store } from './store/store.ts';

/** Makes the server. Whoever has the token is a keeper. Throws `TypeError` if it cannot be one. */
export function zooServer(store: Store, token: string, options: ApiServerOptions = {}): ApiServer {
  const server = new ApiServer('/v1', { errorFrom, ...options });
  const events = new EventLog();
  const signIn = signInWith(token);

  registerForAnyone(server, store, events);
  registerForKeepers(server, store, events, signIn);

  server.registerHandler('/health', health);
  server.registerHandler('/openapi.json', openApiHandler(server, DOCUMENT));
  return server;
}

/** The whole API, as clients know it. A path that is in both has the operations of both. */
export type Api = ReturnType<typeof registerForAnyone> & ReturnType<typeof registerForKeepers>;

function registerForAnyone(server: ApiServer, store: Store, events: EventLog) {
  return server.registerEndpoints({
    '/animal': animals,
    '/zoo': zoosForAnyone(store),
    '/zoo/:zoo/pet': petsForAnyone(store),
    '/zoo/:zoo/pet.csv': petsAsCsv(store),
    '/zoo/:zoo/pet/:pet/photo': photoForAnyone(store),
    '/event': eventsForAnyone(events, () => server.stopping),
  });
}

function registerForKeepers(server: ApiServer, store: Store, events: EventLog, signIn: SignIn) {
  return server.registerEndpoints({
    '/zoo': zoosForKeepers(store, signIn),
    '/zoo/:zoo/pet': petsForKeepers(store, events, signIn),
    '/zoo/:zoo/pet/:pet/photo': photoForKeepers(store, signIn),
    '/keeper/me': meForKeepers(signIn),
  });
}

/**
 * A conflict is a 409, and a store that is not available a 503. That something is not in the store is a 404 already: the server knows such
 * errors by their name.
 */
function errorFrom(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ConflictError) return ApiError.status(409, thrown.message, { cause: thrown });
  if (thrown instanceof UnavailableError) {
    return ApiError.status(503, thrown.message, { headers: { 'Retry-After': '1' }, cause: thrown.cause });
  }
  return undefined;
}
