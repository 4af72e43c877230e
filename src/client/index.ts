export type { JsonOf as Json } from '../declaration/contract.ts';
export { type IdCodec, integerId, stringId, uint64Id, uuidId, type WildcardCodec, wildcardId } from '../declaration/id-codec.ts';
export type { SuccessStatus } from '../declaration/reply.ts';
export type { Breaking } from './breaking.ts';
export { client } from './client.ts';
export { toFormData } from './form-data.ts';
export type { BodyOf, ClientCall, Failed, Operations, OtherFailure, ProblemOf, ResultOf, Succeeded } from './operations.ts';
export type {
  ByteBody, CallOptions, ClientHeaders, ClientOptions, EachOptions, IfMatch, QueryParameters, RequestOptions, RetryOptions,
} from './options.ts';
export type { Client, ClientWithIds } from './paths.ts';
export { type ClientProblem, ProblemError } from './problem-error.ts';
export { type ListPage, wait } from './sequences.ts';
