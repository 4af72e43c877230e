/** Bearer tokens (RFC 6750), and where clients get them: OpenID Connect, OAuth 2, and the metadata of a protected resource (RFC 9728). */
import type { ContextRequest, RequestInternals } from '../declaration/request.ts';
import { checkHttpUrl, checkResource, findResourceUrl, locateMetadata, type ProtectedResource } from '../http/protected-resource.ts';
import { findInternals } from '../util/internals.ts';
import { checkStrings, option, type Shape, shape } from '../util/options.ts';
import {
  AUTHENTICATION_OPTIONS, type AuthenticationOptions, type Authenticates, checkSchemeOptions, makeContext, MALFORMED, readHeader,
  rejectCredentials, type SchemeOptions, type SecurityScheme, type Verified,
} from './authentication.ts';

/** The options of `bearer`. */
export interface BearerOptions<Context = any, Optional extends boolean = boolean, Scopes extends readonly string[] = readonly string[]>
  extends AuthenticationOptions<Context, Optional, Scopes> {
  /** The names of the scheme that a request may have. Challenges have the first. @default ['Bearer'] */
  readonly schemes?: readonly [string, ...string[]];
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
   * Serves the metadata of the protected resource (RFC 9728), and names it in each challenge, so that clients find out where their users sign
   * in. The resource of operations is the root of the server; the resource of `mcpHandler` is its route.
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
  readonly schemes: readonly string[];
  readonly openIdConnectUrl: string | undefined;
  readonly resource: ProtectedResource | undefined;
}

// RFC 9110 section 11.1.
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const SCHEME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]*/;
const TOKEN = /^ +([A-Za-z0-9._~+/-]+=*)$/;

/** `bearer(verify, options)`: {@link BearerOptions}, {@link AuthenticationOptions}. */
export const BEARER_OPTIONS: Shape<CheckedBearerOptions> = shape<CheckedBearerOptions>({
  ...AUTHENTICATION_OPTIONS.table,
  schemes: option('names of schemes', checkSchemes, ['Bearer']),
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
export function bearer<Result = any, Optional extends boolean = false, Scopes extends readonly string[] = any>(
  verify: (token: string, request: ContextRequest) => Result,
  options: BearerOptions<Verified<Result>, Optional, Scopes> = {},
): Authenticates<Result, Optional, Scopes> {
  const checked = checkSchemeOptions(BEARER_OPTIONS, verify, options);
  const { resource, schemes: [name = ''] } = checked;
  const scheme = makeScheme(checked, name.toLowerCase());
  const challenge = `${name} realm="api"`;
  const makeChallenge = (request: ContextRequest | undefined, error?: string): string => {
    const metadata = resource && findMetadataUrl(resource, request);
    return [challenge, error, metadata && `resource_metadata="${metadata}"`].filter((part) => part !== undefined).join(', ');
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
      const rest = removeScheme(value, checked.schemes);
      if (rest === undefined) return undefined;
      const [, token] = TOKEN.exec(rest) ?? [];
      if (token === undefined) throw rejectCredentials(400, MALFORMED, makeChallenge(request, 'error="invalid_request"'));
      return [token];
    }),
  });
}

function makeScheme({ openIdConnectUrl }: CheckedBearerOptions, name: string): Exclude<SecurityScheme, { readonly type: 'apiKey' }> {
  return openIdConnectUrl === undefined ? { type: 'http', scheme: name } : { type: 'openIdConnect', openIdConnectUrl };
}

/** The URL of the metadata; `undefined` if the origin of the server is not known. */
function findMetadataUrl(resource: ProtectedResource, request: ContextRequest | undefined): string | undefined {
  // The server adds this property. It is missing if the user's code has made the request itself.
  const location = findInternals<RequestInternals>(request)?.resource;
  const url = location && findResourceUrl(resource, location);
  return url === undefined ? undefined : locateMetadata(url);
}

/** Returns the credentials after the name of the scheme, which is case-insensitive; `undefined` if the header has a different scheme. */
function removeScheme(value: string, names: readonly string[]): string | undefined {
  const [scheme = ''] = SCHEME.exec(value) ?? [];
  return names.some((name) => name.toLowerCase() === scheme.toLowerCase()) ? value.slice(scheme.length) : undefined;
}

function checkSchemes(value: unknown, path: string): readonly string[] {
  const names = checkStrings(value, path);
  const wrong = names.find((name) => !NAME.test(name));
  if (wrong !== undefined) throw new TypeError(`${path} must be names of schemes, such as Bearer: ${JSON.stringify(wrong)}`);
  return names;
}
