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

/**
 * Calls a function with a value, or with the value that a promise resolves to. Returns a promise only then, or if the function returns one.
 */
export function after<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isThenable(value) ? adopt(value as PromiseLike<T>).then(next) : next(value);
}

/**
 * Calls a function, and `handle` with the error that it throws or that its promise rejects with. Returns a promise only if one of them
 * does.
 */
export function recover<T, R>(call: () => T | PromiseLike<T>, handle: (thrown: unknown) => R): T | R | PromiseLike<T | R> {
  try {
    const returned = call();
    return isThenable(returned) ? adopt(returned as PromiseLike<T>).then(undefined, handle) : returned;
  } catch (thrown) {
    return handle(thrown);
  }
}

/** Ignores a value. If it is a promise, handles its rejection, which would end the process otherwise. */
export function disown(value: unknown): void {
  try {
    if (isThenable(value)) adopt(value).then(undefined, () => {});
  } catch {
    // Its `then` or its `constructor` may be a getter that throws.
  }
}

/** Ignores the promises in a value that is rejected: the value itself, its items and its properties. */
export function disownAll(value: unknown, depth = 4): void {
  disown(value);
  if (depth === 0 || typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  try {
    for (const each of Object.values(value)) disownAll(each, depth - 1);
  } catch {
    // A getter of the user, or a proxy, may throw.
  }
}

/**
 * Returns the result of a user's function that nothing waits for. Throws `TypeError` for a promise, and handles its rejection, which would
 * end the process otherwise. `cause` is the error that the function was called for.
 */
export function checkSync<T>(result: T, name: string, cause?: unknown): T {
  if (!isThenable(result)) return result;
  disown(result);
  throw new TypeError(`${name} must not be async: it returned a promise`, cause === undefined ? undefined : { cause });
}

/** Returns the result of a user's function that decides. Throws `TypeError` for any other value: a promise is truthy, and would be a yes. */
export function checkDecision(result: unknown, name: string): boolean {
  if (typeof result === 'boolean') return result;
  disown(result);
  throw new TypeError(`${name} must return true or false: it returned ${describeType(result)}`);
}

/** Returns a value that the user's code has passed. Throws `TypeError` for a promise, and handles its rejection, as `checkSync` does. */
export function checkAwaited<T>(value: T, what: string): T {
  if (!isThenable(value)) return value;
  disown(value);
  throw new TypeError(`${what} must not be a promise: await it`);
}

/**
 * Whether a value is of a class, even of a different realm, such as a test runner's. Never throws, as `instanceof` does for some proxies.
 */
export function isInstance<T>(value: unknown, type: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof type || Object.prototype.toString.call(value) === `[object ${type.name}]`;
  } catch {
    return false;
  }
}

export function isError(value: unknown): value is Error {
  return isInstance(value, Error);
}

/** Reads a property of a value that the user's code has thrown. `undefined` if its getter throws. */
export function readProperty(value: unknown, name: string): unknown {
  try {
    return (Object(value) as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
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

// Each signal that follows from a different one can add an error.
const MAX_CAUSES = 8;

/**
 * Whether an error says only that a signal has aborted: it is the signal's reason, as `fetch` and `throwIfAborted` throw it, or an
 * `AbortError` with the reason as its cause, as Node's functions throw it. Never throws.
 */
export function isAbortError(thrown: unknown, { aborted, reason }: AbortSignal): boolean {
  try {
    let error = thrown;
    for (let causes = 0; aborted && causes < MAX_CAUSES && error !== reason; causes += 1) {
      const { name, cause } = Object(error) as { readonly name?: unknown; readonly cause?: unknown };
      if (name !== 'AbortError') return false;
      error = cause;
    }
    return aborted && error === reason;
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
    return shortenString(isError(thrown) ? String(thrown.message) : String(thrown));
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

/** Called when a promise rejects. `isAwaited` tells whether anything waits for it. */
type OnRejected = (thrown: unknown, isAwaited: () => boolean) => void;

/** A promise that never ends the process. */
export class WatchedPromise<T> extends Promise<T> {
  #isAwaited = false;
  #onRejected: OnRejected | undefined;

  static of<T>(promise: Promise<T>, onRejected: OnRejected): WatchedPromise<T> {
    return new WatchedPromise<T>((resolve) => resolve(promise)).#report(onRejected);
  }

  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  // Called by `await`, `catch`, `finally` and `Promise.all`.
  override then<R = T, S = never>(
    onValue?: ((value: T) => R | PromiseLike<R>) | null, onError?: ((thrown: unknown) => S | PromiseLike<S>) | null,
  ): Promise<R | S> {
    this.#isAwaited = true;
    // `then` returns a promise of the same class, by its species.
    const next = super.then(onValue, onError) as WatchedPromise<R | S>;
    return this.#onRejected === undefined ? next : next.#report(this.#onRejected);
  }

  #report(onRejected: OnRejected): this {
    this.#onRejected = onRejected;
    super.then(undefined, (thrown: unknown) => onRejected(thrown, () => this.#isAwaited));
    return this;
  }
}

/**
 * The promises that a function of the user gets, and may forget to wait for. Until it has ended, it may still wait for one that has failed.
 * Each knows whether anything waits for it, or for a promise that is derived from it.
 *
 *   around: (call, run) => { run(); return 'queued'; }   ->   if the operation rejects, that is reported, and does not end the process
 */
export class PromiseWatch {
  #failed: (() => void)[] | undefined;
  #isOver = false;

  /** Returns a promise of the same value. `report` is called if it rejects, and nothing waits for it. */
  watch<T>(promise: Promise<T>, report: (thrown: unknown) => void): WatchedPromise<T> {
    return WatchedPromise.of(promise, (thrown, isAwaited) => {
      const reportLost = (): void => {
        if (!isAwaited()) report(thrown);
      };
      if (this.#isOver) reportLost();
      else (this.#failed ??= []).push(reportLost);
    });
  }

  /** Called when the function has ended. */
  end(): void {
    this.#isOver = true;
    this.#failed?.forEach((reportLost) => reportLost());
    this.#failed = undefined;
  }
}
