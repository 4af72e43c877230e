/** Reads answers: the value of a success, and the problem of any other answer. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import { ProblemError, type ClientProblem, type Target } from './problem-error.ts';

/**
 * The value of a success: JSON, or text, which `id` parses if a Create gave its plain result. An empty body is `undefined`. Throws
 * `ProblemError` for JSON that is malformed, and for an answer that no operation gives, such as a page of a proxy.
 */
export async function valueOf(response: Response, id: IdCodec<unknown> | undefined, target: Target): Promise<unknown> {
  const text = await response.text();
  const type = mediaTypeOf(response);
  if (!text) return undefined;
  if (/^$|^text\/html$/.test(type)) throw wrongAnswer(`The answer is "${type}", not JSON.`, response, target);
  // A Create with a `reply` has another status or type.
  if (!/[/+]json$/.test(type)) return id && response.status === 201 ? id.parse(text) : text;
  try {
    return JSON.parse(text);
  } catch {
    throw wrongAnswer('The answer is not JSON.', response, target);
  }
}

/** The error for a success that no operation gives. */
export function wrongAnswer(detail: string, response: Response, target: Target): ProblemError {
  return new ProblemError(problemOf(response, { detail }), response, target);
}

// How much of a non-2xx answer is kept, and how much is read so that its connection can be used again. In bytes.
const MAX_KEPT = 65_536;
const MAX_READ = 1_048_576;
const TEXTS = /^(type|title|detail|instance)$/;

/** The error for an answer that is no success. */
export async function errorOf(response: Response, target: Target): Promise<ProblemError> {
  const kept = await beginningOf(response.body);
  const copy = response.body && response.status !== 304 ? new Response(kept, response) : response;
  return new ProblemError(problemIn(await kept.text(), response), copy, target);
}

function problemIn(text: string, response: Response): ClientProblem {
  let members: Readonly<Record<string, unknown>> = {};
  if (mediaTypeOf(response) === 'application/problem+json' && /^\s*{/.test(text)) {
    try {
      // RFC 9457 section 3.1: a member of another type is ignored.
      members = Object.fromEntries(Object.entries<unknown>(JSON.parse(text)).filter(([name, value]) => {
        return TEXTS.test(name) ? typeof value === 'string' : name !== 'errors' || Array.isArray(value);
      }));
    } catch {
      // Another text, or too long.
    }
  }
  return problemOf(response, members);
}

async function beginningOf(body: ReadableStream<Uint8Array<ArrayBuffer>> | null): Promise<Blob> {
  const reader = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let step; reader && length < MAX_READ && !(step = await reader.read()).done; length += step.value.length) {
    if (length < MAX_KEPT) chunks.push(step.value);
  }
  void reader?.cancel();
  return new Blob(chunks).slice(0, MAX_KEPT);
}

function problemOf({ status, statusText, type }: Response, members: Readonly<Record<string, unknown>>): ClientProblem {
  // HTTP/2 has no phrases. The status is 0 where a browser hides a redirect, which the response's type shows.
  return { type: 'about:blank', title: statusText || `HTTP ${status || type}`, ...members, status };
}

/** Without its parameters, whose values may look like another type. */
function mediaTypeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').toLowerCase().replace(/[\s,;].*/, '');
}
