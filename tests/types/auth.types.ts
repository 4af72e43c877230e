/** U6 U8: The types of functions that authenticate. Compiling this file is the test. */
import { apiKey, basic, bearer, cookie, firstOf, secretsEqual, type Authentication, type ProtectedResource, type ScopedAuthentication, type Security } from '../../src/auth/index.ts';
import { ApiServer, defineEndpoint, integerId, stringId, type ContextRequest, type MaybePromise } from '../../src/index.ts';
import { same } from './schemas.ts';

interface User {
  readonly name: string;
}
declare const users: ReadonlyMap<string, User>;

/** Checks the type of the context. */
function context<Context>(_authentication: Authentication<Context>): { is<Expected>(same: Same<Context, Expected>): void } {
  return { is: () => {} };
}
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

context(bearer((token) => users.get(token))).is<User>(true);
context(bearer(async (token) => users.get(token))).is<User>(true);
context(bearer(async (token) => users.get(token) ?? null)).is<User>(true);
context(bearer((token) => users.get(token), {})).is<User>(true);
context(bearer((token) => users.get(token), { optional: false })).is<User>(true);
context(bearer((token) => users.get(token), { optional: true })).is<User | undefined>(true);
context(bearer((token) => users.get(token), { optional: Math.random() > 1 })).is<User | undefined>(true);
context(bearer((token) => token === 'secret')).is<true>(true);
context(basic((user, password) => (secretsEqual(password, 'secret') ? users.get(user) : undefined))).is<User>(true);
context(basic(async (user) => users.get(user), { optional: true })).is<User | undefined>(true);
context(apiKey('X-API-Key', (key) => users.get(key))).is<User>(true);
context(apiKey('X-API-Key', async (key) => users.get(key), { optional: true })).is<User | undefined>(true);

context(cookie('session', (id) => users.get(id))).is<User>(true);
context(cookie('session', async (id) => users.get(id) ?? null, { optional: true })).is<User | undefined>(true);
context(firstOf(cookie('session', (id) => users.get(id)), bearer(() => 7 as const))).is<User | 7>(true);
const scopedCookie = cookie('session', (id) => users.get(id), { getScopes: () => ['a' as const] });
same<typeof scopedCookie, ScopedAuthentication<User, 'a'>>(true);
const resource: ProtectedResource = { authorizationServers: ['https://login.example'] };
context(bearer((token) => users.get(token), { resource: { ...resource, url: 'https://api.example', scopes: ['read'] } })).is<User>(true);
// @ts-expect-error no issuer
bearer(() => 1, { resource: { authorizationServers: [] } });
// @ts-expect-error only tokens have a resource
cookie('session', () => 1, { resource });
// @ts-expect-error a cookie has a name
cookie((value: string) => value);

const scoped = bearer((token) => users.get(token), { getScopes: (user) => [user.name] });
same<typeof scoped, ScopedAuthentication<User>>(true);
same<typeof scoped.optional, ScopedAuthentication<User | undefined>>(true);
context(basic(async (user) => users.get(user), { optional: true, getScopes: (user) => [same<typeof user, User>(true) ?? user.name] })).is<User | undefined>(true);
context(firstOf(bearer((token) => users.get(token)), apiKey('K', () => 7 as const))).is<User | 7>(true);
same<typeof anyScoped, ScopedAuthentication<User>>(true);
const anyScoped = firstOf(scoped, apiKey('K', (key) => users.get(key), { getScopes: () => [] }));
// @ts-expect-error scopes are strings
bearer((token) => users.get(token), { getScopes: (user) => [user] });
// A function of one's own gives nothing where the next one decides.
context(firstOf(bearer((token) => users.get(token)), (request) => (same<typeof request, ContextRequest>(true), users.size > 1 ? 7 as const : undefined))).is<User | 7>(true);
context(firstOf(async (request: ContextRequest) => (request.raw.url === '/' ? null : 7 as const), bearer((token) => users.get(token)).optional)).is<User | 7 | undefined>(true);
context(firstOf((request: ContextRequest) => request.raw.url === '/')).is<true>(true);
// @ts-expect-error it knows no scopes
same<typeof ownScoped, ScopedAuthentication<User | 7>>(true);
const ownScoped = firstOf(scoped, () => 7 as const);
// @ts-expect-error no function
firstOf(scoped, 'bearer');

/** A declaration infers the context from a call of `bearer` that stands in it. */
declare function declare<Context = undefined>(endpoint: {
  readonly context?: ((request: ContextRequest) => MaybePromise<Context>) & { readonly security?: object };
  readonly get: (id: string, context: NoInfer<Context>) => unknown;
}): void;
declare({ context: bearer((token) => users.get(token)), get: (_id, user) => same<typeof user, User>(true) });
declare({ context: bearer(async (token) => users.get(token)), get: (_id, user) => same<typeof user, User>(true) });
declare({ context: basic((user) => users.get(user), { optional: true }), get: (_id, user) => same<typeof user, User | undefined>(true) });
declare({ context: apiKey('X-API-Key', async (key) => users.get(key)), get: (_id, user) => same<typeof user, User>(true) });

declare({ context: cookie('session', async (id) => users.get(id)), get: (_id, user) => same<typeof user, User>(true) });
declare({ context: bearer((token) => users.get(token), { openIdConnectUrl: 'https://a' }), get: (_id, user) => same<typeof user, User>(true) });

cookie('session', (value, request) => [same<typeof value, string>(true), same<typeof request, ContextRequest>(true)]);
bearer((token, request) => [same<typeof token, string>(true), same<typeof request, ContextRequest>(true)]);
basic((user, password, request) => [same<typeof user, string>(true), same<typeof password, string>(true), same<typeof request, ContextRequest>(true)]);
apiKey('X-API-Key', (key, request) => [same<typeof key, string>(true), same<typeof request, ContextRequest>(true)]);

/** `verify` reads parameters of the path, which an endpoint with this context must have. */
type InZoo = ContextRequest<{ readonly zoo: string }>;
const ofZoo = apiKey('X-Key', (key, { params }: InZoo) => users.get(params.zoo + key));
same<typeof ofZoo, Authentication<User, { readonly zoo: string }>>(true);
const scopedOfZoo = bearer(async (token, { params }: InZoo) => users.get(params.zoo + token), { getScopes: ({ name }) => [name] });
defineEndpoint({
  id: integerId, params: { zoo: stringId }, context: ofZoo.optional, get: (_id, { context: user, params: { zoo } }) => [same<typeof user, User | undefined>(true), zoo],
  delete: { context: scopedOfZoo, scopes: ['ann'], run: (_id, { context: user }) => void same<typeof user, User>(true) },
});
new ApiServer('').registerEndpoint('/zoo/:zoo/pet', { id: integerId, params: { zoo: stringId }, context: cookie('a', (value, { params }: InZoo) => params.zoo === value), get: () => 1 });
// @ts-expect-error an endpoint without the parameter
defineEndpoint({ context: ofZoo, get: () => 1 });
// @ts-expect-error a parameter of a different type
defineEndpoint({ id: stringId, params: { zoo: integerId }, context: basic((name, _password, { params }: InZoo) => params.zoo === name), get: () => 1 });

const signedIn = bearer((token) => users.get(token));
same<ReturnType<typeof signedIn>, MaybePromise<User>>(true);
same<typeof signedIn.security, Security | readonly Security[]>(true);
export const asContext: (request: ContextRequest) => MaybePromise<User> = signedIn;

// @ts-expect-error a token is text
bearer((token: number) => token);
// @ts-expect-error a misspelt option
bearer((token) => token, { relm: 'zoo' });
// @ts-expect-error Basic has no third credential
basic((user, password, request, more) => [user, password, request, more]);
// @ts-expect-error a key stands in a header
apiKey((key: string) => key);
// @ts-expect-error secrets are strings
secretsEqual('secret', undefined);

// ---- Scopes are those of `getScopes`.
interface Keeper extends User {
  readonly scopes: readonly ('pet:read' | 'pet:write')[];
}
declare const keepers: ReadonlyMap<string, Keeper>;
const keeper = bearer((token) => keepers.get(token), { getScopes: ({ scopes }) => scopes });
same<typeof keeper, ScopedAuthentication<Keeper, 'pet:read' | 'pet:write'>>(true);
same<typeof keeper.optional, ScopedAuthentication<Keeper | undefined, 'pet:read' | 'pet:write'>>(true);
defineEndpoint({ id: integerId, context: keeper, scopes: ['pet:read'], get: (id) => id, delete: { scopes: ['pet:read', 'pet:write'], run: () => {} }, list: { scopes: [], run: () => [] } });
defineEndpoint({ id: integerId, context: scoped, scopes: ['anything'], delete: { scopes: ['whatever'], run: () => {} } });
defineEndpoint({ context: keeper.optional, custom: { feed: { scopes: ['pet:write'], run: () => 1 } } });
const needed: readonly ('pet:read' | 'pet:write')[] = ['pet:read'];
defineEndpoint({ context: firstOf(keeper, bearer((token) => keepers.get(token), { getScopes: () => ['zoo:open' as const] })), scopes: needed, get: { scopes: ['zoo:open'], run: () => 1 } });
// @ts-expect-error a misspelt scope of an operation
defineEndpoint({ id: integerId, context: keeper, delete: { scopes: ['pet:wrte'], run: () => {} } });
// @ts-expect-error a misspelt scope of a named operation
defineEndpoint({ context: keeper, custom: { feed: { scopes: ['pet:read', 'pet:feed'], run: () => 1 } } });
// @ts-expect-error a misspelt scope of an endpoint
defineEndpoint({ context: keeper, scopes: ['pet:rad'], get: () => 1 });
// @ts-expect-error the scopes of the operation's own context
defineEndpoint({ context: scoped, get: { context: keeper, scopes: ['whatever'], run: () => 1 } });
const server = new ApiServer('');
const kept = defineEndpoint({ context: keeper, get: () => 1 });
server.registerEndpoints({ '/kept': kept }, { scopes: ['pet:read'] });
// @ts-expect-error a misspelt scope of all endpoints
server.registerEndpoints({ '/kept': kept }, { scopes: ['pet:red'] });
server.registerEndpoint('/kept', { context: keeper, get: { scopes: ['pet:write'], run: () => 1 } });
// @ts-expect-error a misspelt scope where it is registered
server.registerEndpoint('/kept', { context: keeper, get: { scopes: ['pet:wite'], run: () => 1 } });
