/** Values that the user's functions throw or return: promises of any kind, and the messages of errors. */

/** Whether `await` would wait for a value: an object or a function with a method `then`. Throws if `then` is a getter that throws. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value === 'object' ? value === null : typeof value !== 'function') return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

/**
 * Makes a native promise of a thenable. `await` is not enough: it ignores the promise that an asynchronous `then` returns, whose
 * rejection would end the process. Even a native promise can have such a `then`, instead of the built-in one.
 */
export function adopt<T>(promised: PromiseLike<T>): Promise<T> {
  if (promised instanceof Promise && promised.then === Promise.prototype.then) return Promise.resolve(promised);
  return new Promise((resolve, reject) => {
    const returned: unknown = promised.then(resolve, reject);
    if (returned instanceof Promise) returned.catch(reject);
  });
}

/** Ignores a value. If it is a promise, handles its rejection, which would end the process otherwise. */
export function disown(value: unknown): void {
  try {
    if (isThenable(value)) adopt(value).then(undefined, () => {});
  } catch {
    // Its `then` or its `constructor` may be a getter that throws.
  }
}

/** Whether a value is an `Error`. Never throws, as `instanceof` does for some proxies. */
export function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

/**
 * Whether an error was thrown by the engine for a bug, such as `undefined.legs`. Errors of Node have a `code`, and errors of libraries
 * have a class of their own.
 */
export function isBug(thrown: unknown): boolean {
  try {
    const { code, constructor } = Object(thrown) as { readonly code?: unknown; readonly constructor?: { readonly name?: unknown } };
    return code === undefined && (constructor?.name === 'TypeError' || constructor?.name === 'ReferenceError');
  } catch {
    return false;
  }
}

/** Calls a function, and ignores its result and its failure. */
export function disownCall(call: () => unknown): void {
  try {
    disown(call());
  } catch (thrown) {
    disown(thrown);
  }
}

/** Describes the type of a value that a user's function should not have returned, for a message. */
export function describeType(value: unknown): string {
  return isThenable(value) ? 'a promise, which is not awaited' : typeof value;
}

/** Formats any thrown value for the log. An object without a message is its JSON. */
export function formatError(thrown: unknown): string {
  const message = formatClientError(thrown);
  return message === PLAIN_OBJECT ? stringifyBriefly(thrown) : message;
}

/** The same for clients: without the properties of an object. */
export function formatClientError(thrown: unknown): string {
  disown(thrown);
  try {
    return shortenString(thrown instanceof Error ? String(thrown.message) : String(thrown));
  } catch {
    return 'an error without a message';
  }
}

const PLAIN_OBJECT = String({});
const MAX_JSON = 200;

function stringifyBriefly(thrown: unknown): string {
  try {
    return JSON.stringify(thrown).slice(0, MAX_JSON);
  } catch {
    return PLAIN_OBJECT;
  }
}

// Even if every character is escaped, a message with this string stays within V8's longest string.
const MAX_SHOWN = 2 ** 24;

/** Replaces a string that is too long to be part of a message. */
export function shortenString(string: string): string {
  return string.length <= MAX_SHOWN ? string : `a string of ${string.length} characters`;
}
