/**
 * Answers to values that a decoder or a codec refuses. Entries such as `restpoint/formats` have a copy of this file, and share only `ApiError`
 * with the core, so it imports nothing else from there.
 */
import { isApiError } from './api-error.ts';
import { decodeFailure, type Rejection, LocatedIssue, type Place, type ValidationStatus, type ValuePath } from './problem.ts';
import { formatClientError, isBug } from '../util/promises.ts';

/** Where the values of a decoder come from. */
export interface Source {
  /** Where a value is in the request, by the keys that lead to it. */
  readonly placeOf: (path: ValuePath) => Place;
  /** The status for a value that the decoder refuses. */
  readonly status: ValidationStatus;
  /** The keys that lead to the value itself. */
  readonly base?: ValuePath;
}

/** An issue of a schema, as Standard Schema has it. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const BUG_TEXT = 'the value could not be decoded';

/**
 * The answer to an error of a user's decoder or codec. One that shows a bug is logged, and its text is not sent. Throws an `ApiError` again, since
 * that has its own kind.
 */
export function decodeFailureFrom(thrown: unknown, source: Source): Rejection {
  if (isApiError(thrown)) throw thrown;
  const failure = decodeFailureWithIssues(thrown, source);
  if (failure !== undefined) return failure;
  const cause = isBug(thrown) ? thrown : undefined;
  const message = cause === undefined ? formatClientError(thrown) : BUG_TEXT;
  return decodeFailure(message, [new LocatedIssue(message, source.placeOf([]), source.base)], source.status, cause);
}

/** The answer to an error that has the issues of a schema, such as a `ZodError`; `undefined` for any other. */
function decodeFailureWithIssues(thrown: unknown, source: Source): Rejection | undefined {
  try {
    const { issues } = Object(thrown) as { readonly issues?: readonly Issue[] };
    return Array.isArray(issues) && issues.length > 0 ? decodeFailureOf(issues, source) : undefined;
  } catch {
    // They are something else: no messages, or a getter that throws.
    return undefined;
  }
}

// A body can have an issue for each of its bytes.
const MAX_ISSUES = 100;

// JSON has no symbols.
function keyOf(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}

/** The answer to the issues of a schema. Throws `TypeError` for an issue without a message. */
// Both lists are copied into arrays. `map` of another class calls the constructor with a length, which ArkType's paths take for an
// item.
export function decodeFailureOf(issues: readonly Issue[], { placeOf, status, base = [] }: Source): Rejection {
  const shown = [...issues].slice(0, MAX_ISSUES).map(({ message, path = [] }) => {
    if (typeof message !== 'string') throw new TypeError(`the schema gave an issue whose message is no text: ${typeof message}`);
    const keys = [...path].map((part) => keyOf(typeof part === 'object' ? part.key : part));
    return new LocatedIssue(message, placeOf(keys), [...base, ...keys]);
  });
  return decodeFailure(shown.map(({ detail }) => detail).join('; '), shown, status);
}
