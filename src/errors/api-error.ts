/**
 * What an operation throws, and the status that answers it:
 *
 *   ApiError.argument('legs must be even')   ->   400  "Bad arguments: legs must be even"
 *   ApiError.internal('disk is full')        ->   500  "Internal error: disk is full"
 *   ApiError.notFound()                      ->   404  "Not found."
 */
import { disown } from './thenable.ts';

const ERROR_KINDS = ['Argument', 'Internal', 'NotFound'] as const;

/** The kinds of failure. The kind decides the HTTP status: see `STATUS_OF_KIND`. */
export type ErrorKind = (typeof ERROR_KINDS)[number];

/** Returns `true` if a store's failure means that the item does not exist. Only `true` counts, not a promise of it. */
export type NotFoundPredicate = (error: unknown) => boolean;

/** A failure of an operation. `message` is the text for the client and the log. `cause` is what led to it, and is never sent. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Decides the status: `Argument` 400, `NotFound` 404, `Internal` 500. */
  readonly kind: ErrorKind;

  private constructor(kind: ErrorKind, displayText: string, options: ErrorOptions | undefined) {
    super(displayText, options);
    this.kind = kind;
  }

  /** The request is wrong: 400, with the text `Bad arguments: <message>`. */
  static argument(message: string, options?: ErrorOptions): ApiError {
    return new ApiError('Argument', argumentText(message), options);
  }

  /** The server failed: 500. The text `Internal error: <message>` is logged, and not sent unless `exposeInternalErrors` is set. */
  static internal(message: string, options?: ErrorOptions): ApiError {
    return new ApiError('Internal', `Internal error: ${message}`, options);
  }

  /** The item does not exist: 404, with the text `Not found.` */
  static notFound(options?: ErrorOptions): ApiError {
    return new ApiError('NotFound', NOT_FOUND_TEXT, options);
  }

  /**
   * Makes an `ApiError` of anything thrown, with that as its `cause`. Returns an `ApiError` as it is. A failure for which
   * `isNotFound` returns `true` becomes `NotFound`. Any other becomes `Internal`, with its own text. Never throws, even if the
   * predicate or a getter of the failure throws.
   */
  static from(thrown: unknown, isNotFound: NotFoundPredicate = reportsNotFound): ApiError {
    if (isApiError(thrown)) return thrown;
    disown(thrown);
    try {
      const answer: unknown = isNotFound(thrown);
      if (answer === true) return ApiError.notFound({ cause: thrown });
      disown(answer);
    } catch (failure) {
      // The log must show what was thrown, and not the predicate's own failure.
      disown(failure);
    }
    return ApiError.internal(textOf(thrown), { cause: thrown });
  }
}

/** Whether a thrown value is an intact `ApiError`. Never throws, as `instanceof` does for some proxies. */
export function isApiError(thrown: unknown): thrown is ApiError {
  try {
    return thrown instanceof ApiError && ERROR_KINDS.includes(thrown.kind) && typeof thrown.message === 'string';
  } catch {
    return false;
  }
}

// These texts are also used without an `ApiError`.
export const NOT_FOUND_TEXT = 'Not found.';

export function argumentText(message: string): string {
  return `Bad arguments: ${message}`;
}

// The codes of file systems, Level stores and Prisma.
const NOT_FOUND_CODES: ReadonlySet<unknown> = new Set(['ENOENT', 'LEVEL_NOT_FOUND', 'P2025']);

/** The default `isNotFound`: `notFound` is `true`, `name` is `NotFoundError`, or `code` is one of `NOT_FOUND_CODES`. */
export function reportsNotFound(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { notFound, name, code } = error as { notFound?: unknown; name?: unknown; code?: unknown };
  return notFound === true || name === 'NotFoundError' || NOT_FOUND_CODES.has(code);
}

/** The text of any thrown value, which may be a promise. Never throws. */
export function textOf(thrown: unknown): string {
  disown(thrown);
  try {
    return shownText(thrown instanceof Error ? String(thrown.message) : String(thrown));
  } catch {
    return 'a failure that has no text';
  }
}

// Even if every character is escaped, such a text fits into a string with others.
const MAX_SHOWN = 2 ** 24;

/** Replaces a text that is too long to be part of a message. */
export function shownText(text: string): string {
  return text.length <= MAX_SHOWN ? text : `a text of ${text.length} characters`;
}
