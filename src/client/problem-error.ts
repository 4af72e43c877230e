/** The error of a response that is not a success. */
import type { Problem, ProblemIssue } from '../errors/problem.ts';

/** A problem, as this library's server sends it: `errors` has the issues of a body or a query. */
export type ClientProblem = Problem & { readonly errors?: readonly ProblemIssue[] };

/** The request that got the response. */
export interface RequestTarget {
  readonly method: string;
  readonly url: string;
}

/**
 * Reports a non-2xx response, or one whose body is not of its media type: a call of the client rejects with it. The message has the method,
 * the URL, the status, and the problem's `detail` or else its `title`.
 *
 * @example
 * ```ts
 * const pets = client<Api>('https://api.example/v1')('/pet');
 * try {
 *   await pets.delete(7);
 * } catch (error) {
 *   if (!(error instanceof ProblemError && error.is(404))) throw error;
 *   console.log('It was deleted before.');
 * }
 * ```
 */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The problem of the response (RFC 9457), or one that is made from the status if the body has none. */
  declare readonly problem: ClientProblem;
  /** The status of the response. 0 if a browser hides a redirect. */
  declare readonly status: number;
  /** The response. Its body can be read, up to 64 KiB, unless the status is over 599. */
  declare readonly response: Response;

  /** Makes the error of a response, and the properties of its problem. */
  constructor(properties: Readonly<Record<string, unknown>>, response: Response, { method, url }: RequestTarget) {
    const { status, statusText, type } = response;
    // HTTP/2 has no phrases. The status is 0 where a browser hides a redirect, which the response's type shows.
    const title = statusText || `HTTP ${status || type}`;
    const problem: ClientProblem = { type: 'about:blank', title, ...properties, status };
    const detail: unknown = problem.detail ?? problem.title;
    // JSON that is not a problem can have any value under these names.
    super(`${method} ${url} -> ${status}: ${typeof detail === 'string' ? detail : title}`);
    Object.assign(this, { response, problem, status });
  }

  /**
   * Returns whether the response has this status.
   *
   * @example
   * ```ts
   * const isMissing = (error: unknown): boolean => error instanceof ProblemError && error.is(404);
   * ```
   */
  is(status: number): boolean {
    return this.status === status;
  }

  /**
   * The issues of a body, by pointers without `#/`: `{ 'owner/name': ['too short'] }`. An issue of the whole body is at `''`. Issues of
   * parameters and headers are only in `problem.errors`.
   *
   * @example
   * ```ts
   * const formatName = ({ fields }: ProblemError): string => (fields['name'] ?? []).join(', '); // 'too short'
   * ```
   */
  get fields(): Readonly<Partial<Record<string, readonly string[]>>> {
    const fields: Record<string, string[]> = Object.create(null);
    for (const { pointer, detail } of [this.problem.errors].flat().map(Object)) {
      if (typeof pointer === 'string') (fields[unescapeKey(pointer.replace(/^#\/?/, ''))] ??= []).push(`${detail}`);
    }
    return fields;
  }
}

function unescapeKey(pointer: string): string {
  try {
    return decodeURIComponent(pointer);
  } catch {
    return pointer;
  }
}
