/**
 * The error that a logger gets. What the cause says can come from a client, and a line of a log must not fake others:
 *
 *   Error: no pet "\n2026-01-31 all is well"   ->   Error: no pet "\\n2026-01-31 all is well"
 *
 * The message is escaped. The cause is the value that was thrown, and is shown escaped where `console` or `util.inspect` shows the error.
 */
import { isError } from '../../errors/thrown.ts';

type Inspect = (value: unknown, options: object) => string;

// As `util.inspect.custom`.
const INSPECT = Symbol.for('nodejs.util.inspect.custom');
// `console` shows fewer.
const MAX_CAUSES = 8;

/** Makes an error whose message is escaped. */
export function loggedError(message: string, cause: unknown): Error {
  const error = new Error(escaped(message), { cause });
  const value = (_depth: number, options: object, inspect: Inspect): string => inspect(shownAs(error, 0), options);
  return Object.defineProperty(error, INSPECT, { value });
}

// Those of ASCII and Latin-1, and the line ends of Unicode.
const CONTROL = /[\p{Cc}\u2028\u2029]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(text: string): string {
  return text.replace(CONTROL, (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A copy of an error, and of the errors in its properties, that differs in its texts alone. Other values are shown escaped as they are. */
function shownAs(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((each) => shownAs(each, depth + 1));
  if (!isError(value)) return value;
  if (depth === MAX_CAUSES) return '…';
  try {
    const { [INSPECT]: _, ...properties }: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(value);
    for (const property of Object.values(properties)) if ('value' in property) property.value = shownAs(property.value, depth + 1);
    const { message, stack = '' } = value;
    return Object.create(Object.getPrototypeOf(value) as object, {
      ...properties,
      message: { value: escaped(String(message)) },
      stack: { value: escapedStack(String(stack), String(message)) },
    });
  } catch {
    return 'an error that cannot be read';
  }
}

/** The frames of a stack are lines. The message before them is not, though it may look as if it had frames. */
function escapedStack(stack: string, message: string): string {
  const start = stack.indexOf(message);
  // If the message was changed after the stack was made, it may stand in a frame.
  const end = stack.slice(0, start).includes('\n') || start === -1 ? 0 : start + message.length;
  return escaped(stack.slice(0, end)) + stack.slice(end).split(/\n(?= +at )/).map(escaped).join('\n');
}
