/** Keys in a header field of the host's own, such as `X-API-Key`. */
import type { ContextRequest } from '../endpoint/request.ts';
import { checkedHeaders } from '../errors/headers.ts';
import { type Authenticates, authentication, type AuthenticationOptions, checkedOptions } from './authentication.ts';

// What the name of a component of an OpenAPI document cannot hold.
const NO_COMPONENT_NAME = /[^A-Za-z0-9._-]/g;

/**
 * Makes a `context` that reads a key from the header field `header`. `verify` gives or promises the context for a valid key, and
 * `undefined` (or `null`, or `false`) for another: 401. No such header, or an empty one: 401. What `verify` throws is answered
 * as what a `context` throws. Throws `TypeError` for an invalid name or option.
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
    read: (key) => (key === '' ? undefined : [key]),
    verify,
  });
}
