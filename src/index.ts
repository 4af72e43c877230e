export {
  ApiError, type ArgumentOptions, type ErrorKind, type ErrorMapper, type StatusOptions,
} from './errors/api-error.ts';
export type { Problem, ProblemIssue, ProblemIssueWithPath, ProblemReason } from './errors/problem.ts';
export type { ReplyHeaders, ResponseHeaders } from './util/headers.ts';
export type { FormatProblemOptions, FormattableProblem, FormattedProblem, ProblemFormat } from './server/settings/problem-formatter.ts';
export type { ListenAddress } from './server/address.ts';
export { ApiServer, type EndpointsOptions } from './server/api-server.ts';
export type { Fetch } from './server/exchange/memory/fetch.ts';
export type { StartResult } from './server/life-cycle.ts';
export type { MountableListener } from './server/listeners/request-listener.ts';
export type { AnyDecoder, Decoded, Decoder, DecoderSide, MaybePromise, SchemaConverter, StandardSchemaV1 } from './declaration/decoder.ts';
export { views, type Views } from './declaration/views.ts';
export type { CacheOptions } from './declaration/cache-options.ts';
export type { ApiEndpoint } from './declaration/declaration.ts';
export { defineEndpoint, type DefineEndpointWith, endpointWith } from './declaration/define-endpoint.ts';
export type { DefinedEndpoint } from './declaration/defined-endpoint.ts';
export type {
  ContextFunction, CustomOperation, OperationLimits, OperationOptions, ParamsOf, ToolAnnotations, ToolDescription,
} from './declaration/operation-forms.ts';
export { type IdCodec, integerId, stringId, uint64Id, uuidId, type WildcardCodec, wildcardId } from './declaration/id-codec.ts';
export type { LoggedRequest } from './server/settings/logged-request.ts';
export type { Logger } from './server/settings/logger.ts';
export type { ProxyOptions } from './server/settings/proxy.ts';
export type { RequestIdOptions } from './server/settings/request-id.ts';
export type { Middleware, MountRequest } from './server/listeners/listeners.ts';
export type { MountHandler, MountOptions } from './server/listeners/mounts.ts';
export type { ApiRequest, ContextRequest, RequestMessage, Route, UndeclaredQuery } from './declaration/request.ts';
export type { CorsOptions, CorsOrigins } from './http/cors.ts';
export type { Limits } from './http/limits.ts';
export type { ApiServerOptions } from './server/settings/server-options.ts';
export type { TlsOptions } from './server/settings/tls-options.ts';
export type { UpgradeHandler, UpgradeOptions } from './server/listeners/upgrades.ts';
export { bytes, type Bytes, type BytesOptions, defineFormat } from './declaration/define-format.ts';
export type { Decoding, Encoded, Encoding, Format, FormatParts } from './declaration/format.ts';
export type {
  InterceptedCall, Interceptor, Interceptors, MatchedRequest, OnRequest, OperationResponse, RequestInterceptor,
  Run, RunOptions,
} from './declaration/interceptor.ts';
export { created, type Created, problem, reply, type Reply, type ReturnedProblem } from './declaration/reply.ts';
