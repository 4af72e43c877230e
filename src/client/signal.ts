/** Ends a call before its response: by the caller's signal, or after its time. */

/** The longest pause before the next attempt, unless an option allows a longer one. */
export const MAX_PAUSE_MS = 60_000;

/** Calls a listener when a signal aborts. Returns a function that removes it. */
function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  signal?.addEventListener('abort', listener);
  return () => signal?.removeEventListener('abort', listener);
}

/**
 * Uses a signal that aborts with the caller's, or when the time is over. When the use has ended, the time has no effect, unless `isKept`:
 * Deno runs for as long as a time has a listener.
 */
export async function useSignal<T>(
  signal: AbortSignal | undefined, timeoutMs: number | undefined, use: (signal: AbortSignal | undefined) => Promise<T>, isKept?: boolean,
): Promise<T> {
  if (!timeoutMs) return use(signal);
  const timeout = AbortSignal.timeout(timeoutMs);
  const controller = new AbortController();
  // Node 20 would collect a timeout without a listener as garbage.
  const end = onAbort(timeout, () => controller.abort(timeout.reason));
  return use(AbortSignal.any([signal ??= controller.signal, controller.signal])).finally(isKept || end as any);
}

/** Settles as the promise, or rejects with the reason of a signal that aborts before. */
export function unlessAborted<T>(value: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    if (signal?.aborted) abort();
    // The caller may use one signal for many calls.
    Promise.resolve(value).then(resolve, reject).then(onAbort(signal, abort));
  });
}

/** Waits some milliseconds. Rejects as soon as the signal aborts. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  return unlessAborted<void>(new Promise((resolve) => (timer = setTimeout(resolve, ms))), signal).finally(() => clearTimeout(timer));
}
