/** How long the text of a reply can be. */

// Node makes one string of head and body, and V8's longest string has 2^29 - 24 characters. This leaves room for a head.
const MAX_ANSWER = 2 ** 29 - 2 ** 16;

/** Throws `RangeError` if a reply cannot have so many characters. Node would throw later, when no other reply can be sent. */
export function refuseTooLong(characters: number): void {
  if (characters > MAX_ANSWER) throw new RangeError('the answer is too long to be sent');
}
