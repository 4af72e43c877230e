/** Promises, and what behaves as one, where a host's function gives them: waited for, or not. */

/** Says whether a value is a promise, or behaves as one. Some that do are functions: `await` takes those as well. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value === 'object' ? value === null : typeof value !== 'function') return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/**
 * A promise of the language's own for one that may be of another kind, and may settle twice, throw, or give another promise. Where its
 * `then` is asynchronous itself and fails, `await` would never hear of it, and the process would end.
 */
export function adopt<T>(promised: PromiseLike<T>): Promise<T> {
  if (promised instanceof Promise) return Promise.resolve(promised);
  return new Promise((resolve, reject) => {
    const settled: unknown = promised.then(resolve, reject);
    if (settled instanceof Promise) settled.catch(reject);
  });
}

/**
 * Takes note that nobody waits for a value. If it is a promise, what it rejects with has no other listener, and would end the
 * process. Never throws.
 */
export function disown(value: unknown): void {
  try {
    if (isThenable(value)) adopt(value).catch(() => {});
  } catch {
    // Its `then` or its `constructor` may be a getter that throws.
  }
}

/** What to call a value in a message, where a host's function had to give another one at once. */
export function nameOf(value: unknown): string {
  return isThenable(value) ? 'a promise, which nothing waits for' : typeof value;
}
