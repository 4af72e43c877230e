/** Error responses of the server itself, as problems. Most are constants, and each is serialized once, when it is first sent. */
import { phraseOf, type ProblemStatus } from '../errors/phrases.ts';
import { problemOf, type ErrorAnswer, type Problem } from '../errors/problem.ts';

/** The media type of a problem (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

interface Serialized {
  readonly json: string;
  readonly bytes: number;
  /** Names and values alternate. */
  readonly headers: readonly string[];
}

export class ErrorResponse implements ErrorAnswer {
  readonly status: ProblemStatus;
  readonly headers: readonly string[];
  readonly #detail: string | undefined;
  // Lazy: few are ever sent, and to serialize them all would slow down the start.
  #serialized: Serialized | undefined;

  /** `detail` is one plain sentence that repeats no part of a request. */
  constructor(status: ProblemStatus, detail?: string, headers: readonly string[] = []) {
    this.status = status;
    this.headers = headers;
    this.#detail = detail;
  }

  get serialized(): Serialized {
    return (this.#serialized ??= this.#serialize());
  }

  get problem(): Problem {
    return problemOf(this.status, this.#detail);
  }

  get problemText(): string {
    return this.serialized.json;
  }

  /** The bytes of a whole response that closes the connection, for where there is no `ServerResponse` to write to. */
  get raw(): string {
    const { headers, json } = this.serialized;
    return rawResponse(this.status, headers, json);
  }

  #serialize(): Serialized {
    const json = JSON.stringify(this.problem);
    const bytes = Buffer.byteLength(json);
    return { json, bytes, headers: [...contentHeaders(PROBLEM_TYPE, bytes), ...this.headers] };
  }
}

/** The bytes of a whole error response that closes the connection. In the headers, names and values alternate. */
export function rawResponse(status: number, headers: readonly string[], body: string): string {
  const lines = [`HTTP/1.1 ${status} ${phraseOf(status)}`, `Date: ${new Date().toUTCString()}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`;
}

/** The header lines that describe a body. Names and values alternate. */
export function contentHeaders(type: string, bytes: number): string[] {
  return ['Content-Type', type, 'Content-Length', String(bytes)];
}
