/** The common part of the formats of sequences: a host's items are read, decoded and closed. */
import { ApiError } from '../errors/api-error.ts';
import { argumentText, ErrorAnswer, type Problem, type ProblemIssue } from '../errors/problem.ts';
import { adopt, isThenable } from '../errors/thrown.ts';
import { type AnyDecoder, type Decode, decodeWith, type MaybePromise } from '../endpoint/decoder.ts';
import { type Source, sourceOf } from '../endpoint/stream.ts';

/** The items of a sequence. */
export type Items<T> = Iterable<T> | AsyncIterable<T>;

/** A decoder of a host's. A function may have a typed parameter. */
export type ItemDecoder = AnyDecoder | ((value: any) => unknown);

/** The input of a decoder. A schema can be callable: then the schema's input counts. */
export type InputOf<D> = D extends { readonly '~standard': { readonly types?: { readonly input: infer Input } | undefined } }
  ? Input
  : D extends (value: infer Value) => unknown ? Value : never;

/**
 * Makes a function of a decoder, for formats. It throws an `ApiError` with status 400 for a value that the decoder refuses. `at` is the place of the
 * value in the body, as a JSON pointer: `/3` for its fourth item. Throws `TypeError` for an invalid decoder.
 */
export function decoderOf<T = unknown>(decoder: ItemDecoder): (value: unknown, at?: string) => MaybePromise<T> {
  const decode: Decode = decodeWith(decoder, 'the decoder of a format');
  return (value, at = '') => {
    const decoded = decode(value);
    return isThenable(decoded) ? adopt(decoded).then((settled) => valueOrThrow(settled, at) as T) : valueOrThrow(decoded, at) as T;
  };
}

/** Returns a decoded value. Throws an `ErrorAnswer` as an `ApiError`, which says where the value is. */
export function valueOrThrow(decoded: unknown, at: string): unknown {
  if (!(decoded instanceof ErrorAnswer)) return decoded;
  throw refusalOf(decoded.problem, at);
}

function refusalOf({ status, detail = '', errors }: Problem, at: string): ApiError {
  const issues = (errors as readonly ProblemIssue[] | undefined) ?? [{ detail: detail.replace(argumentText(''), '') }];
  return ApiError.status(status, detail, { members: { errors: issues.map((issue) => ({ ...issue, pointer: pointerBelow(at, issue) })) } });
}

function pointerBelow(at: string, { pointer = '#' }: ProblemIssue): string {
  return `#${at}${pointer.slice(1)}`;
}

/** Reads a whole body. */
export async function readAll(body: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The items of a host, one at a time. */
export class ItemSource {
  readonly #source: Source;
  #isOver = false;

  /** Throws `TypeError` for a value without items. */
  constructor(items: unknown) {
    this.#source = sourceOfItems(items);
  }

  /** The next item, or the end. If the host's iterator fails, it is over. */
  async next(): Promise<IteratorResult<unknown, undefined>> {
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

  /** Closes the host's iterator at once, also while an item is waited for. */
  close(): unknown {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    return this.#source.close();
  }
}

function sourceOfItems(items: unknown): Source {
  const iterable = Object(items) as Partial<AsyncIterable<unknown> & Iterable<unknown>>;
  if (typeof iterable[Symbol.asyncIterator] === 'function') return sourceOf(items as AsyncIterable<unknown>);
  if (typeof items === 'string' || typeof iterable[Symbol.iterator] !== 'function') {
    throw new TypeError(`a sequence must be an iterable or an async iterable: ${typeof items}`);
  }
  const iterator = (items as Iterable<unknown>)[Symbol.iterator]();
  return { next: () => iterator.next(), close: () => iterator.return?.() };
}
