/**
 * The promise that `run` returns to an interceptor. It knows whether anything waits for it, or for a promise that is derived from it.
 *
 *   around: (call, run) => { run(); return 'queued'; }   ->   if the operation rejects, that is logged, and does not end the process
 */

/** Called when a run rejects. `isAwaited` tells whether anything waits for it. */
type OnRejected = (thrown: unknown, isAwaited: () => boolean) => void;

export class RunPromise<T> extends Promise<T> {
  #isAwaited = false;
  #onRejected: OnRejected | undefined;

  static of<T>(promise: Promise<T>, onRejected: OnRejected): RunPromise<T> {
    return new RunPromise<T>((resolve) => resolve(promise)).#report(onRejected);
  }

  // Called by `await`, `catch`, `finally` and `Promise.all`.
  override then<R = T, S = never>(
    onValue?: ((value: T) => R | PromiseLike<R>) | null, onError?: ((thrown: unknown) => S | PromiseLike<S>) | null,
  ): Promise<R | S> {
    this.#isAwaited = true;
    // `then` returns a promise of the same class, by its species.
    const next = super.then(onValue, onError) as RunPromise<R | S>;
    return this.#onRejected === undefined ? next : next.#report(this.#onRejected);
  }

  #report(onRejected: OnRejected): this {
    this.#onRejected = onRejected;
    super.then(undefined, (thrown: unknown) => onRejected(thrown, () => this.#isAwaited));
    return this;
  }
}
