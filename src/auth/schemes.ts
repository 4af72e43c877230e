/** The authentication schemes: user names and passwords (RFC 7617), keys in a header, and one of several. */
import { findRequestHead } from '../endpoint/context.ts';
import type { ContextRequest } from '../declaration/request.ts';
import { countHeader } from '../http/head.ts';
import { checkHeaders } from '../util/headers.ts';
import { cryptoModule } from '../node.ts';
import { decodeBase64 } from '../util/bytes.ts';
import {
  type Authenticates, type Authentication, AUTHENTICATION_OPTIONS, type AuthenticationOptions, checkSchemeOptions,
  joinContexts, makeContext, MALFORMED, nameScheme, readHeader, rejectCredentials, type ScopedAuthentication, type Verified,
} from './authentication.ts';

const BASIC = /^basic(?![!#$%&'*+.^_`|~0-9a-z-])/i;
const PAIR = /^basic +([A-Za-z0-9+/]+=*)$/i;
const CONTROL = /[\0-\x1f\x7f]/;
const BASIC_CHALLENGE = 'Basic realm="api", charset="UTF-8"';
const KEY_CHALLENGE = 'ApiKey realm="api"';
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Makes a `context` that reads `Authorization: Basic <credentials>`. Use it over TLS only. `verify` returns the context for a valid user
 * name and password, or a promise of it, and `undefined`, `null` or `false` for invalid ones: 401. Without the header, with a different
 * scheme, or with malformed credentials: 401. An error that `verify` throws is handled like one of a `context`, unless `isInvalid` returns
 * `true` for it.
 *
 * @example
 * ```ts
 * const { METRICS_PASSWORD } = process.env;
 * if (!METRICS_PASSWORD) throw new Error('METRICS_PASSWORD is not set');
 *
 * const scraper = basic((name, password) => name === 'metrics' && secretsEqual(password, METRICS_PASSWORD) && { name });
 * ```
 * @throws `TypeError` for an invalid option.
 */
export function basic<Result = any, Optional extends boolean = false, Scopes extends readonly string[] = any, Params = {}>(
  verify: (user: string, password: string, request: ContextRequest<Params>) => Result,
  options: AuthenticationOptions<Verified<Result>, Optional, Scopes> = {},
): Authenticates<Result, Optional, Scopes, Params> {
  const checked = checkSchemeOptions(AUTHENTICATION_OPTIONS, verify, options);
  return makeContext({
    security: { name: 'basic', scheme: { type: 'http', scheme: 'basic' } },
    missing: { detail: 'The request needs a user name and a password.' },
    wrong: { detail: 'The user name or the password is not valid.' },
    makeChallenge: () => BASIC_CHALLENGE,
    options: checked,
    ...readHeader('authorization', (value) => {
      if (!BASIC.test(value)) return undefined;
      const pair = parsePair(value);
      if (pair === undefined) throw rejectCredentials('credentials-wrong', MALFORMED, BASIC_CHALLENGE);
      return pair;
    }),
  });
}

/**
 * Makes a `context` that reads a key from a header. `verify` returns the context for a valid key, or a promise of it, and `undefined`,
 * `null` or `false` for an invalid one: 401. Without the header, or with an empty one: 401. With two such headers: 400. An error that
 * `verify` throws is handled like one of a `context`, unless `isInvalid` returns `true` for it.
 *
 * @example
 * ```ts
 * const known = apiKey('X-API-Key', (key) => users.get(key));
 * defineEndpoint({ id: integerId, context: known, delete: (id, { context: user }) => db.delete(id, user.id) });
 * ```
 * @throws `TypeError` for an invalid name or option.
 */
export function apiKey<Result = any, Optional extends boolean = false, Scopes extends readonly string[] = any, Params = {}>(
  header: string,
  verify: (key: string, request: ContextRequest<Params>) => Result,
  options: AuthenticationOptions<Verified<Result>, Optional, Scopes> = {},
): Authenticates<Result, Optional, Scopes, Params> {
  const [name = ''] = checkHeaders({ [header]: '' });
  const checked = checkSchemeOptions(AUTHENTICATION_OPTIONS, verify, options);
  return makeContext({
    security: { name: nameScheme('apiKey', name), scheme: { type: 'apiKey', in: 'header', name } },
    missing: { detail: 'The request needs an API key.' },
    wrong: { detail: 'The API key is not valid.' },
    makeChallenge: () => KEY_CHALLENGE,
    options: checked,
    ...readHeader(name.toLowerCase(), (key, request) => {
      if (countHeader(findRequestHead(request).rawHeaders, name.toLowerCase()) > 1) {
        throw rejectCredentials('credentials-repeated', 'The request has more than one API key.', KEY_CHALLENGE);
      }
      return key === '' ? undefined : [key];
    }),
  });
}

/**
 * Makes a `context` from several. The first that finds its credentials in the request decides. Without any credentials: 401 with all
 * challenges.
 *
 * A function of your own can be one of them, such as one that reads a session. If it returns `undefined`, `null` or `false`, the next one
 * decides. Any other result is the context, and its errors are handled as in a `context`. Its property `security` is for documents. With
 * `anyone` as the last, a request without credentials is accepted, with `undefined` as its context.
 *
 * @example
 * ```ts
 * const byKey = apiKey('X-API-Key', (key) => users.get(key));
 * const bySession = cookie('__Host-session', (session) => users.get(session));
 * const signedIn = firstOf(byKey, bySession);
 * ```
 * @throws `TypeError` for a value that is not a function.
 */
export function firstOf<const Functions extends readonly [AnyContext, ...AnyContext[]]>(
  ...functions: Functions
): FirstOf<Functions[number]> {
  return joinContexts(functions) as never;
}

type AnyContext = ((request: ContextRequest) => unknown) & { readonly security?: object };
/** The context of any of several functions, and their scopes if all have scopes. */
type FirstOf<Functions> = [Functions] extends [ScopedAuthentication<unknown>]
  ? ScopedAuthentication<JoinedContext<Functions>, ScopeOf<Functions>>
  : Authentication<JoinedContext<Functions>>;
type JoinedContext<Function> = Function extends Authentication<infer Context> ? Context
  : Function extends (...args: never) => infer Result ? Verified<Result> : never;
type ScopeOf<Function> = Function extends ScopedAuthentication<unknown, infer Scope> ? Scope : never;

/** Parses a user name and a password. Returns `undefined` if they are malformed. */
function parsePair(value: string): [user: string, password: string] | undefined {
  const [, base64 = ''] = PAIR.exec(value) ?? [];
  // Two different strings must not be the same credentials.
  const bytes = decodeBase64(base64);
  const text = bytes && decodeUtf8(bytes);
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon === -1 || CONTROL.test(text)) return undefined;
  return [text.slice(0, colon), text.slice(colon + 1)];
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return undefined;
  }
}

const crypto = cryptoModule();

/**
 * Compares two strings in a time that does not depend on where they differ. They may be of different lengths.
 *
 * @example
 * ```ts
 * const TURNSTILE_KEY = 'the key of the turnstile';
 * const turnstile = apiKey('X-API-Key', (key) => secretsEqual(key, TURNSTILE_KEY) && { name: 'the turnstile' });
 * ```
 * @throws `TypeError` for a value that is not a string, such as a secret that is not configured.
 */
export function secretsEqual(a: string, b: string): boolean {
  return crypto.timingSafeEqual(digest(a), digest(b));
}

function digest(secret: unknown): Buffer {
  if (typeof secret !== 'string') throw new TypeError(`secretsEqual compares strings: ${typeof secret}`);
  // UTF-8 would encode all unpaired surrogates as the same bytes.
  return crypto.createHash('sha256').update(secret, 'utf16le').digest();
}
