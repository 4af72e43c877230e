/** Calls an operation: a call is both a promise of the result and, for a stream, an iterable of its items. */
import type { ClientOptions } from './options.ts';
import { ProblemError } from './problem-error.ts';
import { MAX_TIMER_MS, send, type SendOptions, type SentRequest, type Success } from './request.ts';
import { pause } from './signal.ts';
import { type Cursor, isIterable } from './streams.ts';

/** Sends a request. Only the response shows whether it is a stream, so a call can be awaited and iterated. */
export function makeCall(method: string, makeRequest: () => SentRequest, call: SendOptions, options: ClientOptions): object {
  // Only a GET is sent again for more events.
  const cursor: Cursor | undefined = method === 'GET' ? { id: call.lastEventId } : undefined;
  const sendWith = async (retries: ClientOptions['retries']): Promise<Success> => {
    return send({ ...makeRequest(), cursor }, call, { ...options, retries });
  };
  const first = sendWith(options.retries);

  /**
   * The items of a stream. After an end and after a failure, events go on with a new connection. They end with a response that has no
   * items, such as a 204, with one that is not a success, and with the signal.
   */
  async function* iterate(): AsyncGenerator {
    try {
      // A stream of events waits for any `Retry-After`.
      for (let next = first; ; next = sendWith({ attempts: Infinity, maxDelayMs: MAX_TIMER_MS })) {
        try {
          const { value } = await next;
          if (!isIterable(value)) return;
          yield* value;
        } catch (error) {
          if (cursor?.retry == null || error instanceof ProblemError) throw error;
        }
        if (cursor?.retry == null) return;
        await pause(cursor.retry, call.signal);
      }
    } catch (error) {
      if (!call.signal?.aborted) throw error;
    }
  }

  const settle = async (): Promise<unknown> => {
    try {
      const { response: { status, headers }, value: whole } = await first;
      const value = isIterable(whole) ? iterate() : whole;
      return call.safe ? { ok: true, status, value, headers, etag: headers.get('etag') ?? undefined } : value;
    } catch (error) {
      // A success that cannot be read has no problem from the server, so it rejects even with `safe`.
      if (!call.safe || !(error instanceof ProblemError) || error.response.ok) throw error;
      return { ok: false, status: error.status, problem: error.problem };
    }
  };
  return {
    then: (...settled) => settle().then(...settled),
    catch: (failed) => settle().catch(failed),
    finally: (settled) => settle().finally(settled),
    [Symbol.asyncIterator]: iterate,
  } satisfies AsyncIterable<unknown> & Omit<Promise<unknown>, typeof Symbol.toStringTag>;
}
