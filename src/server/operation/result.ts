/** From what an operation gave to the text that is sent. */
import { disown, nameOf } from '../../errors/thenable.ts';
import { refuseTooLong } from '../connection/reply.ts';
import type { Operation } from './served-endpoint.ts';

/** Writes a result as JSON. Throws where JSON can not carry it, and where the host's `stringify` gave no string. */
export function encodeJson(operation: Operation, result: unknown): string {
  const json: string | undefined = operation.hasStringify ? written(operation.stringify(result)) : JSON.stringify(result);
  if (json === undefined) throw new TypeError(`JSON can not carry a result of type ${typeof result}`);
  refuseTooLong(json.length);
  return json;
}

function written(json: unknown): string {
  if (typeof json === 'string') return json;
  disown(json);
  throw new TypeError(`a result was written as ${nameOf(json)}`);
}

/** A new id as text, and where its item is. */
export interface Created {
  readonly text: string;
  /** `undefined` where no path leads to the item. */
  readonly location: string | undefined;
}

// No request can have the others in its path, and every client makes another path of dots.
const UNREACHABLE = /^\.{0,2}$|[\0\r\n]/;

/** Writes the id of what was created. Throws what the codec throws. */
export function encodeId({ endpoint: { id, base } }: Operation, result: unknown): Created {
  const text = id.format(result);
  refuseTooLong(text.length);
  if (UNREACHABLE.test(text)) return { text, location: undefined };
  const location = `${base}/${encodeURIComponent(text)}`;
  refuseTooLong(text.length + location.length);
  return { text, location };
}
