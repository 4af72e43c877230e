/**
 * NDJSON: a sequence of JSON values, one on each line.
 *
 *   { input: ndjson(Pet), run: async (pets) => { for await (const pet of pets) await store.insert(pet); } }
 *   { output: ndjson(Pet), run: () => store.all() }
 */
import { ApiError } from '../errors/api-error.ts';
import { Rejection, type ValidationStatus } from '../errors/problem.ts';
import { disown, isThenable } from '../util/promises.ts';
import type { Decoded, DecoderInput, MaybePromise } from '../declaration/decoder.ts';
import { makeFormat } from '../declaration/define-format.ts';
import type { Decoding, Format } from '../declaration/format.ts';
import { stringifyValue } from '../endpoint/result-json.ts';
import { parseJsonBody } from '../http/json.ts';
import { ByteBuffer } from '../util/bytes.ts';
import { setImmediate } from '../util/timers.ts';
import { createDecoder, type ItemDecoder, type DecodeOptions, type Items, ItemStrings, valueOrThrow } from './items.ts';

/** A format that `ndjson` made. */
export type Ndjson<D> = Format<Items<DecoderInput<D>>, AsyncIterable<Decoded<D>>, 'ndjson'>;

const TYPE = 'application/x-ndjson';
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/**
 * Reads or writes NDJSON. As an input, the operation gets an async iterable of decoded items. The body is read no faster than the operation
 * iterates. The iteration throws an `ApiError` for a line that is not JSON (400), that `item` rejects (the server's `validationStatus`) or
 * that is longer than 64 KiB (413). Empty lines are skipped. `limits.bodyBytes` and `limits.requestMs` apply to the whole body.
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
 * @throws `TypeError` if `item` is not a decoder.
 */
export function ndjson<D extends ItemDecoder>(item: D): Ndjson<D> {
  const decode = createDecoder<Decoded<D>>(item);
  return makeFormat({ kind: 'ndjson' }, {
    types: [TYPE, 'application/ndjson', 'application/jsonl'],
    decode: (body, _request, decoding) => new LineItems(body, decode, decoding),
    encode: (items: Items<DecoderInput<D>>) => new ItemStrings(items, async (item) => `${stringifyItem(await decode(item))}\n`),
    jsonSchema: (schemaOf) => schemaOf(item),
    isSequence: true,
  });
}

/** Handles the rejection of a promise, which the user's code may wait for too late. */
function keep<T>(promise: Promise<T>): Promise<T> {
  disown(promise);
  return promise;
}

// The number of lines that are parsed before other clients are served. A chunk can hold many thousands.
const MAX_BATCH = 500;

/** The items of a body. Not a generator: a generator awaits three times for each item, and a body can have half a million. */
class LineItems<T> implements AsyncIterableIterator<T, undefined, undefined> {
  readonly #batches: AsyncGenerator<readonly unknown[], void, undefined>;
  readonly #decode: (value: unknown, options: DecodeOptions) => MaybePromise<T>;
  #options: LineOptions;
  #batch: readonly unknown[] = [];
  #at = 0;
  // The number of items before the batch.
  #before = 0;
  #isOver = false;
  #refilled: Promise<void> | undefined;

  constructor(
    body: AsyncIterable<Uint8Array>, decode: (value: unknown, options: DecodeOptions) => MaybePromise<T>,
    { uniqueKeys, validationStatus }: Decoding,
  ) {
    this.#batches = parseLines(body, uniqueKeys);
    this.#decode = decode;
    this.#options = new LineOptions(validationStatus);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    // Calls that overlap wait for the same batch.
    if (this.#at === this.#batch.length) return keep((this.#refilled ??= this.#refill()).then(() => this.next()));
    const at = this.#at;
    this.#at += 1;
    try {
      this.#options.index = this.#before + at;
      const value = this.#decode(valueOrThrow(this.#batch[at], this.#options, 400), this.#options);
      if (!isThenable(value)) return Promise.resolve({ done: false, value });
      // This line may still need its options.
      this.#options = new LineOptions(this.#options.status);
      return keep(this.#settle(value));
    } catch (thrown) {
      return keep(this.#settle(Promise.reject(thrown)));
    }
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    this.#isOver = true;
    await this.#batches.return();
    return { done: true, value: undefined };
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

/** The options for the lines, one after the other. The pointer of a line is made only when the line is rejected. */
class LineOptions implements DecodeOptions {
  readonly status: ValidationStatus;
  index = 0;

  constructor(status: ValidationStatus) {
    this.status = status;
  }

  get at(): string {
    return `/${this.index}`;
  }
}

// In bytes. As many are parsed at once, since a body can be one chunk.
const MAX_LINE = 64 * 1024;

/** Parses the lines of a body that are not empty, several at a time. A line that is not JSON is a `Rejection`. */
async function* parseLines(body: AsyncIterable<Uint8Array>, uniqueKeys: boolean): AsyncGenerator<readonly unknown[], void, undefined> {
  // The line that began in an earlier chunk.
  const line = new ByteBuffer();
  for await (const piece of body) {
    const chunk = Buffer.from(piece.buffer, piece.byteOffset, piece.length);
    for (let start = 0, end = 0; start < chunk.length; start = end) {
      end = chooseSectionEnd(chunk, start, line.length === 0 ? MAX_LINE : 0);
      const section = chunk.subarray(start, end);
      const isWhole = section.at(-1) === LINE_FEED;
      if (line.length + section.length - Number(isWhole) > MAX_LINE) {
        throw ApiError.because('body-length', `A line must not be longer than ${MAX_LINE} bytes.`);
      }
      const values = isWhole && line.length === 0 ? parseSection(section, uniqueKeys) : parseLine(section, line, uniqueKeys);
      for (let at = 0; at < values.length; at += MAX_BATCH) {
        yield values.slice(at, at + MAX_BATCH);
        if (values.length >= MAX_BATCH) await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
  yield takeLine(line, uniqueKeys);
}

/** Returns the end of the lines that end within `limit` bytes, or else of the first line, or of the chunk. */
function chooseSectionEnd(chunk: Buffer, start: number, limit: number): number {
  const last = chunk.lastIndexOf(LINE_FEED, Math.min(start + limit, chunk.length - 1));
  const end = last >= start ? last : chunk.indexOf(LINE_FEED, start);
  return end === -1 ? chunk.length : end + 1;
}

/**
 * Parses whole lines: as one list, which halves the time of short lines. If a line is not JSON, parses line by line, and the last value is
 * the `Rejection`.
 */
function parseSection(section: Buffer, uniqueKeys: boolean): readonly unknown[] {
  const list = makeList(section);
  const values = list === undefined ? undefined : parseJsonBody(list, uniqueKeys);
  // A list of nothing can also be a line of white space.
  if (Array.isArray(values) && (values.length > 0 || !NOT_EMPTY.test(section.toString('latin1')))) return values;
  const line = new ByteBuffer();
  const each: unknown[] = [];
  for (let start = 0, end = 0; start < section.length; start = end) {
    end = section.indexOf(LINE_FEED, start) + 1;
    each.push(...parseLine(section.subarray(start, end), line, uniqueKeys));
    if (each.at(-1) instanceof Rejection) break;
  }
  return each;
}

const NOT_EMPTY = /[^\r\n]|\r\r/;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING = [0x5b, 0x7b] as const;
const CLOSING = [0x5d, 0x7d] as const;

/**
 * Makes a JSON list of whole lines. Each item is a line: returns `undefined` if a line has a comma outside of brackets, or if a string or a
 * bracket is open at its end.
 */
function makeList(section: Buffer): Buffer | undefined {
  const list = Buffer.allocUnsafe(section.length + 1);
  list[0] = OPENING[0];
  list.set(section, 1);
  let depth = 0;
  let end = section.length;
  for (let at = 1, start = 1; at < list.length; at += 1) {
    const byte = list[at];
    if (byte === QUOTE) at = skipString(list, at);
    else if (byte === OPENING[0] || byte === OPENING[1]) depth += 1;
    else if (byte === CLOSING[0] || byte === CLOSING[1]) depth -= 1;
    else if (byte === COMMA && depth === 0) return undefined;
    else if (byte === LINE_FEED) {
      if (depth !== 0) return undefined;
      const isEmpty = at === start || (at === start + 1 && list[start] === CARRIAGE_RETURN);
      list[at] = isEmpty ? SPACE : COMMA;
      if (!isEmpty) end = at;
      start = at + 1;
    }
  }
  list[end] = CLOSING[0];
  return list;
}

/** Returns the end of a string that begins at `start`. One that is not closed on its line ends at the line end, which JSON rejects. */
function skipString(list: Buffer, start: number): number {
  let at = start + 1;
  while (list[at] !== QUOTE && list[at] !== LINE_FEED && at < list.length) at += list[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** Parses a line, or adds its first bytes to `line`. */
function parseLine(bytes: Buffer, line: ByteBuffer, uniqueKeys: boolean): readonly unknown[] {
  const isWhole = bytes.at(-1) === LINE_FEED;
  line.add(isWhole ? bytes.subarray(0, -1) : bytes);
  return isWhole ? takeLine(line, uniqueKeys) : [];
}

/** Parses the bytes of a line, unless there are none. */
function takeLine(line: ByteBuffer, uniqueKeys: boolean): readonly unknown[] {
  const bytes = line.take();
  const content = bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes;
  return content.length === 0 ? [] : [parseJsonBody(content, uniqueKeys)];
}

/** Throws `TypeError` for a value that JSON cannot represent. */
export function stringifyItem(value: unknown): string {
  const json = stringifyValue(value, 'JSON cannot represent an item');
  if (json !== undefined) return json;
  throw new TypeError(`JSON cannot represent an item of type ${typeof value}`);
}
