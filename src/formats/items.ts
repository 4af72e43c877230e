/** The common part of the formats for sequences: reads, decodes and closes the user's items. */
import { ApiError } from '../errors/api-error.ts';
import { makeProblem, formatArgumentMessage, type ProblemIssue, Rejection, type ValidationStatus } from '../errors/problem.ts';
import { adopt, checkAwaited, disown, disownAll, formatError, isThenable } from '../util/promises.ts';
import type { AnyDecoder, MaybePromise } from '../declaration/decoder.ts';
import { makeBodyDecoder, type Decode } from '../endpoint/decoder.ts';
import { readStream, type StreamReader } from '../util/stream.ts';
import { ByteBuffer } from '../util/bytes.ts';

/** The items of a sequence. */
export type Items<T> = Iterable<T> | AsyncIterable<T>;

/** A decoder of the user. A function may have a typed parameter. */
export type ItemDecoder = AnyDecoder | ((value: any) => unknown);

/**
 * The options of a decoder that `createDecoder` made: for the error of a value that it rejects.
 *
 * @example
 * ```ts
 * const options: DecodeOptions = { at: '/3', status: 422 };
 * await createDecoder<Pet>(Pet)({ name: 'Rex', legs: 4 }, options);
 * ```
 */
export interface DecodeOptions {
  /** Where the value is in the body, as a JSON pointer: `/3` for the fourth item. Default: the whole body. */
  readonly at?: string;
  /** The status of the error: `validationStatus` of the server, which `decode` of a format gets. Default: 400. */
  readonly status?: ValidationStatus;
}

/**
 * Makes a function of a decoder, for formats: a schema or a function of the user. It returns the decoded value, and throws an `ApiError`
 * for a value that the decoder rejects.
 *
 * @example
 * ```ts
 * const decodePet = createDecoder<Pet>(Pet);
 * const petLine = defineFormat({
 *   types: ['text/plain'],
 *   decode: async (body) => {
 *     const [name, legs] = (await readAll(body)).toString().split(' ');
 *     return decodePet({ name, legs: Number(legs) });
 *   },
 * });
 * ```
 * @throws `TypeError` for an invalid decoder.
 */
export function createDecoder<T = unknown>(decoder: ItemDecoder): (value: unknown, options?: DecodeOptions) => MaybePromise<T> {
  const decode: Decode = makeBodyDecoder(decoder, 'the decoder of a format');
  return (value, options) => {
    const decoded = decode(value);
    if (!isThenable(decoded)) return valueOrThrow(decoded, options) as T;
    const decoding = adopt(decoded).then((settled) => valueOrThrow(settled, options) as T);
    // The user's code may forget to wait for it.
    disown(decoding);
    return decoding;
  };
}

/** Returns a decoded value. Throws a `Rejection` as an `ApiError`, which says where the value is. */
export function valueOrThrow(decoded: unknown, options: DecodeOptions = {}, status: ValidationStatus = options.status ?? 400): unknown {
  if (!(decoded instanceof Rejection)) return decoded;
  // Read only now: the pointer of a line is made when it is read.
  throw rejectAt(options.at ?? '', status, decoded);
}

function rejectAt(at: string, status: ValidationStatus, { problem: { detail = '', errors }, cause }: Rejection): ApiError {
  const issues = (errors as readonly ProblemIssue[] | undefined) ?? [{ detail: detail.replace(formatArgumentMessage(''), '') }];
  const located = issues.map((issue) => ({ ...issue, pointer: `#${at}${issue.pointer?.slice(1) ?? ''}` }));
  return ApiError.wrap(new Rejection({ ...makeProblem(status, detail), errors: located }, [], cause, 'value'));
}

/**
 * Reads a whole body into memory. Rejects if the body becomes longer than `limits.bodyBytes`, and if the client leaves.
 *
 * @example
 * ```ts
 * const text = defineFormat({ types: ['text/plain'], decode: async (body) => (await readAll(body)).toString() });
 * ```
 */
export function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const reading = readBytes(body);
  // The user's code may forget to wait for it, and the client may leave.
  disown(reading);
  return reading;
}

async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const bytes = new ByteBuffer();
  for await (const chunk of body) bytes.add(chunk);
  return bytes.take();
}

/**
 * The user's items as strings, one at a time. Not a generator: one that waits for its items could not close them when the client leaves.
 *
 * Errors of the user's iterator are thrown as they are. An item that cannot be formatted is the user's mistake: a `TypeError`, whatever
 * `format` throws.
 */
export class ItemStrings implements AsyncIterableIterator<string> {
  readonly #items: unknown;
  readonly #source: StreamReader;
  readonly #format: (item: unknown) => MaybePromise<string>;
  #isOver = false;

  /** Throws `TypeError` for a value without items. */
  constructor(items: unknown, format: (item: unknown) => MaybePromise<string>) {
    this.#items = items;
    this.#source = openItems(items);
    this.#format = format;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    let done: boolean | undefined;
    let value: unknown;
    try {
      const given = this.#source.next();
      ({ done, value } = (isThenable(given) ? await adopt(given) : given) as IteratorResult<unknown>);
    } catch (thrown) {
      // After an error of the user's iterator there are no more items.
      this.#isOver = true;
      throw thrown;
    }
    if (done === true) {
      this.#isOver = true;
      return { done, value: undefined };
    }
    try {
      const string = this.#format(checkAwaited(value, 'an item'));
      return { done: false, value: typeof string === 'string' ? string : await string };
    } catch (thrown) {
      // The items of a list have been made already.
      disownAll([value, this.#items]);
      // The server does not close a stream that has failed.
      await this.return();
      throw new TypeError(`an item cannot be sent: ${formatError(thrown)}`, { cause: thrown });
    }
  }

  /** Closes the user's iterator at once, even while an item is pending. */
  async return(): Promise<IteratorResult<string, undefined>> {
    if (!this.#isOver) {
      this.#isOver = true;
      await this.#source.close();
    }
    return { done: true, value: undefined };
  }
}

function openItems(items: unknown): StreamReader {
  const iterable = Object(items) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  if (typeof iterable[Symbol.asyncIterator] === 'function') return readStream(items as AsyncIterable<unknown>);
  if (typeof items === 'string' || typeof iterable[Symbol.iterator] !== 'function') {
    throw new TypeError(`a sequence must be an iterable or an async iterable: ${typeof items}`);
  }
  const iterator = (items as Iterable<unknown>)[Symbol.iterator]();
  return { next: () => iterator.next(), close: () => iterator.return?.() };
}
