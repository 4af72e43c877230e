/** The error of an answer that is no success. */
import type { Problem, ProblemIssue } from '../errors/problem.ts';

/** A problem, as this library's server sends it: `errors` has the faults of a body or a query. */
export type ClientProblem = Problem & { readonly errors?: readonly ProblemIssue[] };

/** The request that was answered. */
export interface Target {
  readonly method: string;
  readonly url: string;
}

/** A non-2xx answer, or one that is not of its type. Its message has the method, the URL, the status, and the problem's `detail` or else its `title`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The answer's problem (RFC 9457), or one that is made from the status if the body is none. */
  declare readonly problem: ClientProblem;
  /** The status of the answer. 0 if a browser hides a redirect. */
  declare readonly status: number;
  /** The answer. Its body can be read, up to 64 KiB. */
  declare readonly response: Response;

  /** Of an answer, and the members of its problem. */
  constructor(members: Readonly<Record<string, unknown>>, response: Response, { method, url }: Target) {
    const { status, statusText, type } = response;
    // HTTP/2 has no phrases. The status is 0 where a browser hides a redirect, which the response's type shows.
    const title = statusText || `HTTP ${status || type}`;
    const problem: ClientProblem = { type: 'about:blank', title, ...members, status };
    const said: unknown = problem.detail ?? problem.title;
    // Other JSON than a problem can have anything under these names.
    super(`${method} ${url} -> ${status}: ${typeof said === 'string' ? said : title}`);
    Object.assign(this, { problem, status, response });
  }

  /** Whether the answer has this status. */
  is(status: number): boolean {
    return this.status === status;
  }

  /**
   * The faults of a body, by their pointers without `#/`: `{ 'owner/name': ['too short'] }`. A fault of the whole body is at `''`. Faults of
   * parameters and of header fields are in `problem.errors` alone.
   */
  get fields(): Readonly<Partial<Record<string, readonly string[]>>> {
    const fields: Record<string, string[]> = Object.create(null);
    for (const { pointer, detail } of [this.problem.errors].flat().map(Object)) {
      if (typeof pointer === 'string') (fields[decoded(pointer.replace(/^#\/?/, ''))] ??= []).push(String(detail));
    }
    return fields;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
