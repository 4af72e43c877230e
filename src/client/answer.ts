/** Reads answers: the value of a success, and the problem of any other answer. */
import { ProblemError, type Target } from './problem-error.ts';
import type { SentRequest } from './request.ts';
import { eventsOf, itemsOf } from './streams.ts';

/**
 * The value of a success: JSON, or text, which `made` parses if a Create gave its plain result. An empty body is `undefined`. Throws
 * `ProblemError` for JSON that is malformed, and for an answer that no operation gives, such as a page of a proxy.
 */
export async function valueOf(response: Response, request: SentRequest): Promise<unknown> {
  const type = mediaTypeOf(response);
  const parse = (json: string): unknown => {
    try {
      return JSON.parse(json);
    } catch {
      throw new ProblemError({ detail: 'The answer is not JSON.' }, response, request);
    }
  };
  if (/ndjson$/.test(type)) return itemsOf(response.body, parse);
  if (/event-stream$/.test(type)) return eventsOf(response.body, parse, request.cursor ?? {});
  const text = await response.text();
  if (!text) return undefined;
  if (/[/+]json$/.test(type)) return parse(text);
  if (/^$|html$/.test(type)) throw new ProblemError({ detail: `The answer is "${type}", not JSON.` }, response, request);
  // A Create with a `reply` has another status or type.
  return request.made && response.status === 201 ? request.made.parse(text) : text;
}

// How much of a non-2xx answer is read, in bytes.
const MAX_BYTES = 65_536;
// RFC 9457 section 3.1: a property of a problem that has a different type is ignored. With its media type: `…problem+json["title",7]`.
const IGNORED = /problem.json\["((type|title|detail|instance)",[^"]|errors",[^[])/;

/** The error for an answer that is no success. */
export async function errorOf(response: Response, target: Target): Promise<ProblemError> {
  const kept = await beginningOf(response);
  const [text, type] = [await kept.text(), mediaTypeOf(response)];
  let properties: [string, unknown][] = [];
  try {
    // Other JSON, such as what `formatProblem` returns, has a meaning of its own.
    properties = Object.entries<unknown>(/[/+]json$/.test(type) && /^\s*{/.test(text) && JSON.parse(text))
      .filter((property) => !IGNORED.test(type + JSON.stringify(property)));
  } catch {
    // Not JSON, or too long.
  }
  return new ProblemError(Object.fromEntries(properties), response.body ? new Response(kept, response) : response, target);
}

async function beginningOf({ body }: Response): Promise<Blob> {
  const reader = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (let step; reader && length < MAX_BYTES && !(step = await reader.read()).done; length += step.value.length) chunks.push(step.value);
  void reader?.cancel();
  return new Blob(chunks).slice(0, MAX_BYTES);
}

/** Without its parameters, whose values may look like another type. */
function mediaTypeOf({ headers }: Response): string {
  return (headers.get('content-type') ?? '').toLowerCase().replace(/[\s,;].*/, '');
}
