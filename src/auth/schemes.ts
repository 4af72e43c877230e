/** The ways to authenticate: bearer tokens (RFC 6750), user names and passwords (RFC 7617), and keys in a header field of the host's choice. */
import type { ContextRequest } from '../endpoint/request.ts';
import { checkedHeaders } from '../errors/headers.ts';
import { authentication, checkedOptions, refuse, type Authenticates, type AuthenticationOptions } from './authentication.ts';

const BEARER = /^bearer(?![!#$%&'*+.^_`|~0-9a-z-])/i;
const TOKEN = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
const BASIC = /^basic(?![!#$%&'*+.^_`|~0-9a-z-])/i;
const PAIR = /^basic +([A-Za-z0-9+/]+=*)$/i;
const CONTROL = /[\0-\x1f\x7f]/;
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
// Components of an OpenAPI document cannot have these characters in their names.
const NO_COMPONENT_NAME = /[^A-Za-z0-9._-]/g;

/**
 * Makes a `context` that reads `Authorization: Bearer <token>`. `verify` returns the context, or a promise of it, for a valid token, and
 * `undefined` (or `null`, or `false`) for another: 401 with `error="invalid_token"`. No header, or another scheme: 401. A
 * malformed header: 400 with `error="invalid_request"`. An error of `verify` is answered as an error of a `context`. Throws
 * `TypeError` for an invalid option.
 */
export function bearer<Given, Optional extends boolean = false>(
  verify: (token: string, request: ContextRequest) => Given,
  options: AuthenticationOptions<Optional> = {},
): Authenticates<Given, Optional> {
  const { realm, isOptional } = checkedOptions(verify, options);
  const challenge = `Bearer ${realm}`;
  const malformed = { detail: 'The Authorization header is malformed.', challenge: `${challenge}, error="invalid_request"` };
  return authentication({
    security: { name: 'bearer', scheme: { type: 'http', scheme: 'bearer' } },
    field: 'authorization',
    missing: { detail: 'The request needs a bearer token.', challenge },
    wrong: { detail: 'The token is not valid.', challenge: `${challenge}, error="invalid_token"` },
    isOptional,
    read: (value) => {
      if (!BEARER.test(value)) return undefined;
      const [, token] = TOKEN.exec(value) ?? [];
      if (token === undefined) throw refuse(400, malformed);
      return [token];
    },
    verify,
  });
}

/**
 * Makes a `context` that reads `Authorization: Basic <credentials>`. Use it over TLS only. `verify` returns the context for
 * a valid user name and password, or a promise of it, and `undefined` (or `null`, or `false`) for others: 401. No header, another
 * scheme, or malformed credentials: 401. An error of `verify` is answered as an error of a `context`. Throws `TypeError` for an invalid option.
 */
export function basic<Given, Optional extends boolean = false>(
  verify: (user: string, password: string, request: ContextRequest) => Given,
  options: AuthenticationOptions<Optional> = {},
): Authenticates<Given, Optional> {
  const { realm, isOptional } = checkedOptions(verify, options);
  const challenge = `Basic ${realm}, charset="UTF-8"`;
  return authentication({
    security: { name: 'basic', scheme: { type: 'http', scheme: 'basic' } },
    field: 'authorization',
    missing: { detail: 'The request needs a user name and a password.', challenge },
    wrong: { detail: 'The user name or the password is not valid.', challenge },
    isOptional,
    read: (value) => {
      if (!BASIC.test(value)) return undefined;
      const pair = pairIn(value);
      if (pair === undefined) throw refuse(401, { detail: 'The Authorization header is malformed.', challenge });
      return pair;
    },
    verify,
  });
}

/**
 * Makes a `context` that reads a key from the header field `header`. `verify` returns the context, or a promise of it, for a valid key, and
 * `undefined` (or `null`, or `false`) for another: 401. No such header, or an empty one: 401. Two header lines: 400. What
 * `verify` throws is answered as what a `context` throws. Throws `TypeError` for an invalid name or option.
 */
export function apiKey<Given, Optional extends boolean = false>(
  header: string,
  verify: (key: string, request: ContextRequest) => Given,
  options: AuthenticationOptions<Optional> = {},
): Authenticates<Given, Optional> {
  const [name = ''] = checkedHeaders({ [header]: '' });
  const { realm, isOptional } = checkedOptions(verify, options);
  const challenge = `ApiKey ${realm}`;
  return authentication({
    security: { name: `apiKey-${name.replace(NO_COMPONENT_NAME, '_')}`, scheme: { type: 'apiKey', in: 'header', name } },
    field: name.toLowerCase(),
    missing: { detail: 'The request needs an API key.', challenge },
    wrong: { detail: 'The API key is not valid.', challenge },
    isOptional,
    read: (key, lines) => {
      if (lines > 1) throw refuse(400, { detail: 'The request has more than one API key.', challenge });
      return key === '' ? undefined : [key];
    },
    verify,
  });
}

/** The user name and the password. */
function pairIn(value: string): [user: string, password: string] | undefined {
  const [, base64 = ''] = PAIR.exec(value) ?? [];
  const bytes = Buffer.from(base64, 'base64');
  // Node reads more than Base64, and two texts must not be the same credentials.
  const text = bytes.toString('base64') === base64 ? decode(bytes) : undefined;
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon === -1 || CONTROL.test(text)) return undefined;
  return [text.slice(0, colon), text.slice(colon + 1)];
}

function decode(bytes: Buffer): string | undefined {
  try {
    return UTF_8.decode(bytes);
  } catch {
    return undefined;
  }
}
