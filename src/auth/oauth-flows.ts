/** The flows of OAuth 2 by which clients get tokens, for OpenAPI documents. */
import { checkHttpUrl } from '../http/protected-resource.ts';
import { checkObject, type Option, option, optional, required, type Shape, shape } from '../util/options.ts';

/**
 * The OAuth Flows Object of OpenAPI: one or more of these.
 *
 * @example
 * ```ts
 * const oauth2: OAuthFlows = {
 *   authorizationCode: { authorizationUrl: 'https://id.example/auth', tokenUrl: 'https://id.example/token', scopes: { 'pet:read': 'Reads pets.' } },
 * };
 * bearer((token) => users.get(token), { oauth2 });
 * ```
 */
export interface OAuthFlows {
  /** For users, with PKCE: they sign in at `authorizationUrl`, and `tokenUrl` and `refreshUrl` give their clients tokens for some of the `scopes`. */
  readonly authorizationCode?: OAuthFlow & { readonly authorizationUrl: string; readonly tokenUrl: string };
  /** For programs, which get a token from `tokenUrl`. */
  readonly clientCredentials?: OAuthFlow & { readonly tokenUrl: string };
}

/** What all flows have. */
export interface OAuthFlow {
  /** The URL of refresh tokens. */
  readonly refreshUrl?: string;
  /** The scopes, each with a description. */
  readonly scopes: Readonly<Record<string, string>>;
}

const URL_OF_SERVER: Option<string | undefined> = option<string | undefined>('a URL', checkHttpUrl, undefined);
const DESCRIPTIONS: Option<object | undefined> = option<object | undefined>('descriptions by scope', checkFlowScopes, undefined);
const EVERY_FLOW = { refreshUrl: URL_OF_SERVER, scopes: required(DESCRIPTIONS) };
const TOKEN = { tokenUrl: required(URL_OF_SERVER) };

export const AUTHORIZATION_CODE_OPTIONS: Shape<Readonly<Record<keyof NonNullable<OAuthFlows['authorizationCode']>, unknown>>> = shape({
  authorizationUrl: required(URL_OF_SERVER), ...TOKEN, ...EVERY_FLOW,
});

/** `oauth2: options`: {@link OAuthFlows}. */
export const FLOWS: Shape<Readonly<Record<keyof OAuthFlows, unknown>>> = shape({
  authorizationCode: optional<unknown>(AUTHORIZATION_CODE_OPTIONS),
  clientCredentials: optional<unknown>(shape({ ...TOKEN, ...EVERY_FLOW })),
}, {
  implicit: 'it is not safe (RFC 9700). Use authorizationCode',
  password: 'it is not safe (RFC 9700). Use authorizationCode, or clientCredentials for a program',
});

/** Checks flows, and returns them as they are. */
export function checkFlows(value: unknown, path: string): OAuthFlows {
  const checked = FLOWS.check(value, path);
  if (Object.values(checked).some((flow) => flow !== undefined)) return value as OAuthFlows;
  throw new TypeError(`${path} must have at least one of ${Object.keys(checked).join(', ')}`);
}

function checkFlowScopes(value: unknown, path: string): object {
  const scopes = checkObject(value, path);
  const wrong = Object.entries(scopes).find(([, description]) => typeof description !== 'string');
  if (wrong === undefined) return scopes;
  throw new TypeError(`${path} must have a description for each scope, as a string: ${wrong[0]}`);
}
