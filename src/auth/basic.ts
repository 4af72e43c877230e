/** User names and passwords in the Basic scheme (RFC 7617). Use it over TLS only. */
import type { ContextRequest } from '../endpoint/request.ts';
import { type Authenticates, authentication, type AuthenticationOptions, checkedOptions, refuse } from './authentication.ts';

const SCHEME = /^basic(?![!#$%&'*+.^_`|~0-9a-z-])/i;
const CREDENTIALS = /^basic +([A-Za-z0-9+/]+=*)$/i;
const CONTROL = /[\0-\x1f\x7f]/;
const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Makes a `context` that reads `Authorization: Basic <credentials>`. `verify` gives or promises the context for a valid user name
 * and password, and `undefined` (or `null`, or `false`) for others: 401. No header, another scheme, or malformed credentials: 401.
 * What `verify` throws is answered as what a `context` throws. Throws `TypeError` for an invalid option.
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
      if (!SCHEME.test(value)) return undefined;
      const pair = pairIn(value);
      if (pair === undefined) throw refuse(401, { detail: 'The Authorization header is malformed.', challenge });
      return pair;
    },
    verify,
  });
}

/** The user name and the password. */
function pairIn(value: string): [user: string, password: string] | undefined {
  const [, base64 = ''] = CREDENTIALS.exec(value) ?? [];
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
