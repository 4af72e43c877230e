/** Bearer tokens (RFC 6750). */
import type { ContextRequest } from '../endpoint/request.ts';
import { type Authenticates, authentication, type AuthenticationOptions, checkedOptions, refuse } from './authentication.ts';

const SCHEME = /^bearer(?![!#$%&'*+.^_`|~0-9a-z-])/i;
const CREDENTIALS = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * Makes a `context` that reads `Authorization: Bearer <token>`. `verify` gives or promises the context for a valid token, and
 * `undefined` (or `null`, or `false`) for another: 401 with `error="invalid_token"`. No header, or another scheme: 401. A
 * malformed header: 400 with `error="invalid_request"`. What `verify` throws is answered as what a `context` throws. Throws
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
      if (!SCHEME.test(value)) return undefined;
      const [, token] = CREDENTIALS.exec(value) ?? [];
      if (token === undefined) throw refuse(400, malformed);
      return [token];
    },
    verify,
  });
}
