/** How results become JSON text: by `JSON.stringify`, or by a host's `stringify` in its place. */
import { disown, nameOf } from '../../errors/thrown.ts';

/** Throws if the value cannot be JSON. */
export type Stringify = (value: unknown) => string;

/** Checks what the server's option returns. */
export function stringifyFrom(given: ((value: unknown) => unknown) | undefined): Stringify {
  return given === undefined ? jsonText : (value) => writtenText(given(value));
}

/** What a host's `stringify` returned. Throws `TypeError` if it is no text. */
export function writtenText(text: unknown): string {
  if (typeof text === 'string') return text;
  disown(text);
  throw new TypeError(`a result was written as ${nameOf(text)}`);
}

function jsonText(value: unknown): string {
  const text: unknown = JSON.stringify(value);
  if (typeof text === 'string') return text;
  throw new TypeError(`JSON can not carry a result of type ${typeof value}`);
}
