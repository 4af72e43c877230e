/**
 * Refusals in the server's own words: nearly all are made once, and each is written down whole when it is first sent, so
 * that a request that is refused costs no more than one that is served.
 */
import { problemOf, type ProblemStatus } from '../errors/problem.ts';

/** An answer as it is sent. */
interface Written {
  readonly json: string;
  readonly bytes: number;
  readonly headers: readonly string[];
}

export class Refused {
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

  get json(): string {
    return this.#whole.json;
  }

  get bytes(): number {
    return this.#whole.bytes;
  }

  /** The answer's headers, names and values alternating. */
  get headers(): readonly string[] {
    return this.#whole.headers;
  }

  /** The whole response as it goes onto the socket: for what never became a request, and where a response is spoilt. */
  get raw(): string {
    const lines = [`HTTP/1.1 ${this.status} ${problemOf(this.status).title}`, `Date: ${new Date().toUTCString()}`];
    for (let at = 0; at < this.headers.length; at += 2) lines.push(`${this.headers[at]}: ${this.headers[at + 1]}`);
    return `${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${this.json}`;
  }

  get #whole(): Written {
    return (this.#written ??= this.#write());
  }

  #write(): Written {
    const json = JSON.stringify(problemOf(this.status, this.#detail));
    return { json, bytes: Buffer.byteLength(json), headers: [...problemHeaders(json), ...this.#besides] };
  }
}

/** The headers of a problem with this text. */
export function problemHeaders(json: string): string[] {
  return ['Content-Type', 'application/problem+json', 'Content-Length', String(Buffer.byteLength(json))];
}
