/** The failure of a call that was answered. */
import type { Problem, ProblemIssue } from '../errors/problem.ts';

/** A problem, as this library's server sends it: `errors` says what is wrong with a body or a query. */
export type ClientProblem = Problem & { readonly errors?: readonly ProblemIssue[] };

/** An answer that is no success. Its message is the problem's `detail`, or else its `title`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The answer's problem (RFC 9457), or one that is made from the status if the body is none. */
  declare readonly problem: ClientProblem;
  /** The status of the answer. 0 if a browser hides a redirect. */
  declare readonly status: number;
  /** The answer. Its body is not read yet. */
  declare readonly response: Response;

  constructor(problem: ClientProblem, response: Response) {
    super(problem.detail ?? problem.title);
    this.problem = problem;
    this.status = response.status;
    this.response = response;
  }
}
