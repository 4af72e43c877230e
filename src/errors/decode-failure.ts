/** Why an id or a body could not be decoded. */
import { argumentText, isApiError } from './api-error.ts';
import { textOf } from './text-of.ts';
import { problemOf, type ErrorAnswer, type Problem, type ProblemIssue } from './problem.ts';

const NO_HEADERS: readonly string[] = [];

/**
 * No `Error`, since to create one takes microseconds, for a stack that nobody reads. Most failures are constants, and each is
 * serialized once.
 */
export class DecodeFailure implements ErrorAnswer {
  /** The text for the client. */
  readonly detail: string;
  readonly issues: readonly ProblemIssue[] | undefined;
  #problem: Problem | undefined;
  #problemText: string | undefined;

  constructor(message: string, issues?: readonly ProblemIssue[]) {
    this.detail = argumentText(message);
    this.issues = issues;
  }

  /** Wraps what a host's decoder or codec threw. Throws an `ApiError` again, since that has its own kind. */
  static from(thrown: unknown): DecodeFailure {
    if (isApiError(thrown)) throw thrown;
    return new DecodeFailure(textOf(thrown));
  }

  get problem(): Problem {
    return (this.#problem ??= { ...problemOf(400, this.detail), ...(this.issues === undefined ? {} : { errors: this.issues }) });
  }

  /** Throws `RangeError` if the issues are too long for a string. */
  get problemText(): string {
    return (this.#problemText ??= JSON.stringify(this.problem));
  }

  get headers(): readonly string[] {
    return NO_HEADERS;
  }
}
