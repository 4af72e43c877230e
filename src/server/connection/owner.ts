/** The server of a connection, as connections and other servers see it. `LifeCycle` is one. */

/** A part of a server that stops with it, such as a server that is mounted in it. */
export interface Stoppable {
  /** The parts that stop with this one. */
  readonly inner: ReadonlySet<Stoppable>;
  /** Called before the server listens, which it does not if one throws. */
  readonly preparations?: Set<() => unknown>;
  /** Stops this part, and not those in it. */
  stopSelf(): Promise<void>;
  /** Called when the server serves again after a stop. */
  renew(): void;
}

export interface ConnectionOwner extends Stoppable {
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** The connections of `fetch`, and the servers that are mounted in this one, by `mount`, by `use` or within a listener. */
  readonly inner: Set<Stoppable>;
  /** Called with each request from `requestListener` or `fetch`. From then on, `stop` has something to stop even without `start`. */
  markUsed(): void;
}
