/**
 * The streams and ranges that runs of an operation return. An interceptor may send a different body that reads from them. So the unsent
 * ones are closed only when the response is over.
 */
import type { ServerResponse } from 'node:http';
import { dropUnsent, GivenReply, isChosen } from '../endpoint/reply.ts';
import { isStream } from '../endpoint/stream.ts';
import { EncodedResponse } from './encoded-response.ts';

export class ResultBodies {
  readonly #response: ServerResponse;
  #open: Set<unknown> | undefined;
  #isOver = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Notes the body of a result. */
  add(result: unknown): void {
    const body = bodyToClose(result);
    if (body === undefined) return;
    if (this.#isOver) this.#drop(body);
    else (this.#open ??= new Set()).add(body);
  }

  /** Notes the body of a response in place of the body of the result that was encoded. */
  replace(result: unknown, encoded: unknown): void {
    const body = bodyToClose(result);
    if (body !== undefined) this.#open?.delete(body);
    this.add(encoded);
  }

  /** Closes all but the body of the result that is sent. */
  end(result: unknown): void {
    this.#isOver = true;
    this.#open?.delete(bodyToClose(result));
    this.#open?.forEach((body) => this.#drop(body));
  }

  #drop(body: unknown): void {
    void whenSent(this.#response).then(() => dropUnsent(body));
  }
}

/** The body of a result, if it must be closed when it is not sent. */
function bodyToClose(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return undefined;
  const body: unknown = GivenReply.is(result) ? result[' reply'] : EncodedResponse.is(result) ? result.body : result;
  return isStream(body) || isChosen(body) ? body : undefined;
}

/** Resolves when a response is sent, or its connection has closed. */
export function whenSent(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve();
    else response.once('finish', resolve).once('close', resolve);
  });
}
