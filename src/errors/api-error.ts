/**
 * What an operation throws, and the status that answers it:
 *
 *   ApiError.argument('legs must be even')      ->   400  "Bad arguments: legs must be even"
 *   ApiError.internal('disk is full')           ->   500  "Internal error: disk is full"
 *   ApiError.notFound()                         ->   404  "Not found."
 *   ApiError.status(409, 'the name is taken')   ->   409  "the name is taken"
 */
import type { ProblemStatus } from './phrases.ts';
import { ProblemAnswer, problemOf, type ErrorAnswer } from './problem.ts';
import { statusAnswer, type StatusArguments } from './status-answer.ts';
import { textOf } from './text-of.ts';
import { disown } from './thenable.ts';

/** The kinds of failure that have a status and a display text of their own. */
type FixedKind = 'Argument' | 'Internal' | 'NotFound';

/** The kinds of failure. The kind decides the HTTP status; an error of kind `Status` has a status that the host gives. */
export type ErrorKind = FixedKind | 'Status';

// A new kind does not compile until it has a status.
const STATUS_OF_KIND: Readonly<Record<FixedKind, ProblemStatus>> = {
  Argument: 400,
  Internal: 500,
  NotFound: 404,
};

/** Returns `true` if a store's failure means that the item does not exist. Only `true` counts, not a promise of it. */
export type NotFoundPredicate = (error: unknown) => boolean;

/** Makes an `ApiError` of what an operation threw. Returns `undefined` for what it does not know. */
export type ErrorMapper = (thrown: unknown) => ApiError | undefined;

/** A failure of an operation. `message` is the text for the client and the log. `cause` is what led to it, and is never sent. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** Decides the status: `Argument` 400, `NotFound` 404, `Internal` 500, `Status` any from 400 to 599. */
  readonly kind: ErrorKind;
  /** The HTTP status of the answer. */
  readonly status: number;
  readonly #ownAnswer: ErrorAnswer | undefined;

  private constructor(kind: FixedKind | ErrorAnswer, displayText: string, options: ErrorOptions | undefined) {
    super(displayText, options);
    const isFixed = typeof kind === 'string';
    this.kind = isFixed ? kind : 'Status';
    this.status = isFixed ? STATUS_OF_KIND[kind] : kind.problem.status;
    this.#ownAnswer = isFixed ? undefined : kind;
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
   * An error with a status of the host's own, 400 to 599. `message` is `detail`, or else the title. Clients get both, so put no
   * secrets into them. Throws `TypeError` for:
   *
   * - a status out of range;
   * - a `title` without a `type`, unless it is the phrase of the status;
   * - one of `members` that RFC 9457 defines, or that JSON cannot carry;
   * - a header field that is invalid, or that describes the body or the connection;
   * - a 401 without `WWW-Authenticate`, and a 405 without `Allow`.
   */
  static status<Status extends number>(status: Status, ...[detail, options = {}]: StatusArguments<Status>): ApiError {
    const answer = statusAnswer(status, detail, options);
    return new ApiError(answer, answer.problem.detail ?? answer.problem.title, options);
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

  /**
   * What answers an error of kind `Status`; nothing for an object that only looks like one.
   * @internal
   */
  static ownAnswerOf(error: ApiError): ErrorAnswer | undefined {
    return #ownAnswer in error ? error.#ownAnswer : undefined;
  }
}

/** Whether a thrown value is an intact `ApiError`. Never throws, as `instanceof` does for some proxies. */
export function isApiError(thrown: unknown): thrown is ApiError {
  try {
    if (!(thrown instanceof ApiError) || typeof thrown.message !== 'string') return false;
    return thrown.kind === 'Status' ? ApiError.ownAnswerOf(thrown) !== undefined : Object.hasOwn(STATUS_OF_KIND, thrown.kind);
  } catch {
    return false;
  }
}

/** What answers an error. The text of an `Internal` error can hold secrets, and is left out by default. */
export function answerOf(error: ApiError, exposeInternal: boolean): ErrorAnswer {
  const { kind, message } = error;
  const own = ApiError.ownAnswerOf(error);
  if (own !== undefined) return own;
  const status = kind === 'Status' ? error.status : STATUS_OF_KIND[kind];
  return new ProblemAnswer(problemOf(status, kind === 'Internal' && !exposeInternal ? undefined : message));
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
