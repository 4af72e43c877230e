/**
 * What an operation may refuse or fail with: one class, three kinds.
 *
 *   ApiError.argument('legs must be even')   ->   400  "Bad arguments: legs must be even"
 *   ApiError.internal('disk is full')        ->   500  "Internal error: disk is full"
 *   ApiError.notFound()                      ->   404  "Not found."
 */

import { disown } from './thenable.ts';

/** The three kinds of failure. The kind decides the HTTP status. */
export type ErrorKind = (typeof ERROR_KINDS)[number];

const ERROR_KINDS = ['Argument', 'Internal', 'NotFound'] as const;

/** Says whether a store's failure means that the thing asked for does not exist. Only `true` says so, and no promise of it. */
export type NotFoundPredicate = (error: unknown) => boolean;

/** A failure of an operation. `message` is its display text; `cause` is what led to it, and is never sent. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  /** Decides the status: `Argument` 400, `NotFound` 404, `Internal` 500. */
  readonly kind: ErrorKind;

  private constructor(kind: ErrorKind, displayText: string, options: ErrorOptions | undefined) {
    super(displayText, options);
    this.kind = kind;
  }

  /** The request was understood and is wrong: 400, displayed as `Bad arguments: <message>`. */
  static argument(message: string, options?: ErrorOptions): ApiError {
    return new ApiError('Argument', argumentText(message), options);
  }

  /** The server failed: 500, displayed as `Internal error: <message>` in the log, and kept from the client. */
  static internal(message: string, options?: ErrorOptions): ApiError {
    return new ApiError('Internal', `Internal error: ${message}`, options);
  }

  /** The item does not exist: 404, displayed as `Not found.` */
  static notFound(options?: ErrorOptions): ApiError {
    return new ApiError('NotFound', NOT_FOUND_TEXT, options);
  }

  /**
   * Makes an `ApiError` of anything thrown, with that as its `cause`. An `ApiError` stays what it is; what
   * `isNotFound` recognises, by giving `true`, becomes `NotFound`; all else becomes `Internal` with the failure's own text.
   * Never throws, whatever the thrown value's getters or the predicate do.
   */
  static from(thrown: unknown, isNotFound: NotFoundPredicate = reportsNotFound): ApiError {
    if (isApiError(thrown)) return thrown;
    // What was thrown may be a promise, too.
    disown(thrown);
    try {
      const answer: unknown = isNotFound(thrown);
      if (answer === true) return ApiError.notFound({ cause: thrown });
      disown(answer);
    } catch (failure) {
      // A predicate that fails has not recognised the error: what was thrown first is what the log must show.
      disown(failure);
    }
    return ApiError.internal(textOf(thrown), { cause: thrown });
  }
}

/**
 * Says whether what was thrown is an `ApiError`, with the members of one. Never throws, where `instanceof` does: a
 * proxy can refuse to tell its class, and its members too.
 */
export function isApiError(thrown: unknown): thrown is ApiError {
  try {
    return thrown instanceof ApiError && ERROR_KINDS.includes(thrown.kind) && typeof thrown.message === 'string';
  } catch {
    return false;
  }
}

/** How an item that does not exist is displayed. */
export const NOT_FOUND_TEXT = 'Not found.';

/** How a refused argument is displayed, for where that is all that is needed of it: an `Error` costs microseconds. */
export function argumentText(message: string): string {
  return `Bad arguments: ${message}`;
}

// File systems, Level stores and Prisma, in this order.
const NOT_FOUND_CODES: ReadonlySet<unknown> = new Set(['ENOENT', 'LEVEL_NOT_FOUND', 'P2025']);

/**
 * The default `isNotFound`: `error.notFound` is `true`, or `error.name` is `NotFoundError`, or `error.code`
 * is one of `ENOENT`, `LEVEL_NOT_FOUND`, `P2025`.
 */
export function reportsNotFound(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { notFound, name, code } = error as { notFound?: unknown; name?: unknown; code?: unknown };
  return notFound === true || name === 'NotFoundError' || NOT_FOUND_CODES.has(code);
}

/** The text of anything that can be thrown. Never throws. A promise can be thrown too, and nobody will wait for it. */
export function textOf(thrown: unknown): string {
  disown(thrown);
  try {
    return shownText(thrown instanceof Error ? String(thrown.message) : String(thrown));
  } catch {
    return 'a failure that has no text';
  }
}

// Far more than anybody reads, and little enough to be put into another text, with every character escaped.
const MAX_SHOWN = 2 ** 24;

/** A text that can be part of a message: one that fills V8's longest string can be part of nothing. */
export function shownText(text: string): string {
  return text.length <= MAX_SHOWN ? text : `a text of ${text.length} characters`;
}
