/**
 * Answers for what a decoder or a codec refuses. Entries such as `restpoint/formats` have a copy of this file, and share `ApiError` alone with
 * the core: so it takes nothing else from there.
 */
import { ApiError } from './api-error.ts';
import { decodeFailure, type ErrorAnswer } from './problem.ts';
import { textOf } from './thrown.ts';

/** The answer to an error of a host's decoder or codec. Throws an `ApiError` again, since that has its own kind. */
export function decodeFailureFrom(thrown: unknown): ErrorAnswer {
  if (ApiError.is(thrown)) throw thrown;
  return decodeFailure(textOf(thrown));
}
