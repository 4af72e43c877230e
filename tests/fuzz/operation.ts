/** The model of an operation, a mount, or a path that only lists its methods. */
import { Buffer } from 'node:buffer';
import type { ExpectedResponse } from './expected-response.ts';
import type { ReadRequest } from './reference.ts';

export interface Operation {
  /** Set if the response only lists methods. */
  readonly listing?: { readonly status: 200 | 405; readonly allow: string };
  readonly reads: boolean;
  readonly isMount: boolean;
  /** The id, decoded. */
  readonly id?: string;
  readonly rejectsId: boolean;
  /** Whether it has a context, which the caller must pass. */
  readonly readsCaller?: boolean;
  /** The response to a caller whom the context of a cookie rejects. */
  readonly rejectsCaller?: (request: ReadRequest) => ExpectedResponse | undefined;
  /** Whether an empty body is allowed. */
  readonly isOptional?: boolean;
  /** The longest body, if it is not the server's. */
  readonly maxBytes?: number;
  /** The types that it takes instead of JSON; an empty list accepts any. */
  readonly types?: readonly string[];
  /** For an operation that changes an item: the response of the `get` that it asks for the item, or `nobody` if there is no `get`. */
  readonly asks?: ExpectedResponse | 'nobody';
  readonly respond: (asked: Asked) => ExpectedResponse;
}

/** The arguments of an operation. */
export interface Asked {
  readonly id: string;
  readonly note: string;
  readonly isEmpty: boolean;
  readonly caller: string;
  readonly request: ReadRequest;
  readonly query: string;
}

export const PLAIN = { reads: false, isMount: false, rejectsId: false } as const;
export const NO_CONTENT: ExpectedResponse = { status: 204, body: '' };
/** The response of a `get` that is asked for an item. */
export const EXISTS: ExpectedResponse = { status: 200 };
export const IS_MISSING: ExpectedResponse = { status: 404 };

export function makeAllow(status: 200 | 405, allow: string): Operation {
  return { ...PLAIN, listing: { status, allow }, respond: () => ({ status }) };
}

export function json(value: unknown): ExpectedResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: bytesOf(JSON.stringify(value)) };
}

/** A string as UTF-8, one character for each byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** A percent-decoded segment. `undefined` if it is not UTF-8. */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
