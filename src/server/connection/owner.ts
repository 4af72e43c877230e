/** The server of a connection, as connections and other servers see it. `LifeCycle` implements it. */

/** A part of a server that stops with it, such as a mounted server. */
export interface Stoppable {
  /** The parts that stop together with this one. */
  readonly inner: ReadonlySet<Stoppable>;
  /** Functions to call before the server listens. If one throws, the server does not listen. */
  readonly preparations?: Set<() => unknown>;
  /** Stops this part, without its inner parts. */
  stopSelf(): Promise<void>;
  /** Called when the server serves again after a stop. */
  renew(): void;
}

export interface ConnectionOwner extends Stoppable {
  /** Aborts when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** The connections of `fetch`, and the servers that are mounted by `mount`, by `use` or within a listener. */
  readonly inner: Set<Stoppable>;
  /** Called for each request from `requestListener` or `fetch`: after one, `stop` has something to stop even without `start`. */
  markUsed(): void;
}
