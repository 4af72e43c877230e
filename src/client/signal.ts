/** Ends a call before its response: by the caller's signal, or after its time. */

/** Makes a signal that aborts with the caller's, or when the time is over. */
export function makeSignal(signal: AbortSignal | undefined, timeoutMs: number | undefined): AbortSignal | undefined {
  if (!timeoutMs) return signal;
  const timeout = AbortSignal.timeout(timeoutMs);
  // Node 20 collects the parts of such a signal as garbage, even a timeout, unless something else refers to them.
  return signal ? Object.assign(AbortSignal.any([signal, timeout]), { timeout }) : timeout;
}

/** Settles as the promise, or rejects with the reason of a signal that aborts before. */
export function unlessAborted<T>(value: T | PromiseLike<T>, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    // The caller may use one signal for many calls.
    Promise.resolve(value).then(resolve, reject).then(() => signal?.removeEventListener('abort', abort));
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort);
  });
}

/** Waits some milliseconds. Rejects as soon as the signal aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await unlessAborted(new Promise((resolve) => (timer = setTimeout(resolve, ms))), signal);
  } finally {
    clearTimeout(timer);
  }
}
