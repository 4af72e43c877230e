import type { IdCodec } from '../declaration/id-codec.ts';
import type {
  BodyParameter, ContractOf, NamesOf, OperationAt, Options, ProblemIn, Problems, Successes, WholeContract,
} from './operations.ts';
import type { HasId, IdCodecOption, PathArguments } from './paths.ts';

/**
 * Gets the paths at which programs that were compiled with the type of an older API do not compile with a newer one; `never` if there is
 * none. An operation, a parameter or a property of a result is gone, a body, a query or the options need more, or a result can be what it
 * could not be.
 *
 * Types have no bounds, patterns and defaults: a tool such as oasdiff compares these, in documents.
 *
 * @example
 * ```ts
 * import type { Breaking } from 'restpoint/client';
 * import type { Api as Released } from './released/api.d.ts';
 *
 * // Does not compile while a path breaks clients of the last release: the compiler's message has the path.
 * const none: never[] = [] as Breaking<Released, Api>[];
 * ```
 */
export type Breaking<Old, New> = {
  // A type that could not be resolved, such as one of a missing file, is `any`.
  [Path in keyof Old]: Path extends keyof New ? 0 extends 1 & New[Path] ? Path
    : PathUse<WholeContract<New[Path]>> extends PathUse<WholeContract<Old[Path]>> ? never : Path : Path;
}[keyof Old];

/** What clients use at a path, which can have items and a singleton. */
type PathUse<Contract> = Contract extends { readonly id: unknown }
  ? { readonly items: EndpointUse<Contract>; readonly one: Contract extends { readonly one: infer One } ? EndpointUse<One> : unknown }
  : { readonly items: unknown; readonly one: EndpointUse<ContractOf<Contract>> };

/** What clients use of an endpoint. A newer one that is assignable to an older one can take its place. */
// Not `Operations`: whether generic functions are assignable can depend on what the compiler has compared before. And inferred types, since
// the compiler compares two uses of one generic type by their arguments, and a newer contract is not assignable where it has a further
// status.
type EndpointUse<Endpoint> = Endpoint extends infer Own ? {
  readonly hasId: HasId<Own>;
  readonly path: (...path: PathArguments<Own, IdCodecOption<Own, undefined>>) => void;
  readonly id: (id: Own extends { readonly id: IdCodec<infer Id> } ? Id | string : never) => void;
  readonly operations: { readonly [Name in NamesOf<Own>]: OperationUse<OperationAt<Own, Name>> };
} : never;
type OperationUse<Op> = Op extends infer Own ? {
  readonly method: 'method' extends keyof Own ? Own['method'] : undefined;
  readonly call: (...args: [...BodyParameter<Own>, ...Options<Own, false, true, {}>]) => Successes<Own, string>;
  readonly problems: { readonly [Status in Problems<Own>]: ProblemIn<Own, Status> };
} : never;
