/**
 * The source map of a file that others were joined into, whole line behind whole line.
 *
 * A map's `mappings` has a `;` for each line and a `,` between the segments of one. A segment is the base64 digits of
 * four numbers: column, source, and the source's line and column, each less the one before it; the first column begins
 * anew at each line. So what was in front of a map matters to its first segment, and to no other.
 */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const FIVE_BITS = 31;
const MORE = 32;

/** Reads a segment. A digit has five bits of a number, the lowest first; the lowest of all is its sign. */
function decode(segment) {
  const numbers = [];
  let bits = 0;
  let shift = 0;
  for (const digit of segment) {
    const value = DIGITS.indexOf(digit);
    bits |= (value & FIVE_BITS) << shift;
    shift += 5;
    if (value & MORE) continue;
    numbers.push(bits & 1 ? -(bits >> 1) : bits >> 1);
    bits = shift = 0;
  }
  return numbers;
}

function encode(numbers) {
  return numbers.map((number) => {
    let digits = '';
    let bits = number < 0 ? (-number << 1) | 1 : number << 1;
    for (; bits >= MORE; bits >>= 5) digits += DIGITS[(bits & FIVE_BITS) | MORE];
    return digits + DIGITS[bits];
  }).join('');
}

export class JoinedMap {
  #sources = [];
  #lines = [];
  /** What the last segment came to. */
  #source = 0;
  #line = 0;
  #column = 0;

  /** Adds so many lines, the first of which have these mappings, all of them to one source. */
  append(source, mappings, lineCount) {
    const at = this.#sources.push(source) - 1;
    const segments = mappings.flatMap((line) => line.split(',')).filter((segment) => segment !== '').map(decode);
    const areWhole = segments.every((segment) => segment.length === 4 && segment[1] === 0);
    if (!areWhole || mappings.length > lineCount) throw new Error(`${source}: not a map that can be joined`);
    const begin = [at - this.#source, -this.#line, -this.#column];
    const first = mappings.findIndex((line) => line !== '');
    const moved = mappings.with(first, mappings[first].replace(/^[^,]+/, (segment) => {
      return encode(decode(segment).map((number, index) => number + (begin[index - 1] ?? 0)));
    }));
    this.#lines.push(...moved, ...Array(lineCount - mappings.length).fill(''));
    this.#source = at;
    this.#line = segments.reduce((sum, [, , line]) => sum + line, 0);
    this.#column = segments.reduce((sum, [, , , column]) => sum + column, 0);
  }

  /** The map as JSON, for a file in which so many other lines come first. */
  format(file, linesBefore) {
    return JSON.stringify({ version: 3, file, sources: this.#sources, names: [], mappings: ';'.repeat(linesBefore) + this.#lines.join(';') });
  }
}
