/** The server's own error responses, as problems. Most are constants. Each is serialized once, when it is first sent. */
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
  // Few are ever sent, and to serialize all of them would slow down the start.
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
    return JSON.stringify(this.problem);
  }

  /** The whole response as text, with `Connection: close`. For where there is no `ServerResponse` to write to. */
  get raw(): string {
    const { headers, json } = this.serialized;
    return rawResponse(this.status, headers, json);
  }

  #serialize(): Serialized {
    const json = this.problemText;
    const bytes = Buffer.byteLength(json);
    return { json, bytes, headers: [...contentHeaders(PROBLEM_TYPE, bytes), ...this.headers] };
  }
}

/** For a request that does not arrive in time. */
export const REQUEST_TIMEOUT: ErrorResponse = new ErrorResponse(408, 'The request took too long to arrive.');

/** A whole response as text, with `Connection: close`. In the headers, names and values alternate. */
export function rawResponse(status: number, headers: readonly string[], body: string): string {
  const lines = [`HTTP/1.1 ${status} ${phraseOf(status)}`, `Date: ${new Date().toUTCString()}`];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${body}`;
}

/** The header lines that describe a body. Names and values alternate. */
export function contentHeaders(type: string, bytes: number): string[] {
  return ['Content-Type', type, 'Content-Length', String(bytes)];
}
