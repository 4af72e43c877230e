/**
 * Rejections of values that a decoder or a codec does not accept. Entries such as `restpoint/formats` contain a copy of this file, and
 * share only `ApiError` with the core.
 */
import { isApiError } from './api-error.ts';
import {
  makeDecodeRejection, type IssueLocation, LocatedIssue, type Rejection, type ValidationStatus, type ValuePath,
} from './problem.ts';
import { formatClientError, isBug } from '../util/promises.ts';

/** The source of a decoder: the body, the query, the headers or an id. */
export interface ValueSource {
  /** Locates a value in the request, by the keys that lead to it. */
  readonly locate: (path: ValuePath) => IssueLocation;
  /** The status for a value that the decoder rejects. */
  readonly status: ValidationStatus;
  /** The keys that lead to the value itself. */
  readonly base?: ValuePath;
}

/** An issue of a Standard Schema. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const BUG_MESSAGE = 'the value could not be decoded';

/**
 * Rejects a request because of an error of the user's decoder or codec. An error that shows a bug is logged, and its message is not sent.
 * Rethrows an `ApiError`, since it has a status of its own.
 */
export function toDecodeRejection(thrown: unknown, source: ValueSource): Rejection {
  if (isApiError(thrown)) throw thrown;
  const failure = findIssuesRejection(thrown, source);
  if (failure !== undefined) return failure;
  const cause = isBug(thrown) ? thrown : undefined;
  const message = cause === undefined ? cutMessage(formatClientError(thrown)) : BUG_MESSAGE;
  return makeDecodeRejection(message, [new LocatedIssue(message, source.locate([]), source.base)], source.status, cause);
}

/** Rejects a request if an error has the issues of a schema, as a `ZodError` has. Returns `undefined` for any other error. */
function findIssuesRejection(thrown: unknown, source: ValueSource): Rejection | undefined {
  try {
    const { issues } = Object(thrown) as { readonly issues?: readonly Issue[] };
    return Array.isArray(issues) && issues.length > 0 ? rejectIssues(issues, source) : undefined;
  } catch {
    // These are not the issues of a schema: they have no messages, or a getter throws.
    return undefined;
  }
}

// Limits the response: a hostile body can have an issue for each of its bytes, and a message can repeat the body.
const MAX_ISSUES = 100;
const MAX_MESSAGE = 1000;

function cutMessage(message: string): string {
  return message.length <= MAX_MESSAGE ? message : `${message.slice(0, MAX_MESSAGE)}…`;
}

// JSON has no symbols.
function toKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}

/** Rejects a request because of the issues of a schema. Throws `TypeError` for an issue without a message. */
// Both lists are copied into plain arrays: ArkType's paths are a subclass of `Array`, which `map` would construct with wrong arguments.
export function rejectIssues(issues: readonly Issue[], { locate, status, base = [] }: ValueSource): Rejection {
  const shown = [...issues].slice(0, MAX_ISSUES).map(({ message, path = [] }) => {
    if (typeof message !== 'string') throw new TypeError(`the message of a schema issue must be a string: ${typeof message}`);
    const keys = [...path].map((part) => toKey(typeof part === 'object' ? part.key : part));
    return new LocatedIssue(cutMessage(message), locate(keys), [...base, ...keys]);
  });
  return makeDecodeRejection(shown.map(({ detail }) => detail).join('; '), shown, status);
}
