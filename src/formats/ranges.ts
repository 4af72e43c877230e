/**
 * Bodies of which a client can ask for a part (RFC 9110 section 14), such as a video.
 */
import { ApiError } from '../errors/api-error.ts';
import type { Outgoing } from '../http/response.ts';
import { type Checked, functionOr, integer, required, type Shape, shape } from '../util/options.ts';
import { adopt, disownCall, isThenable } from '../util/promises.ts';
import type { MaybePromise } from '../declaration/decoder.ts';
import type { ChoiceHead, ChosenBody } from '../declaration/reply.ts';
import { closeUnread, isBytes, type StreamReader, readStream, type Stream } from '../util/stream.ts';
import { findHeader } from '../http/head.ts';
import { findRange } from '../http/ranges.ts';

/**
 * The options of `ranges`.
 *
 * @example
 * ```ts
 * const video: RangesOptions = { size: 3, read: (from, to) => new Uint8Array([1, 2, 3]).subarray(from, to + 1) };
 * defineEndpoint({ get: () => reply(200, ranges(video), { 'Content-Type': 'video/mp4' }) });
 * ```
 */
export interface RangesOptions {
  /** The length of the whole, in bytes. */
  readonly size: number;
  /**
   * Reads a part, from the byte `from` to the byte `to`, inclusive. Called once for a response, and not for HEAD, 304, 412, 416, or if
   * `size` is 0. If it throws or rejects, the client gets the status of the `ApiError`, or else a logged 500.
   */
  readonly read: (from: number, to: number) => MaybePromise<Uint8Array | AsyncIterable<string | Uint8Array>>;
  /**
   * Closes what `read` reads from. Called exactly once: when the response has been sent, when no part of the body is sent (HEAD, 304, 412,
   * 416, and after a timeout), or when the client leaves, even before `read` has resolved. It is not awaited. Its error is logged.
   */
  readonly close?: () => unknown;
}

const NO_BYTES = new Uint8Array(0);

/** `ranges(options)`: {@link RangesOptions}. */
export const RANGES_OPTIONS: Shape<Checked<RangesOptions>> = shape({
  size: required(integer(0, Number.MAX_SAFE_INTEGER)),
  read: required(functionOr()),
  close: functionOr(),
});

/**
 * Makes the body of a `reply` with status 200 to a GET. The response has `Accept-Ranges`. A client gets 206 for a `Range`, 416 for a range
 * after the end, and the whole for several ranges. `If-Range` is compared with the `ETag` or the `Last-Modified` of the reply.
 *
 * Open a file before you ask for its size, and read from the open file. If `read` opens it by its name, the file may have been replaced
 * since: the client gets a part of the new file, with the size and the `ETag` of the old one.
 *
 * `Cache-Control` gets `no-transform`: a proxy that compresses a part corrupts it.
 *
 * @example
 * ```ts
 * import { open } from 'node:fs/promises';
 *
 * async function sendFilm() {
 *   const file = await open('film.mp4');
 *   const { ino, mtimeMs, size } = await file.stat();
 *   const body = ranges({ size, read: (start, end) => file.createReadStream({ start, end }), close: () => file.close() });
 *   return reply(200, body, { 'Content-Type': 'video/mp4', ETag: `"${ino}-${mtimeMs}-${size}"` });
 * }
 * server.registerEndpoint('/film', { get: sendFilm });
 * ```
 * @throws `TypeError` for an invalid option.
 */
export function ranges(options: RangesOptions): ChosenBody {
  const { size, read, close } = RANGES_OPTIONS.check(options, 'options');
  let isClosed = false;
  const closeOnce = (): unknown => {
    if (isClosed) return undefined;
    isClosed = true;
    return close?.();
  };
  return { ' internal': { choose: (head) => chooseRange(head, size, read), makeHeaders: makeRangeHeaders, close: closeOnce } };
}

function chooseRange(
  { method, rawHeaders, status, headers: own }: ChoiceHead, size: number, read: RangesOptions['read'],
): Outgoing<Uint8Array | Stream> | ApiError {
  const validators = { etag: findHeader(own, 'etag'), lastModified: findHeader(own, 'last-modified') };
  // Only a GET that succeeds has parts (RFC 9110 section 14.2).
  const range = method === 'GET' && status === 200 ? findRange(rawHeaders, size, validators) : 'whole';
  const added = makeRangeHeaders(own);
  if (range === 'unsatisfiable') {
    // Without the `Cache-Control` of the whole: a cache could give the error to clients that ask for all of it.
    const headers = { 'Accept-Ranges': 'bytes', 'Content-Range': `bytes */${size}` };
    return ApiError.because('range', `The range begins after the end: there are ${size} bytes.`, { headers });
  }
  if (range === 'whole') {
    if (size === 0) return { status, headers: added, body: NO_BYTES };
    return { status, headers: [...added, 'Content-Length', String(size)], body: new RangePart(() => read(0, size - 1)) };
  }
  const { first, last } = range;
  const headers = [...added, 'Content-Range', `bytes ${first}-${last}/${size}`, 'Content-Length', String(last - first + 1)];
  return { status: 206, headers, body: new RangePart(() => read(first, last)) };
}

function makeRangeHeaders(own: readonly string[]): string[] {
  return ['Accept-Ranges', 'bytes', 'Cache-Control', forbidTransform(findHeader(own, 'cache-control'))];
}

function forbidTransform(cacheControl: string | undefined): string {
  if (cacheControl === undefined) return 'no-transform';
  return /(?:^|[\s,])no-transform(?:$|[\s,])/i.test(cacheControl) ? cacheControl : `${cacheControl}, no-transform`;
}

type Read = Uint8Array | Stream;

const END = { done: true, value: undefined } as const;

/** A part that is read when it is first asked for: a HEAD does not open a file. */
class RangePart implements AsyncIterableIterator<unknown> {
  readonly #read: () => MaybePromise<Read>;
  #source: StreamReader | undefined;
  #isClosed = false;

  constructor(read: () => MaybePromise<Read>) {
    this.#read = read;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<unknown>> {
    if (this.#source === undefined) {
      const given = this.#read();
      const part = isThenable(given) ? await adopt(given) : given;
      if (this.#isClosed) {
        // The client has left meanwhile.
        if (!isBytes(part)) disownCall(() => closeUnread(part));
        return END;
      }
      this.#source = openPart(part);
    }
    return this.#source.next() as Promise<IteratorResult<unknown>>;
  }

  async return(): Promise<IteratorResult<unknown>> {
    this.#isClosed = true;
    await this.#source?.close();
    return END;
  }
}

function openPart(part: Read): StreamReader {
  if (!isBytes(part)) return readStream(part);
  const chunks = [part].values();
  return { next: async () => chunks.next(), close: () => undefined };
}
