/** Reads responses: the value of a success, and the problem of any other response. */
import { ProblemError, type Target } from './problem-error.ts';
import type { SentRequest } from './request.ts';
import { readEvents, readItems } from './streams.ts';

/**
 * Reads the value of a success: JSON, or a string, which `idCodec` parses if it is the id of a new item. An empty body is `undefined`.
 * Throws `ProblemError` for malformed JSON, and for a response that no operation sends, such as a page of a proxy.
 */
export async function readValue(response: Response, request: SentRequest): Promise<unknown> {
  const type = readMediaType(response);
  const parseJson = (json: string): unknown => {
    try {
      return JSON.parse(json);
    } catch {
      throw new ProblemError({ detail: 'The response is not JSON.' }, response, request);
    }
  };
  if (type.endsWith('ndjson')) return readItems(response.body, parseJson);
  if (type.endsWith('event-stream')) return readEvents(response.body, parseJson, request.cursor ?? {});
  const text = await response.text();
  if (text === '') return undefined;
  if (isJson(type)) return parseJson(text);
  if (type === '' || type.endsWith('html')) {
    throw new ProblemError({ detail: `The response is "${type}", not JSON.` }, response, request);
  }
  // A Create with a `reply` has a different status or type.
  return response.status === 201 && request.idCodec ? request.idCodec.parse(text) : text;
}

const MAX_ERROR_BYTES = 65_536;

/** Reads the error of a response that is not a success. */
export async function readError(response: Response, target: Target): Promise<ProblemError> {
  const body = await readBeginning(response);
  const text = await body.text();
  const type = readMediaType(response);
  let properties: [name: string, value: unknown][] = [];
  try {
    if (isJson(type) && /^\s*{/.test(text)) properties = Object.entries(JSON.parse(text));
  } catch {
    // Malformed, or cut off after `MAX_ERROR_BYTES`.
  }
  // In other JSON, such as from a server with `formatProblem`, the properties can mean anything.
  if (type.endsWith('problem+json')) properties = properties.filter(isRightlyTyped);
  return new ProblemError(Object.fromEntries(properties), response.body ? new Response(body, response) : response, target);
}

/** A property of a problem that has a different type is ignored (RFC 9457 section 3.1). */
function isRightlyTyped([name, value]: [name: string, value: unknown]): boolean {
  if (name === 'errors') return Array.isArray(value);
  return typeof value === 'string' || !/^(type|title|detail|instance)$/.test(name);
}

async function readBeginning({ body }: Response): Promise<Blob> {
  const reader = body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  while (reader && length < MAX_ERROR_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  // Rejects if the connection has broken since.
  reader?.cancel().catch(() => {});
  return new Blob(chunks).slice(0, MAX_ERROR_BYTES);
}

/** Reads the media type without its parameters: their values may look like a different type. */
function readMediaType({ headers }: Response): string {
  return (headers.get('content-type') ?? '').toLowerCase().replace(/[\s,;].*/, '');
}

function isJson(type: string): boolean {
  return /[/+]json$/.test(type);
}
