/** Promises and other thenables that a host's functions return. */

/** Whether `await` would wait for a value: an object or a function with a method `then`. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value === 'object' ? value === null : typeof value !== 'function') return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/**
 * Makes a native promise of a thenable. `await` is not enough: it ignores the promise that an asynchronous `then` returns, whose
 * rejection would end the process. A promise can have such a `then` of its own.
 */
export function adopt<T>(promised: PromiseLike<T>): Promise<T> {
  if (promised instanceof Promise && promised.then === Promise.prototype.then) return Promise.resolve(promised);
  return new Promise((resolve, reject) => {
    const returned: unknown = promised.then(resolve, reject);
    if (returned instanceof Promise) returned.catch(reject);
  });
}

/** Ignores a value. If it is a promise, handles its rejection, which would end the process otherwise. Never throws. */
export function disown(value: unknown): void {
  try {
    if (isThenable(value)) adopt(value).then(undefined, () => {});
  } catch {
    // Its `then` or its `constructor` may be a getter that throws.
  }
}

/** The type of a value that a host's function should not have returned, for a message. */
export function nameOf(value: unknown): string {
  return isThenable(value) ? 'a promise, which nothing waits for' : typeof value;
}
