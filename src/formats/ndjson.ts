/**
 * NDJSON: a sequence of JSON values, one on each line.
 *
 *   { input: ndjson(Pet), run: async (pets) => { for await (const pet of pets) await store.insert(pet); } }
 *   { output: ndjson(Pet), run: () => store.all() }
 */
import { integer, MAX_BYTES, type Shape, shape } from '../util/options.ts';
import { ApiError } from '../errors/api-error.ts';
import { Rejection, type ValidationStatus } from '../errors/problem.ts';
import { isThenable } from '../util/promises.ts';
import type { Decoded, MaybePromise } from '../endpoint/decoder.ts';
import { type Decoding, type Format, createFormat } from '../endpoint/format.ts';
import { parseJson, parseJsonString } from '../http/json.ts';
import { ByteBuffer } from '../util/byte-buffer.ts';
import { createDecoder, type DecoderInput, type ItemDecoder, type DecodeOptions, type Items, ItemStrings, valueOrThrow } from './items.ts';

/**
 * The options of `ndjson`.
 *
 * @example
 * ```ts
 * const options: NdjsonOptions = { lineBytes: 1_000_000 };
 * const run = async (items: AsyncIterable<Pet>) => {
 *   for await (const item of items) await db.insert(item);
 *   return pets.size;
 * };
 * defineEndpoint({ custom: { import: { input: ndjson(Pet, options), run } } });
 * ```
 */
export interface NdjsonOptions {
  /**
   * The longest line, in bytes.
   *
   * @default 65_536
   */
  readonly lineBytes?: number;
}

/** A format that `ndjson` made. */
export type Ndjson<D> = Format<Items<DecoderInput<D>>, AsyncIterable<Decoded<D>>, 'ndjson'>;

const TYPE = 'application/x-ndjson';
const CARRIAGE_RETURN = 0x0d;

export const NDJSON_OPTIONS: Shape<Required<NdjsonOptions>> = shape({ lineBytes: integer(1, MAX_BYTES, 64 * 1024) });

/**
 * Reads or writes NDJSON. As an input, the operation gets an async iterable of decoded items. The body is read no faster than the operation
 * iterates. The iteration throws an `ApiError` for a line that is not JSON (400), that `item` rejects (the server's `validationStatus`) or
 * that is too long (413). Empty lines are skipped. `limits.bodyBytes` and `limits.requestMs` apply to the whole body.
 *
 * As an output, the operation returns an iterable or an async iterable. Each item goes through `item`.
 *
 * @example
 * ```ts
 * server.registerEndpoint('/dump', {
 *   get: { output: ndjson(Pet), run: () => pets.values() },
 *   update: {
 *     input: ndjson(Pet),
 *     run: async (items) => {
 *       for await (const pet of items) await db.insert(pet);
 *     },
 *   },
 * });
 * ```
 * @throws `TypeError` if `item` is not a decoder, and for an invalid option.
 */
export function ndjson<D extends ItemDecoder>(item: D, options: NdjsonOptions = {}): Ndjson<D> {
  const { lineBytes } = NDJSON_OPTIONS.check(options, 'options');
  const decode = createDecoder<Decoded<D>>(item);
  return createFormat('ndjson', {
    types: [TYPE, 'application/ndjson', 'application/jsonl'],
    decode: (body, _request, decoding) => new LineItems(body, lineBytes, decode, decoding),
    encode: (items: Items<DecoderInput<D>>) => new ItemStrings(items, async (item) => `${stringifyItem(await decode(item))}\n`),
    jsonSchema: (schemaOf) => schemaOf(item),
    isSequence: true,
  });
}

// The number of lines that are parsed before other clients are served. A chunk can hold many thousands.
const MAX_BATCH = 500;

/** The items of a body. Not a generator: a generator awaits three times for each item, and a body can have half a million. */
class LineItems<T> implements AsyncIterableIterator<T, undefined, undefined> {
  readonly #batches: AsyncGenerator<readonly unknown[], void, undefined>;
  readonly #decode: (value: unknown, options: DecodeOptions) => MaybePromise<T>;
  readonly #status: ValidationStatus;
  #batch: readonly unknown[] = [];
  #at = 0;
  // The number of items before the batch.
  #before = 0;
  #isOver = false;
  #refilled: Promise<void> | undefined;

  constructor(
    body: AsyncIterable<Uint8Array>, lineBytes: number, decode: (value: unknown, options: DecodeOptions) => MaybePromise<T>,
    { uniqueKeys, validationStatus }: Decoding,
  ) {
    this.#batches = parseLines(body, lineBytes, uniqueKeys);
    this.#decode = decode;
    this.#status = validationStatus;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    // Calls that overlap wait for the same batch.
    if (this.#at === this.#batch.length) return (this.#refilled ??= this.#refill()).then(() => this.next());
    const at = this.#at;
    this.#at += 1;
    try {
      const value = this.#decodeItem(this.#batch[at], new LineOptions(this.#before + at, this.#status));
      return isThenable(value) ? this.#settle(value) : Promise.resolve({ done: false, value });
    } catch (thrown) {
      return this.#settle(Promise.reject(thrown));
    }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#isOver = true;
    await this.#batches.return();
    return { done: true, value: undefined };
  }

  #decodeItem(json: unknown, options: LineOptions): MaybePromise<T> {
    return this.#decode(valueOrThrow(json, { at: json instanceof Rejection ? options.at : '' }), options);
  }

  /** After a failure there are no more items. */
  async #settle(promised: PromiseLike<T>): Promise<IteratorResult<T, undefined>> {
    try {
      return { done: false, value: await promised };
    } catch (thrown) {
      await this.return();
      throw thrown;
    }
  }

  async #refill(): Promise<void> {
    try {
      const { done, value } = await this.#batches.next();
      this.#isOver ||= done === true;
      this.#before += this.#batch.length;
      this.#batch = value ?? [];
      this.#at = 0;
    } catch (thrown) {
      this.#isOver = true;
      throw thrown;
    } finally {
      this.#refilled = undefined;
    }
  }
}

/** The options for a line. Its pointer is made only when the line is rejected. */
class LineOptions implements DecodeOptions {
  readonly status: ValidationStatus;
  readonly #index: number;

  constructor(index: number, status: ValidationStatus) {
    this.status = status;
    this.#index = index;
  }

  get at(): string {
    return `/${this.#index}`;
  }
}

/** Parses the lines of a body that are not empty, several at a time. A line that is not JSON is a `Rejection`. */
async function* parseLines(
  body: AsyncIterable<Uint8Array>, lineBytes: number, uniqueKeys: boolean,
): AsyncGenerator<readonly unknown[], void, undefined> {
  // The line that began in an earlier chunk.
  const line = new ByteBuffer();
  for await (const piece of body) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    // As one string, the lines of a chunk are cut, decoded and parsed in half the time.
    const text = chunk.toString('latin1');
    const isAscii = !NOT_ASCII.test(text);
    let batch: unknown[] = [];
    for (let start = 0, end = 0; end !== -1; start = end + 1) {
      end = text.indexOf('\n', start);
      const length = (end === -1 ? chunk.length : end) - start;
      if (line.length + length > lineBytes) {
        yield batch;
        throw ApiError.status(413, `A line must not be longer than ${lineBytes} bytes.`);
      }
      const content = text.slice(start, text[end - 1] === '\r' ? end - 1 : end);
      if (end !== -1 && line.length === 0 && (isAscii || !NOT_ASCII.test(content))) {
        if (content !== '') batch.push(parseJsonString(content, uniqueKeys));
      } else {
        line.add(chunk.subarray(start, start + length));
        if (end !== -1) takeLine(line, batch, uniqueKeys);
      }
      if (batch.length < MAX_BATCH) continue;
      yield batch;
      batch = [];
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (batch.length > 0) yield batch;
  }
  const last: unknown[] = [];
  takeLine(line, last, uniqueKeys);
  yield last;
}

const NOT_ASCII = /[\x80-\xff]/;

/** Parses the bytes of a line, unless there are none. */
function takeLine(line: ByteBuffer, batch: unknown[], uniqueKeys: boolean): void {
  const bytes = line.take();
  const content = bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
  if (content.length > 0) batch.push(parseJson(content, uniqueKeys));
}

/** Throws `TypeError` for a value that JSON cannot represent. */
export function stringifyItem(value: unknown): string {
  const json: unknown = JSON.stringify(value);
  if (typeof json === 'string') return json;
  throw new TypeError(`JSON cannot represent an item of type ${typeof value}`);
}
