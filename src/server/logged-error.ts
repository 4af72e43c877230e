/**
 * The error that a logger gets. As `console` shows it, it is one line, or at most twelve that begin in the user's code:
 *
 *   Error: GET /v1/animal/:id (request 7f3c): Internal error: disk is full
 *       at find (file:///app/store.js:7:9)
 *       at get (file:///app/animals.js:12:24)
 *     caused by Error: ENOSPC: no space left on device
 *       at write (file:///app/disk.js:3:5)
 *
 * A message can come from a client, which must not fake a line of the log: the line end of `no pet "\n2026-01-31 all is well"` is escaped.
 * `cause` is the value that was thrown, with its whole stack.
 */

import { formatError } from '../util/promises.ts';

// As `util.inspect.custom`.
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

const MAX_LINES = 12;
// If no frame is in the user's code, the first few frames are shown.
const MAX_FOREIGN = 3;
const MAX_CAUSES = 2;
const MAX_BEFORE_CAUSE = 5;

/** Makes an error with an escaped message. `isBrief`: its stack is only the message. */
export function makeLoggedError(message: string, cause: unknown, isBrief = false): Error {
  const error = new Error(escape(message), { cause });
  const lines = isBrief ? [] : formatLines(cause, MAX_CAUSES);
  const stack = [`Error: ${error.message}`, ...lines].slice(0, MAX_LINES).join('\n');
  // Without `INSPECT`, `console` shows the whole cause too, with frames of the server.
  return Object.defineProperties(error, { stack: { value: stack }, [INSPECT]: { value: () => stack } });
}

// The control characters of ASCII and Latin-1, and the line ends of Unicode.
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escape(message: string): string {
  return message.replace(CONTROL, (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function formatLines(thrown: unknown, causes: number): readonly string[] {
  const { frames } = formatThrown(thrown);
  const cause = readProperty(thrown, 'cause') ?? readProperty(readProperty(thrown, 'errors'), '0');
  if (causes === 0 || cause === undefined) return frames;
  return [...frames.slice(0, MAX_BEFORE_CAUSE), `  caused by ${formatThrown(cause).title}`, ...formatLines(cause, causes - 1)];
}

/** Returns the first line of a thrown value, and its frames from the first frame of the user's code on. */
function formatThrown(thrown: unknown): { readonly title: string; readonly frames: readonly string[] } {
  const message = readString(thrown, 'message');
  const stack = readString(thrown, 'stack');
  if (stack === '') return { title: escape(formatError(thrown)), frames: [] };
  // The message may have lines that look like frames.
  const start = message === '' ? -1 : stack.indexOf(message);
  const end = start === -1 ? stack.search(/\n +at |$/) : start + message.length;
  const frames = stack.slice(end).split('\n').filter((line) => /^ +at /.test(line)).map((line) => `    ${escape(line.trim())}`);
  const title = escape(stack.slice(0, end));
  const first = frames.findIndex((frame) => !isForeign(frame));
  return { title, frames: first === -1 ? frames.slice(0, MAX_FOREIGN) : frames.slice(first).filter((frame) => !isOwn(frame)) };
}

// The folder of this package. A bundler may have removed it.
const [OWN = '\0'] = /^.*\/(?:src|dist)\//.exec(String(import.meta.url)) ?? [];

/** Whether a frame is in this package or in the engine. */
function isOwn(frame: string): boolean {
  return frame.includes(OWN) || /\bnode:|<anonymous>\)?$/.test(frame);
}

function isForeign(frame: string): boolean {
  return isOwn(frame) || /[\\/]node_modules[\\/]/.test(frame);
}

function readString(value: unknown, name: 'message' | 'stack'): string {
  const property = readProperty(value, name);
  return typeof property === 'string' ? property : '';
}

/** Reads a property of any value. Its getter may throw. */
function readProperty(value: unknown, name: string): unknown {
  try {
    return (Object(value) as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}
