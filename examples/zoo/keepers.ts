/** Who may change something: keepers, who sign in with a token. */
import { bearer, secretsEqual, type Authentication } from 'restpoint/auth';
import { anyText, object, type ValueOf } from './schema.ts';

export type Keeper = ValueOf<typeof Keeper>;
export const Keeper = object('Keeper', { name: anyText });

/** The `context` of operations that are for keepers. */
export type SignIn = Authentication<Keeper>;

// The characters of a bearer token (RFC 6750 section 2.1), and a length that cannot be guessed.
const TOKEN = /^[\w.~+/-]{16,}=*$/;

/**
 * Lets in whoever has the token. A larger zoo would look keepers up in its store, by the hash of their tokens. Throws `TypeError` if
 * no request could have the token.
 */
export function signInWith(token: string): SignIn {
  if (!TOKEN.test(token)) throw new TypeError('a token has 16 or more of A-Z a-z 0-9 - . _ ~ + / and may end with =');
  const keeper: Keeper = { name: 'head keeper' };
  return bearer((given) => (secretsEqual(given, token) ? keeper : undefined));
}
