export { ApiError, type ErrorKind, type ErrorMapper, type NotFoundPredicate } from './errors/api-error.ts';
export type { Problem, ProblemIssue, ProblemIssueWithPath } from './errors/problem.ts';
export type { ArgumentOptions, ChallengeOptions, ProblemOptions, StatusArguments, StatusOptions } from './errors/api-error.ts';
export type { ReplyHeaders, ResponseHeaders } from './http/headers.ts';
export type { FormatProblemOptions, FormattableProblem, FormattedProblem, ProblemFormat } from './server/problem-formatter.ts';
export type { ListenAddress } from './server/address.ts';
export { ApiServer, type EndpointsOptions } from './server/api-server.ts';
export type { Fetch } from './server/fetch.ts';
export type { StartResult } from './server/life-cycle.ts';
export type { MountableListener } from './server/request-listener.ts';
export type { AnyDecoder, Decoded, Decoder, MaybePromise } from './endpoint/decoder.ts';
export type { CacheOptions } from './endpoint/caching.ts';
export type { ApiEndpoint } from './endpoint/declaration.ts';
export { defineEndpoint, type DefineEndpointWith, endpointWith, type EndpointWith } from './endpoint/define-endpoint.ts';
export type { DefinedEndpoint } from './endpoint/defined-endpoint.ts';
export type {
  ContextFunction,
  CustomOperation,
  OperationLimits,
  OperationOptions,
  ParamCodecs,
  ParamsOf,
  ToolDescription,
} from './endpoint/operation-forms.ts';
export { integerId, stringId, uint64Id, uuidId, type IdCodec } from './endpoint/id-codec.ts';
export type { Logger } from './server/logger.ts';
export type { Middleware } from './server/middleware.ts';
export type { MountRequest } from './server/listeners.ts';
export type { MountHandler, MountOptions } from './server/mounts.ts';
export type { RequestMessage } from './endpoint/request-message.ts';
export type { CorsOptions, CorsOrigins } from './http/cors.ts';
export type { Limits } from './http/limits.ts';
export type { ApiServerOptions, CreateServer } from './server/options.ts';
export type { TlsOptions } from './server/tls-options.ts';
export type { UpgradeHandler, UpgradeOptions } from './server/upgrades.ts';
export { bytes, type Bytes, type BytesOptions } from './endpoint/bytes.ts';
export type { Deprecation } from './endpoint/deprecation.ts';
export { defineFormat, type Decoding, type Encoded, type Encoding, type Format, type FormatParts } from './endpoint/format.ts';
export type {
  InterceptedCall,
  InterceptedOperation,
  Interceptor,
  Interceptors,
  MatchedRequest,
  OnRequest,
  OperationResponse,
  RequestInterceptor,
  Run,
  RunOptions,
} from './endpoint/interceptor.ts';
export { created, problem, reply, type Created, type Reply, type ReturnedProblem } from './endpoint/reply.ts';
export type { ApiRequest, ContextRequest } from './endpoint/request.ts';
export type { Route } from './endpoint/routes.ts';
export type {
  StandardSchemaIssue,
  StandardSchemaProps,
  StandardSchemaResult,
  StandardSchemaV1,
} from './endpoint/standard-schema.ts';
