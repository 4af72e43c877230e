/** A call: a promise of its result, and the items of a stream. */
import type { ClientOptions } from './options.ts';
import { ProblemError } from './problem-error.ts';
import { send, type SendOptions, type SentRequest, type Success } from './request.ts';
import { pause } from './signal.ts';
import { type Cursor, isStream } from './streams.ts';

// A stream of events obeys any `Retry-After` that a timer can: it has 31 bits.
const AGAIN = { attempts: Infinity, maxDelayMs: 2 ** 31 - 1 };

/**
 * Makes a call. Nothing says whether its answer will be a stream. So a GET or QUERY, which changes nothing, is sent when it is first awaited or
 * iterated, and any other request at once.
 */
export function callOf(method: string, requestOf: () => SentRequest, call: SendOptions, options: ClientOptions): object {
  // Only a GET is sent again for more events.
  const cursor: Cursor | undefined = method === 'GET' ? {} : undefined;
  const sendWith = async (retries: ClientOptions['retries']): Promise<Success> => send({ ...requestOf(), cursor }, call, { ...options, retries });
  let sent: Promise<Success> | undefined;
  const first = (): Promise<Success> => (sent ??= sendWith(options.retries));

  /**
   * The items of a stream. Events go on with another connection after an end and after a failure, but not after an answer that refuses. They end
   * with an answer that has no items, such as a 204, and with the signal.
   */
  async function* items(): AsyncGenerator {
    try {
      for (let next = first(); ; next = sendWith(AGAIN)) {
        try {
          const { value } = await next;
          if (!isStream(value)) return;
          yield* value;
        } catch (error) {
          if (cursor?.retryMs === undefined || error instanceof ProblemError) throw error;
        }
        if (cursor?.retryMs === undefined) return;
        await pause(cursor.retryMs, call.signal);
      }
    } catch (error) {
      if (!call.signal?.aborted) throw error;
    }
  }

  const result = async (): Promise<unknown> => {
    try {
      const { response: { status, headers }, value: whole } = await first();
      const value = isStream(whole) ? items() : whole;
      return call.safe ? { ok: true, status, value, etag: headers.get('etag') ?? undefined } : value;
    } catch (error) {
      // A success that cannot be read has no problem of the server's.
      if (!call.safe || !(error instanceof ProblemError) || error.response.ok) throw error;
      return { ok: false, status: error.status, problem: error.problem };
    }
  };
  if (!/^[GQ]/.test(method)) void first();
  const promise: Promise<unknown> = {
    then: (...settled) => result().then(...settled),
    catch: (failed) => result().catch(failed),
    finally: (settled) => result().finally(settled),
    [Symbol.toStringTag]: 'Call',
  };
  return Object.assign(promise, { [Symbol.asyncIterator]: items });
}
