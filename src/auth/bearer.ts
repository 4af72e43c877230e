/** Bearer tokens (RFC 6750), and where clients get them: OpenID Connect, OAuth 2, and the metadata of a protected resource (RFC 9728). */
import type { ContextRequest, RequestInternals } from '../declaration/request.ts';
import { checkHttpUrl, checkResource, findResourceUrl, locateMetadata, type ProtectedResource } from '../http/protected-resource.ts';
import { findInternals } from '../util/internals.ts';
import { option, type Shape, shape } from '../util/options.ts';
import {
  AUTHENTICATION_OPTIONS, type AuthenticationOptions, type Authenticates, checkSchemeOptions, makeContext, MALFORMED, readHeader,
  rejectCredentials, type SchemeOptions, type SecurityScheme, type Verified,
} from './authentication.ts';

/** The options of `bearer`. */
export interface BearerOptions<Context = any, Optional extends boolean = boolean, Scopes extends readonly string[] = readonly string[]>
  extends AuthenticationOptions<Context, Optional, Scopes> {
  /**
   * The URL of the OpenID Connect Discovery document of the identity provider, for OpenAPI documents.
   *
   * @example
   * ```ts
   * bearer((token) => users.get(token), { openIdConnectUrl: 'https://login.example/.well-known/openid-configuration' });
   * ```
   */
  readonly openIdConnectUrl?: string;
  /**
   * Serves the metadata of the protected resource (RFC 9728), and names it in each challenge, so that clients find out where their users
   * sign in. The resource of operations is the root of the server; the resource of `mcpHandler` is its route.
   *
   * @example
   * ```ts
   * bearer((token) => users.get(token), {
   *   resource: { url: 'https://api.example', authorizationServers: ['https://login.example'], scopes: ['pet:read'] },
   * });
   * ```
   */
  readonly resource?: ProtectedResource;
}

interface CheckedBearerOptions extends Omit<SchemeOptions, 'verify'> {
  readonly openIdConnectUrl: string | undefined;
  readonly resource: ProtectedResource | undefined;
}

const BEARER = /^bearer(?![!#$%&'*+.^_`|~0-9a-z-])/i;
const TOKEN = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** `bearer(verify, options)`: {@link BearerOptions}, {@link AuthenticationOptions}. */
export const BEARER_OPTIONS: Shape<CheckedBearerOptions> = shape<CheckedBearerOptions>({
  ...AUTHENTICATION_OPTIONS.table,
  openIdConnectUrl: option<string | undefined>('a URL', checkHttpUrl, undefined),
  resource: option<ProtectedResource | undefined>('an object', checkResource, undefined),
});

/**
 * Makes a `context` that reads `Authorization: Bearer <token>`. `verify` returns the context for a valid token, or a promise of it, and
 * `undefined`, `null` or `false` for an invalid one: 401 with `error="invalid_token"`. Without the header, or with a different scheme: 401.
 * A malformed header: 400 with `error="invalid_request"`. An error that `verify` throws is handled like one of a `context`, unless
 * `isInvalid` returns `true` for it.
 *
 * @example
 * ```ts
 * const signedIn = bearer(async (token) => users.get(token), { getScopes: (user) => user.scopes });
 * defineEndpoint({ id: integerId, context: signedIn, scopes: ['pet:write'], delete: (id, { context: user }) => db.delete(id, user.id) });
 * ```
 * @throws `TypeError` for an invalid option.
 */
export function bearer<Result = any, Optional extends boolean = false, Scopes extends readonly string[] = any, Params = {}>(
  verify: (token: string, request: ContextRequest<Params>) => Result,
  options: BearerOptions<Verified<Result>, Optional, Scopes> = {},
): Authenticates<Result, Optional, Scopes, Params> {
  const checked = checkSchemeOptions(BEARER_OPTIONS, verify, options);
  const { resource } = checked;
  const scheme = makeScheme(checked);
  const makeChallenge = (request: ContextRequest | undefined, error?: string): string => {
    const metadata = resource && findMetadataUrl(resource, request);
    return ['Bearer realm="api"', error, metadata && `resource_metadata="${metadata}"`].filter((part) => part !== undefined).join(', ');
  };
  return makeContext({
    security: { name: scheme.type === 'http' ? scheme.scheme : scheme.type, scheme, ...(resource !== undefined && { resource }) },
    missing: { detail: 'The request needs a bearer token.' },
    wrong: { detail: 'The token is not valid.', error: 'error="invalid_token"' },
    makeChallenge,
    // A client asks for exactly these scopes. Without the ones that it already has, it would lose them.
    formatScopes: (scopes) => `error="insufficient_scope", scope="${[...new Set([...resource?.scopes ?? [], ...scopes])].join(' ')}"`,
    options: checked,
    ...readHeader('authorization', (value, request) => {
      if (!BEARER.test(value)) return undefined;
      const [, token] = TOKEN.exec(value) ?? [];
      if (token === undefined) {
        throw rejectCredentials('credentials-malformed', MALFORMED, makeChallenge(request, 'error="invalid_request"'));
      }
      return [token];
    }),
  });
}

function makeScheme({ openIdConnectUrl }: CheckedBearerOptions): Exclude<SecurityScheme, { readonly type: 'apiKey' }> {
  return openIdConnectUrl === undefined ? { type: 'http', scheme: 'bearer' } : { type: 'openIdConnect', openIdConnectUrl };
}

/** The URL of the metadata; `undefined` if the origin of the server is not known. */
function findMetadataUrl(resource: ProtectedResource, request: ContextRequest | undefined): string | undefined {
  // The server adds this property. It is missing if the user's code has made the request itself.
  const location = findInternals<RequestInternals>(request)?.resource;
  const url = location && findResourceUrl(resource, location);
  return url === undefined ? undefined : locateMetadata(url);
}
