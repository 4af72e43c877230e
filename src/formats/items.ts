/** The common part of the formats of sequences: a host's items are read, decoded and closed. */
import { ApiError } from '../errors/api-error.ts';
import { argumentText, Rejection, problemOf, type ProblemIssue, type ValidationStatus } from '../errors/problem.ts';
import { adopt, isThenable, formatError } from '../util/promises.ts';
import { type AnyDecoder, type Decode, decodeWith, type MaybePromise } from '../endpoint/decoder.ts';
import { type Source, sourceOf } from '../endpoint/stream.ts';
import { ByteBuffer } from '../util/byte-buffer.ts';

/** The items of a sequence. */
export type Items<T> = Iterable<T> | AsyncIterable<T>;

/** A decoder of a host's. A function may have a typed parameter. */
export type ItemDecoder = AnyDecoder | ((value: any) => unknown);

/** The input of a decoder. A schema can be callable: then the schema's input counts. */
export type DecoderInput<D> = D extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
  ? Input
  : D extends (value: infer Value) => unknown ? Value : never;

/** Where a value is in the body, as a JSON pointer, and the status if it is refused. */
export interface DecodeOptions {
  /** `/3` for the fourth item. Default: the whole body. */
  readonly at?: string;
  /** The server's `validationStatus`, which `decode` of a format gets. Default: 400. */
  readonly status?: ValidationStatus;
}

/**
 * Makes a function of a decoder, for formats. It throws an `ApiError` for a value that the decoder refuses. Throws `TypeError` for an invalid
 * decoder.
 */
export function createDecoder<T = unknown>(decoder: ItemDecoder): (value: unknown, place?: DecodeOptions) => MaybePromise<T> {
  const decode: Decode = decodeWith(decoder, 'the decoder of a format');
  return (value, place) => {
    const decoded = decode(value);
    return isThenable(decoded) ? adopt(decoded).then((settled) => valueOrThrow(settled, place) as T) : valueOrThrow(decoded, place) as T;
  };
}

/** Returns a decoded value. Throws a `Rejection` as an `ApiError`, which says where the value is. */
export function valueOrThrow(decoded: unknown, { at = '', status = 400 }: DecodeOptions = {}): unknown {
  if (!(decoded instanceof Rejection)) return decoded;
  throw rejectAt(at, status, decoded);
}

function rejectAt(at: string, status: ValidationStatus, { problem: { detail = '', errors }, cause }: Rejection): ApiError {
  const issues = (errors as readonly ProblemIssue[] | undefined) ?? [{ detail: detail.replace(argumentText(''), '') }];
  const located = issues.map((issue) => ({ ...issue, pointer: joinPointers(at, issue) }));
  return ApiError.wrap(new Rejection({ ...problemOf(status, detail), errors: located }, [], cause));
}

function joinPointers(at: string, { pointer = '#' }: ProblemIssue): string {
  return `#${at}${pointer.slice(1)}`;
}

/** Reads a whole body. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const bytes = new ByteBuffer();
  for await (const chunk of body) bytes.add(chunk);
  return bytes.take();
}

/**
 * The items of a host as texts, one at a time. It is no generator: one that waits for its items could not close them when the client leaves.
 *
 * What the host's iterator throws is thrown on. An item that cannot be written is a failure of the host's: a `TypeError`, whatever `format`
 * throws.
 */
export class ItemStrings implements AsyncIterableIterator<string> {
  readonly #source: Source;
  readonly #format: (item: unknown) => Promise<string>;
  #isOver = false;

  /** Throws `TypeError` for a value without items. */
  constructor(items: unknown, format: (item: unknown) => Promise<string>) {
    this.#source = openItems(items);
    this.#format = format;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string, undefined>> {
    const { done, value } = await this.#item();
    if (done === true) return { done, value: undefined };
    try {
      return { done: false, value: await this.#format(value) };
    } catch (thrown) {
      // A stream that has failed is not closed by whoever reads it.
      await this.return();
      throw new TypeError(`an item cannot be sent: ${formatError(thrown)}`, { cause: thrown });
    }
  }

  /** Closes the host's iterator at once, also while an item is waited for. */
  async return(): Promise<IteratorResult<string, undefined>> {
    if (!this.#isOver) {
      this.#isOver = true;
      await this.#source.close();
    }
    return { done: true, value: undefined };
  }

  /** The next item, or the end. If the host's iterator fails, it is over. */
  async #item(): Promise<IteratorResult<unknown, undefined>> {
    try {
      const result = this.#source.next();
      const { done, value } = (isThenable(result) ? await adopt(result) : result) as IteratorResult<unknown>;
      if (done !== true) return { done: false, value };
    } catch (thrown) {
      this.#isOver = true;
      throw thrown;
    }
    this.#isOver = true;
    return { done: true, value: undefined };
  }
}

function openItems(items: unknown): Source {
  const iterable = Object(items) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  if (typeof iterable[Symbol.asyncIterator] === 'function') return sourceOf(items as AsyncIterable<unknown>);
  if (typeof items === 'string' || typeof iterable[Symbol.iterator] !== 'function') {
    throw new TypeError(`a sequence must be an iterable or an async iterable: ${typeof items}`);
  }
  const iterator = (items as Iterable<unknown>)[Symbol.iterator]();
  return { next: () => iterator.next(), close: () => iterator.return?.() };
}
