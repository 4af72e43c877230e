/** Compares secrets without telling how much of them is the same. */
import { cryptoModule } from '../node.ts';

const crypto = cryptoModule();

/**
 * Whether two texts are the same, in a time that does not depend on where they differ. They may be of different lengths. Throws
 * `TypeError` for a value that is no string, such as a secret that is not configured.
 */
export function secretsEqual(a: string, b: string): boolean {
  return crypto.timingSafeEqual(digest(a), digest(b));
}

function digest(text: unknown): Buffer {
  if (typeof text !== 'string') throw new TypeError(`secretsEqual compares texts: ${typeof text}`);
  // UTF-8 would write every unpaired surrogate alike.
  return crypto.createHash('sha256').update(text, 'utf16le').digest();
}
