/**
 * What a server has registered, for the entries of the package that describe a server, such as `restpoint/openapi`.
 *
 * It is not for hosts, and can change in any release. As with the `~standard` of schemas, the `~` puts it at the end of every list of
 * members.
 */
import type { Kind } from './kinds.ts';
import type { Route, RoutedEndpoint } from './routes.ts';

/** An operation, and the host's object that declares it: the operation's own, or the endpoint if it is a plain function. */
export interface RegisteredOperation {
  readonly kind: Kind;
  /** The name of a Custom operation; empty for the others. */
  readonly name: string;
  readonly receiver: object;
}

/** An endpoint, and the host's object that declares it. */
export interface RegisteredEndpoint extends RoutedEndpoint<RegisteredOperation> {
  readonly receiver: object;
}

export interface Registered {
  readonly root: string;
  /** Whether the host's `formatProblem` decides how problems look. */
  readonly formatsProblems: boolean;
  /** Endpoints and mounts, in order of registration. The list grows with each. */
  readonly all: readonly (RegisteredEndpoint | Route)[];
}

/** A server that can be described: an `ApiServer`. */
export interface DescribedServer {
  readonly '~registered': Registered;
}
