/**
 * The streams of an operation that runs in interceptors: the input that it reads, and the results that it streams. An interceptor may
 * return a stream of its own that reads from the one of `run()`, so nothing is closed before the response is over.
 */
import type { AsyncResource } from 'node:async_hooks';
import { dropUnsent, GivenReply, isChosen } from '../../declaration/reply.ts';
import { asyncHooks } from '../../node.ts';
import { isLazy, isStream } from '../../util/stream.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { EncodedResponse } from './encode-result.ts';

export class OperationStreams {
  readonly #exchange: Exchange;
  // The streams that the operation has got as its input.
  readonly #inputs = new Set<unknown>();
  // The streams of results, each with the async context in which it is read and closed.
  readonly #results = new Map<unknown, AsyncResource>();
  #isSent = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Throws if the input of a run is a stream that the operation has got before. */
  addInput(input: unknown): void {
    if (!isStream(input)) return;
    if (this.#inputs.has(input)) throw new TypeError('run() must not be called again: the input is a stream, and has been read');
    this.#inputs.add(input);
  }

  /** Keeps the stream of a result. It takes the place of the stream of `source`, if the result was made from that. */
  addResult(result: unknown, source?: unknown): void {
    const stream = findStream(result);
    const sourceStream = findStream(source);
    const context = this.#results.get(stream) ?? this.#results.get(sourceStream);
    this.#results.delete(sourceStream);
    if (stream !== undefined) this.#keepOrClose(stream, context ?? new asyncHooks.AsyncResource('RESTPOINT_STREAM'));
  }

  /**
   * Called with the result that is sent. Returns the async context of its stream. All other streams are closed, of late results too.
   */
  send(result: unknown): AsyncResource | undefined {
    this.#isSent = true;
    const stream = findStream(result);
    // A stream of an interceptor reads from the last one that it has got.
    const context = stream === undefined ? undefined : this.#results.get(stream) ?? [...this.#results.values()].at(-1);
    this.#results.delete(stream);
    for (const [unsent, unsentContext] of this.#results) this.#keepOrClose(unsent, unsentContext);
    return context;
  }

  #keepOrClose(stream: unknown, context: AsyncResource): void {
    if (this.#isSent) void this.#exchange.whenSent().then(() => context.runInAsyncScope(dropUnsent, undefined, stream));
    else this.#results.set(stream, context);
  }
}

/** The body of a result, if code of the user runs while it is sent, and when it is closed. */
function findStream(result: unknown): unknown {
  if (typeof result !== 'object' || result === null) return undefined;
  const body: unknown = GivenReply.is(result) || EncodedResponse.is(result) ? result.body : result;
  return isStream(body) || isChosen(body) || isLazy(body) ? body : undefined;
}
