/** Reads answers: the value of a success, the problem of anything else. */
import type { IdCodec } from '../endpoint/id-codec.ts';
import type { ClientProblem } from './problem-error.ts';

/** The value of a success: JSON, or text, which `id` parses if a Create gave its plain result. An empty body is `undefined`. */
export async function valueOf(response: Response, id: IdCodec<unknown> | undefined): Promise<unknown> {
  const text = await response.text();
  if (text === '') return undefined;
  if (/[/+]json$/.test(mediaTypeOf(response))) return JSON.parse(text);
  // A Create that spells out its answer has a status or a type of its own.
  return id && response.status === 201 ? id.parse(text) : text;
}

/** The problem of an answer that is no success. */
export async function problemOf(response: Response): Promise<ClientProblem> {
  const { status, statusText, type } = response;
  // HTTP/2 has no phrases. The status is 0 where a browser hides a redirect, which its type tells.
  const made = { type: 'about:blank', title: statusText || `HTTP ${status || type}`, status };
  // Always read to its end, or the connection could not be used again. The caller can still read the response.
  const text = await response.clone().text();
  try {
    const problem: unknown = JSON.parse(text);
    if (mediaTypeOf(response) === 'application/problem+json' && typeof problem === 'object' && !Array.isArray(problem)) return { ...made, ...problem };
  } catch {
    // Another text.
  }
  return made;
}

/** Without its parameters, whose values may look like another type. */
function mediaTypeOf({ headers }: Response): string {
  return String(headers.get('content-type')).toLowerCase().replace(/[\s,;].*/, '');
}
