/**
 * Streams: NDJSON both ways, and server-sent events (WHATWG HTML section 9.2).
 *
 *   {"name":"ant"}         ->   { name: 'ant' }
 *
 *   id: 7                  ->   { id: '7', event: 'arrived', data: { name: 'ant' } }, and `Last-Event-ID: 7` of the next connection
 *   event: arrived
 *   data: {"name":"ant"}
 */

import { MAX_PAUSE_MS, unlessAborted } from './signal.ts';

/** The state that a connection needs from the ones before it. */
export interface Cursor {
  /** The id of the last event that had one. */
  id?: string | undefined;
  /** The delay before the next connection, in milliseconds. `undefined` until a response was a stream of events. */
  retry?: number;
}

type Parse = (text: string) => unknown;

/** The items of NDJSON. */
export async function* readItems(lines: AsyncIterable<string>, parse: Parse): AsyncGenerator {
  for await (const line of lines) if (line) yield parse(line);
}

// A server that wants no delay, and ends each stream at once, would be asked all the time.
const MIN_RETRY_MS = 100;

/** The events of one connection. */
export async function* readEvents(lines: AsyncIterable<string>, parse: Parse, cursor: Cursor = {}): AsyncGenerator {
  cursor.retry ??= 3000;
  let fields: { id?: string; event?: string; data?: string[]; retry?: string } = {};
  for await (const line of lines) {
    const [name = '', value = ''] = line.split(/: ?(.*)/s);
    if (name === 'data') (fields.data ??= []).push(value);
    // An unknown name, such as `__proto__`, has no effect: the value is a string. An id is sent in a header, which cannot have control
    // characters, and servers do not accept a long one.
    else if (name !== 'id' || /^[^\0-\x08\n-\x1f\x7f]{0,4096}$/.test(value)) fields[name as 'id'] = value;
    if (line) continue;
    const { id, event, data, retry } = fields;
    fields = {};
    cursor.id = id ?? cursor.id;
    if (/^\d+$/.test(retry as string)) cursor.retry = Math.min(Math.max(retry as unknown as number, MIN_RETRY_MS), MAX_PAUSE_MS);
    if (data) yield { ...(cursor.id && { id: cursor.id }), event: event || 'message', data: parse(data.join('\n')) };
  }
}

/** The lines of a body, and the rest after the last line end. Throws if the next line takes longer than `timeoutMs`. */
export async function* readLines(body: Response['body'], timeoutMs: number | undefined): AsyncGenerator<string> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  let hadCr;
  // Made for each line, when the caller waits for it.
  let timeout: AbortSignal | undefined;
  try {
    while (reader) {
      timeout ??= timeoutMs ? AbortSignal.timeout(timeoutMs) : undefined;
      const { done, value } = await unlessAborted(reader.read(), timeout);
      if (done) break;
      // Removes the LF of a CR LF that two chunks share. Only the new chunk is searched, since a line may have any length.
      const text = hadCr ? value.replace(/^\n/, '') : value;
      hadCr = value.endsWith('\r');
      const [begin, ...lines] = text.split(/\r\n?|\n/);
      rest += begin;
      for (const line of lines) {
        timeout = undefined;
        yield rest;
        rest = line;
      }
    }
    if (rest) yield rest;
  } finally {
    // Closes the connection when the caller stops iterating. Rejects if the connection has broken since.
    await reader?.cancel().catch(() => {});
  }
}

export function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return Symbol.asyncIterator in Object(value);
}

/** Items as a body of NDJSON. */
export function encodeItems(items: AsyncIterable<unknown>): ReadableStream {
  return ReadableStream.from(encodeLines(items));
}

async function* encodeLines(items: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const item of items) yield new TextEncoder().encode(`${JSON.stringify(item)}\n`);
}
