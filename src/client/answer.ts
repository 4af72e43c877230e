/** Reads answers: the value of a success, and the problem of any other answer. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { Problem, ProblemIssue } from '../errors/problem.ts';
import type { SentRequest } from './request.ts';

/** A problem, as this library's server sends it: `errors` has the faults of a body or a query. */
export type ClientProblem = Problem & { readonly errors?: readonly ProblemIssue[] };

/** The request that was answered. */
type Target = Pick<SentRequest, 'method' | 'url'>;

/** A non-2xx answer, or one that is not of its type. Its message has the method, the URL, the status, and the problem's `detail` or else its `title`. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** The answer's problem (RFC 9457), or one that is made from the status if the body is none. */
  declare readonly problem: ClientProblem;
  /** The status of the answer. 0 if a browser hides a redirect. */
  declare readonly status: number;
  /** The answer. Its body can be read: of a non-2xx answer, up to 64 KiB. */
  declare readonly response: Response;

  constructor(problem: ClientProblem, response: Response, { method, url }: Target) {
    super(`${method} ${url} -> ${response.status}: ${problem.detail ?? problem.title}`);
    this.problem = problem;
    this.status = response.status;
    this.response = response;
  }
}

/**
 * The value of a success: JSON, or text, which `id` parses if a Create gave its plain result. An empty body is `undefined`. Throws
 * `ProblemError` for JSON that is malformed, and for an answer that no operation gives, such as a page of a proxy.
 */
export async function valueOf(response: Response, id: IdCodec<unknown> | undefined, target: Target): Promise<unknown> {
  const wrong = (body: string, detail: string): ProblemError => new ProblemError({ ...madeProblem(response), detail }, unread(response, body), target);
  const text = await response.text();
  const type = mediaTypeOf(response);
  if (text === '') return undefined;
  if (/^$|^text\/html$/.test(type)) throw wrong(text, `The answer is ${type || 'of no type'}, and not JSON.`);
  // A Create with a `reply` has another status or type.
  if (!isJson(type)) return id && response.status === 201 ? id.parse(text) : text;
  try {
    return JSON.parse(text);
  } catch {
    throw wrong(text, 'The answer is not valid JSON.');
  }
}

/** A response whose body has been read, with a body that can be read. */
function unread({ status, statusText, headers }: Response, body: string | Uint8Array<ArrayBuffer>): Response {
  return new Response(body, { status, statusText, headers });
}

// How much of a non-2xx answer is kept, and how much is read so that its connection can be used again. In bytes.
const MAX_KEPT = 65_536;
const MAX_READ = 1_048_576;
const TEXTS = ['type', 'title', 'detail', 'instance'];

/** The error for an answer that is no success. */
export async function errorOf(response: Response, target: Target): Promise<ProblemError> {
  const bytes = await beginningOf(response);
  const { status } = response;
  const copy = bytes && status > 199 && status !== 304 ? unread(response, bytes) : response;
  return new ProblemError(problemIn(new TextDecoder().decode(bytes), response), copy, target);
}

function problemIn(text: string, response: Response): ClientProblem {
  const made = madeProblem(response);
  try {
    const problem: unknown = JSON.parse(text);
    if (mediaTypeOf(response) !== 'application/problem+json' || typeof problem !== 'object' || Array.isArray(problem)) return made;
    // RFC 9457 section 3.1: a member of another type is ignored.
    const entries = Object.entries({ ...problem }).filter(([name, value]) => !TEXTS.includes(name) || typeof value === 'string');
    return { ...made, ...Object.fromEntries(entries), status: made.status };
  } catch {
    // Another text, or too long.
    return made;
  }
}

/** The first bytes of a body. */
async function beginningOf({ body }: Response): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (!body) return undefined;
  const reader = body.getReader();
  const kept = new Uint8Array(MAX_KEPT);
  let length = 0;
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    kept.set(step.value.subarray(0, Math.max(0, MAX_KEPT - length)), Math.min(length, MAX_KEPT));
    length += step.value.length;
    if (length > MAX_READ) {
      void reader.cancel();
      break;
    }
  }
  return kept.subarray(0, Math.min(length, MAX_KEPT));
}

function madeProblem({ status, statusText, type }: Response): ClientProblem {
  // HTTP/2 has no phrases. The status is 0 where a browser hides a redirect, which the response's type shows.
  return { type: 'about:blank', title: statusText || `HTTP ${status || type}`, status };
}

function isJson(type: string): boolean {
  return /[/+]json$/.test(type);
}

/** Without its parameters, whose values may look like another type. */
function mediaTypeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').toLowerCase().replace(/[\s,;].*/, '');
}
