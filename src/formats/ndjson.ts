/**
 * NDJSON: a sequence of JSON values, one on each line.
 *
 *   { input: ndjson(Pet), run: async (pets) => { for await (const pet of pets) await store.insert(pet); } }
 *   { output: ndjson(Pet), run: () => store.all() }
 */
import { knownMembersOf, MAX_BYTES, numberFrom } from '../errors/members.ts';
import { ApiError } from '../errors/api-error.ts';
import type { Decoded, MaybePromise } from '../endpoint/decoder.ts';
import { type Decoding, type Format, formatOf } from '../endpoint/format.ts';
import { parseJson } from '../http/json.ts';
import { ByteBuffer } from '../util/byte-buffer.ts';
import { decoderOf, type InputOf, type ItemDecoder, type ItemPlace, type Items, ItemTexts, valueOrThrow } from './items.ts';

/** The options of `ndjson`. */
export interface NdjsonOptions {
  /** The longest line, in bytes. Default: 65,536. */
  readonly lineBytes?: number;
}

/** A format that `ndjson` made. */
export type Ndjson<D> = Format<Items<InputOf<D>>, AsyncIterable<Decoded<D>>, 'ndjson'>;

const TYPE = 'application/x-ndjson';
const DEFAULT_LINE_BYTES = 64 * 1024;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * NDJSON as an input or an output. An operation gets its input as an async iterable of decoded items, which is read no faster than it is
 * iterated. A line that is refused throws where it is iterated: an `ApiError` with status 400, the server's `validationStatus` if `item` refuses
 * it, and 413 if it is too long. Empty lines are
 * skipped. `limits.bodyBytes` and `limits.requestMs` hold for the whole body.
 *
 * As an output, it takes an iterable or an async iterable. Each item goes through `item`.
 *
 * Throws `TypeError` if `item` is no decoder, and for an invalid option.
 */
export function ndjson<D extends ItemDecoder>(item: D, options: NdjsonOptions = {}): Ndjson<D> {
  const { lineBytes = DEFAULT_LINE_BYTES } = knownMembersOf(options, 'options', ['lineBytes']) as NdjsonOptions;
  numberFrom(lineBytes, 'options.lineBytes', [1, MAX_BYTES]);
  const decode = decoderOf<Decoded<D>>(item);
  return formatOf('ndjson', {
    types: [TYPE, 'application/ndjson', 'application/jsonl'],
    decode: (body, _request, decoding) => itemsOf(linesOf(body, lineBytes), decode, decoding),
    encode: (items: Items<InputOf<D>>) => new ItemTexts(items, async (item) => `${jsonOf(await decode(item))}\n`),
    jsonSchema: (schemaOf) => schemaOf(item),
    isSequence: true,
  });
}

async function* itemsOf<T>(
  lines: AsyncIterable<Buffer>, decode: (value: unknown, place: ItemPlace) => MaybePromise<T>, { validationStatus: status, uniqueKeys }: Decoding,
): AsyncGenerator<T, void, undefined> {
  let count = 0;
  for await (const line of lines) {
    const at = `/${count}`;
    count += 1;
    yield await decode(valueOrThrow(parseJson(line, uniqueKeys), { at }), { at, status });
  }
}

/** The lines of a body that are not empty, without their ends. */
async function* linesOf(body: AsyncIterable<Uint8Array>, lineBytes: number): AsyncGenerator<Buffer, void, undefined> {
  const line = new Line(lineBytes);
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      line.add(chunk.subarray(start, end));
      start = end + 1;
      const whole = line.take();
      if (whole.length > 0) yield whole;
    }
    line.add(chunk.subarray(start));
  }
  const last = line.take();
  if (last.length > 0) yield last;
}

/** The line that is being read. */
class Line {
  readonly #max: number;
  readonly #bytes = new ByteBuffer();

  constructor(max: number) {
    this.#max = max;
  }

  add(piece: Uint8Array): void {
    if (this.#bytes.length + piece.length > this.#max) throw ApiError.status(413, `A line must not be longer than ${this.#max} bytes.`);
    this.#bytes.add(piece);
  }

  take(): Buffer {
    const whole = this.#bytes.take();
    return whole.at(-1) === CARRIAGE_RETURN ? whole.subarray(0, -1) : whole;
  }
}

/** Throws `TypeError` for a value that JSON cannot represent. */
export function jsonOf(value: unknown): string {
  const text: unknown = JSON.stringify(value);
  if (typeof text === 'string') return text;
  throw new TypeError(`JSON can not carry an item of type ${typeof value}`);
}
