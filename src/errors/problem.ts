/**
 * Error bodies as RFC 9457 describes them: `application/problem+json`.
 *
 *   { "type": "about:blank", "title": "Not Found", "status": 404, "detail": "Not found." }
 */
import { phraseOf } from './phrases.ts';

/** An RFC 9457 problem. The server's own have the type `about:blank`; a host's can have others, and members of their own. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly instance?: string;
  readonly errors?: unknown;
  readonly [member: string]: unknown;
}

/** One error in a body or in a query. */
export interface ProblemIssue {
  readonly detail: string;
  /** Where it is in the body: an RFC 6901 pointer in its fragment form. */
  readonly pointer?: string;
  /** Which parameter of the query it is in. */
  readonly parameter?: string;
}

/** What answers a failed request. */
export interface ErrorAnswer {
  readonly problem: Problem;
  /** The problem as JSON text. */
  readonly problemText: string;
  /** The header fields beside those that describe the body. Names and values alternate. */
  readonly headers: readonly string[];
}

export function problemOf(status: number, detail?: string): Problem {
  const problem = { type: 'about:blank', title: phraseOf(status), status };
  return detail === undefined ? problem : { ...problem, detail: shownText(detail) };
}

/** An answer of a problem that is sent once. */
export class ProblemAnswer implements ErrorAnswer {
  readonly problem: Problem;
  readonly headers: readonly string[];

  constructor(problem: Problem, headers: readonly string[] = []) {
    this.problem = problem;
    this.headers = headers;
  }

  /** Throws when JSON cannot carry a member of the host's, and `RangeError` when the text is too long for a string. */
  get problemText(): string {
    return JSON.stringify(this.problem);
  }
}

// Even if every character is escaped, such a text fits into a string with others.
const MAX_SHOWN = 2 ** 24;

/** Replaces a text that is too long to be part of a message. */
export function shownText(text: string): string {
  return text.length <= MAX_SHOWN ? text : `a text of ${text.length} characters`;
}
