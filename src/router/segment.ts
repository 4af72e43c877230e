/**
 * Reads one segment of a path in a single pass, without a substring: its end, its hash, and its text as words. A word holds four
 * characters. A trie stores and compares the words.
 */
const SLASH = 0x2f;
const LARGEST_BYTE = 0xff;

// Knuth's multiplier: 2^32 divided by the golden ratio.
const MULTIPLIER = 0x9e3779b1;

/** Adds a word to a hash. */
export function mix(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, MULTIPLIER);
  // The low bits of a product do not depend on the high bits of its factors.
  return product ^ (product >>> 15);
}

/** The number of words for a text of so many characters. The last word is never full. */
export function wordsFor(length: number): number {
  return (length >>> 2) + 1;
}

/** The result of the last `read`. */
export class Segment {
  /** The text. The first of four characters is in the lowest byte. */
  words: Int32Array = new Int32Array(wordsFor(0));
  hash = 0;
  /** In characters, as far as they were read. -1 if a character does not fit into a byte. Those of patterns do. */
  length = 0;
  /** Whether more of the path follows. */
  isFollowed = false;
  #maxLength = 0;

  /** Makes room for a text. `read` stops after the longest such length, since a client can send any. */
  makeRoom(length: number): void {
    if (length <= this.#maxLength) return;
    this.#maxLength = length;
    this.words = new Int32Array(wordsFor(length + 1));
  }

  /** Reads the segment at `start`. */
  read(path: string, start: number): void {
    const { words } = this;
    const limit = Math.min(path.length, start + this.#maxLength + 1);
    let at = start;
    let count = 0;
    let hash = 0;
    let word = 0;
    let code = 0;
    let seen = 0;
    // Unrolled for the four characters of a word, since a loop over characters is slower.
    for (;;) {
      word = 0;
      if (at === limit || (code = path.charCodeAt(at)) === SLASH) break;
      word = code;
      seen |= code;
      at += 1;
      if (at === limit || (code = path.charCodeAt(at)) === SLASH) break;
      word |= code << 8;
      seen |= code;
      at += 1;
      if (at === limit || (code = path.charCodeAt(at)) === SLASH) break;
      word |= code << 16;
      seen |= code;
      at += 1;
      if (at === limit || (code = path.charCodeAt(at)) === SLASH) break;
      word |= code << 24;
      seen |= code;
      at += 1;
      words[count] = word;
      count += 1;
      hash = mix(hash, word);
    }
    words[count] = word;
    this.hash = mix(hash, word);
    this.length = seen > LARGEST_BYTE ? -1 : at - start;
    this.isFollowed = at < limit;
  }
}
