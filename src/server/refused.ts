/**
 * Refusals in the server's own words, written down whole: nearly all are made once, and a request that is refused
 * costs no more than one that is served.
 */
import { problemOf, type ProblemStatus } from '../errors/problem.ts';

export class Refused {
  readonly status: ProblemStatus;
  readonly json: string;
  readonly bytes: number;
  /** The answer's headers, names and values alternating. */
  readonly headers: readonly string[];

  /** `detail` is one plain sentence that repeats nothing of a request; `headers` is what the answer says besides. */
  constructor(status: ProblemStatus, detail?: string, headers: readonly string[] = []) {
    this.status = status;
    this.json = JSON.stringify(problemOf(status, detail));
    this.bytes = Buffer.byteLength(this.json);
    this.headers = [...problemHeaders(this.json), ...headers];
  }

  /** The whole response as it goes onto the socket: for what never became a request, and where a response is spoilt. */
  get raw(): string {
    const lines = [`HTTP/1.1 ${this.status} ${problemOf(this.status).title}`, `Date: ${new Date().toUTCString()}`];
    for (let at = 0; at < this.headers.length; at += 2) lines.push(`${this.headers[at]}: ${this.headers[at + 1]}`);
    return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${this.json}`;
  }
}

/** The headers of a problem with this text. */
export function problemHeaders(json: string): string[] {
  return ['Content-Type', 'application/problem+json', 'Content-Length', String(Buffer.byteLength(json))];
}
