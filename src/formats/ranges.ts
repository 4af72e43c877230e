/**
 * A body of which a client can ask for a part (RFC 9110 section 14), such as a video.
 *
 *   reply(200, ranges({ size, read: (start, end) => createReadStream(file, { start, end }) }), { ETag, 'Content-Type': 'video/mp4' })
 */
import { ApiError } from '../errors/api-error.ts';
import { functionFrom, knownMembersOf, numberFrom } from '../errors/members.ts';
import type { Choice, ChoiceHead, ChosenBody } from '../endpoint/reply.ts';
import { isBytes, type Source, sourceOf, type Stream } from '../endpoint/stream.ts';
import { fieldValue } from '../http/head.ts';
import { requestedRange } from '../http/ranges.ts';

/** The body of `ranges`. */
export interface RangesOptions {
  /** The length of the whole, in bytes. */
  readonly size: number;
  /** Reads a part: from the byte `from` to the byte `to`, both in it. Called once for an answer, and not for HEAD or if `size` is 0. */
  readonly read: (from: number, to: number) => Uint8Array | AsyncIterable<string | Uint8Array>;
}

const NO_BYTES = new Uint8Array(0);

/**
 * The body of a `reply` with status 200 to a GET. The answer has `Accept-Ranges`. It is 206 for a `Range` and 416 for one behind the end; where
 * the client asks for several ranges, it is the whole. `If-Range` is compared with the `ETag` or the `Last-Modified` of the reply.
 *
 * `Cache-Control` gets `no-transform`: a proxy that compresses a part corrupts it. Throws `TypeError` for an invalid option.
 */
export function ranges(options: RangesOptions): ChosenBody {
  const { size, read } = knownMembersOf(options, 'options', ['size', 'read']) as unknown as RangesOptions;
  numberFrom(size, 'options.size', [0, Number.MAX_SAFE_INTEGER]);
  if (functionFrom<RangesOptions['read']>(read, 'options.read') === undefined) throw new TypeError('options must have read');
  return { '~choose': (head) => chosenFor(head, size, read) };
}

function chosenFor({ method, rawHeaders, status, fields }: ChoiceHead, size: number, read: RangesOptions['read']): Choice | ApiError {
  const validators = { etag: fieldValue(fields, 'etag'), lastModified: fieldValue(fields, 'last-modified') };
  // Only a GET that succeeds has parts (RFC 9110 section 14.2).
  const range = method === 'GET' && status === 200 ? requestedRange(rawHeaders, size, validators) : 'whole';
  const headers = { 'Accept-Ranges': 'bytes', 'Cache-Control': untransformed(fieldValue(fields, 'cache-control')) };
  if (range === 'unsatisfiable') {
    return ApiError.status(416, `The range begins behind the end, which is at ${size} bytes.`, { headers: { ...headers, 'Content-Range': `bytes */${size}` } });
  }
  if (range === 'whole') {
    return { status, headers: { ...headers, 'Content-Length': String(size) }, body: size === 0 ? NO_BYTES : new Part(() => read(0, size - 1)) };
  }
  const { first, last } = range;
  const length = { 'Content-Range': `bytes ${first}-${last}/${size}`, 'Content-Length': String(last - first + 1) };
  return { status: 206, headers: { ...headers, ...length }, body: new Part(() => read(first, last)) };
}

function untransformed(cacheControl: string | undefined): string {
  if (cacheControl === undefined) return 'no-transform';
  return /(?:^|[\s,])no-transform(?:$|[\s,])/i.test(cacheControl) ? cacheControl : `${cacheControl}, no-transform`;
}

/** A part that is read when it is first asked for: a HEAD does not open a file. */
class Part implements AsyncIterableIterator<unknown> {
  readonly #read: () => Uint8Array | Stream;
  #source: Source | undefined;

  constructor(read: () => Uint8Array | Stream) {
    this.#read = read;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<unknown>> {
    return (this.#source ??= sourceOfPart(this.#read())).next() as Promise<IteratorResult<unknown>>;
  }

  async return(): Promise<IteratorResult<unknown>> {
    await this.#source?.close();
    return { done: true, value: undefined };
  }
}

function sourceOfPart(part: Uint8Array | Stream): Source {
  if (!isBytes(part)) return sourceOf(part);
  const chunks = [part].values();
  return { next: async () => chunks.next(), close: () => undefined };
}
