export type { JsonOf as Json } from '../endpoint/contract.ts';
export type { Failed, Succeeded } from './call-types.ts';
export { client } from './client.ts';
export { toFormData } from './form-data.ts';
export type { BodyOf, Operations, ProblemOf, ResultOf } from './operations.ts';
export type {
  ByteBody, CallOptions, ClientOptions, EachOptions, ClientHeaders, IfMatch, QueryParameters, RequestOptions, RetryOptions,
} from './options.ts';
export type { Client } from './paths.ts';
export { ProblemError, type ClientProblem } from './problem-error.ts';
export { wait } from './wait.ts';
