/**
 * Refusals in the server's own words: nearly all are made once, and each is written down whole when it is first sent, so
 * that a request that is refused costs no more than one that is served.
 */
import { problemOf, type ProblemStatus } from '../errors/problem.ts';

/** The media type of a problem (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

interface Written {
  readonly json: string;
  readonly bytes: number;
  /** Names and values alternating. */
  readonly headers: readonly string[];
}

export class ErrorResponse {
  readonly status: ProblemStatus;
  readonly #detail: string | undefined;
  readonly #besides: readonly string[];
  // Few of them are ever sent: to write all of them at once took a fifth of a millisecond of every start.
  #written: Written | undefined;

  /** `detail` is one plain sentence that repeats nothing of a request; `headers` is what the answer says besides. */
  constructor(status: ProblemStatus, detail?: string, headers: readonly string[] = []) {
    this.status = status;
    this.#detail = detail;
    this.#besides = headers;
  }

  /** The answer as it is sent. */
  get written(): Written {
    return (this.#written ??= this.#write());
  }

  /** The whole response as it goes onto the socket: for what never became a request, and where a response is spoilt. */
  get raw(): string {
    const { headers, json } = this.written;
    const lines = [`HTTP/1.1 ${this.status} ${problemOf(this.status).title}`, `Date: ${new Date().toUTCString()}`];
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${json}`;
  }

  #write(): Written {
    const json = JSON.stringify(problemOf(this.status, this.#detail));
    const bytes = Buffer.byteLength(json);
    return { json, bytes, headers: [...contentHeaders(PROBLEM_TYPE, bytes), ...this.#besides] };
  }
}

/** What the headers say of a body. */
export function contentHeaders(type: string, bytes: number): string[] {
  return ['Content-Type', type, 'Content-Length', String(bytes)];
}
