/** Compares secrets in constant time. */
import { cryptoModule } from '../node.ts';

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
