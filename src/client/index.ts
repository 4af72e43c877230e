export type { Failed, Succeeded } from './answer-types.ts';
export { client } from './client.ts';
export type { Json } from './json.ts';
export type { Operations } from './operations.ts';
export type {
  ByteBody, CallOptions, ClientOptions, EachOptions, HeaderFields, IfMatch, QueryParameters, RequestOptions, RetryOptions,
} from './options.ts';
export type { Client } from './places.ts';
export { ProblemError, type ClientProblem } from './problem-error.ts';
