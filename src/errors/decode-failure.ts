/**
 * Answers to values that a decoder or a codec refuses. Entries such as `restpoint/formats` have a copy of this file, and share only `ApiError`
 * with the core, so it imports nothing else from there.
 */
import { ApiError } from './api-error.ts';
import { decodeFailure, type ErrorAnswer, LocatedIssue, type Place, type ValidationStatus, type ValuePath } from './problem.ts';
import { textOf } from './thrown.ts';

/** The answer to an error of a host's decoder or codec. Throws an `ApiError` again, since that has its own kind. */
export function decodeFailureFrom(thrown: unknown, place: Place, status?: ValidationStatus, path?: ValuePath): ErrorAnswer {
  if (ApiError.is(thrown)) throw thrown;
  const message = textOf(thrown);
  return decodeFailure(message, [new LocatedIssue(message, place, path)], status);
}
