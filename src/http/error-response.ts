/** The server's own error responses, as problems. Most are constants. Each is serialized once, when it is first sent. */
import { problemOf, type ProblemStatus } from '../errors/problem.ts';

/** The media type of a problem (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

interface Serialized {
  readonly json: string;
  readonly bytes: number;
  /** Names and values alternate. */
  readonly headers: readonly string[];
}

export class ErrorResponse {
  readonly status: ProblemStatus;
  readonly #detail: string | undefined;
  readonly #extraHeaders: readonly string[];
  // Few are ever sent, and to serialize all of them would slow down the start.
  #serialized: Serialized | undefined;

  /** `detail` is one plain sentence that repeats no part of a request. */
  constructor(status: ProblemStatus, detail?: string, extraHeaders: readonly string[] = []) {
    this.status = status;
    this.#detail = detail;
    this.#extraHeaders = extraHeaders;
  }

  get serialized(): Serialized {
    return (this.#serialized ??= this.#serialize());
  }

  /** The whole response as text, with `Connection: close`. For where there is no `ServerResponse` to write to. */
  get raw(): string {
    const { headers, json } = this.serialized;
    const lines = [`HTTP/1.1 ${this.status} ${problemOf(this.status).title}`, `Date: ${new Date().toUTCString()}`];
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${json}`;
  }

  #serialize(): Serialized {
    const json = JSON.stringify(problemOf(this.status, this.#detail));
    const bytes = Buffer.byteLength(json);
    return { json, bytes, headers: [...contentHeaders(PROBLEM_TYPE, bytes), ...this.#extraHeaders] };
  }
}

/** The header lines that describe a body. Names and values alternate. */
export function contentHeaders(type: string, bytes: number): string[] {
  return ['Content-Type', type, 'Content-Length', String(bytes)];
}
