/**
 * Error bodies as RFC 9457 describes them: `application/problem+json`.
 *
 *   { "type": "about:blank", "title": "Not Found", "status": 404, "detail": "Not found." }
 */
import { shownText, type ApiError, type ErrorKind } from './api-error.ts';

/** The members of an RFC 9457 problem, as this server sends them. */
export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly errors?: readonly ProblemIssue[];
}

/** One error in a body. `pointer` locates it: an RFC 6901 pointer in its fragment form. */
export interface ProblemIssue {
  readonly detail: string;
  readonly pointer: string;
}

/** The status of each kind of `ApiError`. A new kind does not compile without one. */
export const STATUS_OF_KIND: Readonly<Record<ErrorKind, ProblemStatus>> = {
  Argument: 400,
  Internal: 500,
  NotFound: 404,
};

// The phrases of RFC 9110. Node's table has an older one for 413.
const TITLES = {
  400: 'Bad Request',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  426: 'Upgrade Required',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
} as const;

/** The statuses whose answers are problems. */
export type ProblemStatus = keyof typeof TITLES;

export function problemOf(status: ProblemStatus, detail?: string): Problem {
  const problem = { type: 'about:blank', title: TITLES[status], status } as const;
  return detail === undefined ? problem : { ...problem, detail: shownText(detail) };
}

/** The problem for a failed operation. The text of an `Internal` error can hold secrets, and is left out by default. */
export function problemOfError(error: ApiError, exposeInternal: boolean): Problem {
  return problemOf(STATUS_OF_KIND[error.kind], error.kind === 'Internal' && !exposeInternal ? undefined : error.message);
}
