export { ProblemError, type ClientProblem } from './answer.ts';
export { client, type Connect } from './client.ts';
export type { Json } from './json.ts';
export type { ByteBody, CallOptions, ClientOptions, HeaderFields, QueryParameters } from './options.ts';
export type { Client, Operations, Place } from './operations.ts';
