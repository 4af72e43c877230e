/** Clients that send requests to the cluster without a pause. */
export interface Load {
  /** How many requests got the right response. */
  readonly succeeded: number;
  /** Why requests were not. */
  readonly lost: readonly string[];
  /** Sends requests to a port until `end` is called. */
  run(port: number): Promise<void>;
  end(): void;
}
