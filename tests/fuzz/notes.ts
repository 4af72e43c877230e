/** Which bodies are notes: the rules on JSON, implemented independently of the server. */
import { Buffer, isUtf8 } from 'node:buffer';

/** The required form of a body: an object with a marker. */
export interface Note {
  readonly marker: string;
}

/** The user's decoder. */
export function decodeNote(json: unknown): Note {
  const { marker } = Object(json) as { marker?: unknown };
  // An id with half a surrogate pair has no percent-encoding for `Location`.
  if (typeof marker !== 'string' || !marker.isWellFormed()) throw new Error('marker: expected text');
  return { marker };
}

/** The marker of the note in a body, one character for each byte. `undefined` for a body that must be rejected. */
export function readNote(body: string): string | undefined {
  const bytes = Buffer.from(body, 'latin1');
  if (!isUtf8(bytes) || hasInexactNumber(body)) return undefined;
  let hasProto = false;
  try {
    const json: unknown = JSON.parse(bytes.toString(), (key, value: unknown) => {
      if (key === '__proto__') hasProto = true;
      return value;
    });
    return hasProto ? undefined : decodeNote(json).marker;
  } catch {
    return undefined;
  }
}

function hasInexactNumber(body: string): boolean {
  const withoutStrings = body.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
  const numbers = withoutStrings.match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
  return numbers.some((text) => !Number.isFinite(Number(text)) || (/^-?\d+$/.test(text) && BigInt(Number(text)) !== BigInt(text)));
}
