/** The shapes of the public names. Compiling this file is the test. */
import { tracingChannel } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  ApiError, ApiServer, integerId, stringId, uint64Id, uuidId, type AnyDecoder, type ApiEndpoint, type ApiRequest, type ApiServerOptions, type ArgumentOptions,
  type ContextRequest, type CorsOptions, type CustomOperation, type Decoded, type Decoder, type ErrorKind, type Fetch, type IdCodec, type Limits,
  type MountOptions, type ListenAddress, type Logger, type MaybePromise, type Middleware, type MountHandler, type MountableListener, type MountRequest,
  type Problem, type ProblemIssue, type ProblemIssueWithPath, type RequestMessage, type Route, type StandardSchemaV1, type StartResult, type TlsOptions,
  type UpgradeHandler, type UpgradeOptions,
} from '../../src/index.ts';
import { anyone } from '../../src/auth/index.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { callablePetSchema, decodePet, decodePetLater, petSchema, same, type Pet } from './schemas.ts';

same<typeof stringId, IdCodec<string>>(true);
same<typeof integerId, IdCodec<number>>(true);
same<typeof uint64Id, IdCodec<bigint>>(true);
same<typeof uuidId, IdCodec<string>>(true);
export const hexId: IdCodec<number> = { parse: (text) => Number.parseInt(text, 16), format: (id) => id.toString(16) };
// @ts-expect-error a codec without format
export const half: IdCodec<number> = { parse: Number };

same<Decoded<typeof petSchema>, Pet>(true);
same<Decoded<typeof callablePetSchema>, Pet>(true);
same<Decoded<typeof decodePet>, Pet>(true);
same<Decoded<typeof decodePetLater>, Pet>(true);
export const decoders: Decoder<Pet>[] = [petSchema, callablePetSchema, decodePet, decodePetLater];
export const anyDecoder: AnyDecoder = petSchema;
// @ts-expect-error a decoder of a different type
export const wrong: Decoder<{ wings: number }> = petSchema;

same<ErrorKind, 'Argument' | 'Internal' | 'NotFound' | 'Status'>(true);
same<ApiError['kind'], ErrorKind>(true);
same<ReturnType<typeof ApiError.argument>, ApiError>(true);
ApiError.argument('message', { cause: 1 });
ApiError.internal('message');
ApiError.notFound({ cause: 1 });
// @ts-expect-error only its functions create one
new ApiError('Argument', 'message', undefined);
// @ts-expect-error NotFound takes no message
ApiError.notFound('message');

same<MaybePromise<1>, 1 | PromiseLike<1>>(true);
same<ApiRequest['raw'], IncomingMessage>(true);
same<ApiRequest['query'], URLSearchParams>(true);
same<ApiRequest['signal'], AbortSignal>(true);
same<ApiRequest['route'], Route>(true);
same<ContextRequest['route'], Route>(true);

same<RequestMessage['request'], IncomingMessage>(true);
same<RequestMessage['response'], ServerResponse>(true);
same<RequestMessage['route'], Route>(true);
same<RequestMessage['operation'], string | undefined>(true);
same<RequestMessage['error'], Error | undefined>(true);
tracingChannel<unknown, RequestMessage>('restpoint.request').error.subscribe((message) => {
  const { route, error } = message as RequestMessage;
  same<typeof error, Error | undefined>(true);
  // @ts-expect-error all subscribers get the same object
  route.path = '/';
});
same<Route, { readonly method: string; readonly path: string }>(true);
same<ProblemIssue, { readonly detail: string; readonly pointer?: string; readonly parameter?: string; readonly header?: string }>(true);
same<ProblemIssueWithPath['path'], readonly (string | number)[] | undefined>(true);
same<ArgumentOptions['errors'], readonly ProblemIssueWithPath[] | undefined>(true);
same<Problem['status'], number>(true);
same<Problem['detail'], string | undefined>(true);
same<StandardSchemaV1<1, 2>['~standard'], StandardSchemaV1.Props<1, 2>>(true);
same<StandardSchemaV1.Issue['message'], string>(true);
export const result: StandardSchemaV1.Result<number>[] = [{ value: 1 }, { issues: [{ message: 'no', path: ['a', { key: 0 }] }] }];

// @ts-expect-error there are two statuses
export const teapots: ApiServerOptions = { validationStatus: 418 };
export const options: ApiServerOptions = { uniqueKeys: true, validationStatus: 422, logger: console, stopGraceMs: 1, limits: { bodyBytes: 1 } };
export const limits: Limits = { inFlight: 1 };
export const mountOptions: MountOptions = { inFlight: false, cors: false, context: async ({ raw, signal }) => raw.headers['x-admin'] === 'yes' && !signal.aborted };
export const openMount: MountOptions = { context: anyone };
export const listed: CorsOptions = { origins: ['https://app.example'] as const, credentials: true, maxAgeSeconds: 60, allowHeaders: [], exposeHeaders: ['X-Total'] };
export const anyPage: ApiServerOptions = { cors: { origins: '*' } };
export const chosen: CorsOptions = { origins: (origin) => (same<typeof origin, string>(true), origin.endsWith('.app.example')) };
// @ts-expect-error a list of one is a list
export const notInList: CorsOptions = { origins: 'https://app.example' };
// @ts-expect-error the function decides at once
export const decidesLate: CorsOptions = { origins: async () => true };
// @ts-expect-error without origins
export const withoutOrigins: ApiServerOptions = { cors: { credentials: true } };
// @ts-expect-error a mount is covered, or it is not
export const coveredMount: MountOptions = { cors: { origins: '*' } };
// @ts-expect-error a mount has no parameters
export const tenantMount: MountOptions = { context: ({ params }: ContextRequest<{ readonly tenant: string }>) => params.tenant };
// @ts-expect-error whether it counts is a boolean
export const counted: MountOptions = { inFlight: 1 };
export const tls: TlsOptions = { cert: 'PEM', key: 'PEM', minVersion: 'TLSv1.3' };
export const secured = new ApiServer('', { tls, stopGraceMs: 100 });
secured.setSecureContext({ cert: 'PEM', key: 'PEM' });
// @ts-expect-error the server sets it
export const halfOpen: TlsOptions = { allowHalfOpen: true };
// @ts-expect-error a certificate is text or bytes
secured.setSecureContext({ cert: 1 });
// @ts-expect-error a misspelt limit
export const misspelt: Limits = { bodybytes: 1 };
// @ts-expect-error a status that is not one of the two
export const other: ApiServerOptions = { validationStatus: 409 };
export const logger: Logger = console;
/** As pino declares its methods. */
interface PinoLike {
  (object: object, message?: string, ...rest: unknown[]): void;
  (message: string, ...rest: unknown[]): void;
}
export declare const pino: { info: PinoLike; error: PinoLike };
export const pinoLogger: Logger = pino;

const server = new ApiServer('/v1', options);
same<typeof server.requestListener, MountableListener>(true);
export const forNode: RequestListener = server.requestListener;
export const forConnect: (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void = server.requestListener;
same<typeof server.fetch, Fetch>(true);
export const asGlobal: typeof fetch = server.fetch;
export const forClient: ClientOptions = { fetch: server.fetch };
export const fetched: Promise<Response>[] = [server.fetch('/v1/pet/1', { method: 'PUT', body: '{}' }), server.fetch(new URL('http://a/')), server.fetch(new Request('http://a/'))];
// @ts-expect-error a number is not a URL
server.fetch(1);
// @ts-expect-error a misspelt property
server.fetch('/', { methods: 'PUT' });
same<typeof server.routes, readonly Route[]>(true);
same<ReturnType<typeof server.start>, Promise<StartResult>>(true);
same<ReturnType<typeof server.stop>, Promise<void>>(true);
export const addresses: ListenAddress[] = ['127.0.0.1:80', { port: 80 }, { host: '::1', port: 80 }, { path: '/run/api' }, { fd: 3 }];
// @ts-expect-error a number is not an address
export const number: ListenAddress = 80;
export async function narrowed(): Promise<string> {
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) return same<typeof started.error, string>(true), started.error;
  same<typeof started.address, AddressInfo | string | null>(true);
  return started.url;
}

export const upgradeHandler: UpgradeHandler = (request, socket, head) => {
  same<typeof request, MountRequest>(true);
  same<typeof socket, Socket>(true);
  same<typeof head, Buffer>(true);
};
// As `ws` types its `handleUpgrade`.
export declare const handleUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
server.registerUpgrade('/chat', (request, socket, head) => handleUpgrade(request, socket, head));
server.registerUpgrade('/feed', handleUpgrade, { protocol: 'feed/2' } satisfies UpgradeOptions);
// @ts-expect-error a misspelt option
server.registerUpgrade('/other', handleUpgrade, { protocols: 'feed/2' });
export const connectStyle: MountHandler = (request: IncomingMessage, response: ServerResponse, ) => response.end(request.url);
export const mount: MountHandler = (request) => same<typeof request, MountRequest>(true);
export const middleware: Middleware = (request, response, next) => {
  same<typeof request, IncomingMessage>(true);
  same<typeof response, ServerResponse>(true);
  return next();
};
// As Express types its middleware.
interface ExpressRequest extends IncomingMessage {
  readonly ip: string | undefined;
}
interface ExpressResponse extends ServerResponse {
  send(body: unknown): this;
}
interface ExpressNext {
  (error?: any): void;
  (deferred: 'router'): void;
}
export const expressStyle: Middleware = (request: ExpressRequest, response: ExpressResponse, next: ExpressNext): void => next([request, response]);
export const forExpress: (request: ExpressRequest, response: ExpressResponse, next: ExpressNext) => unknown = server.requestListener;
// As `helmet` and `cors` type theirs.
export const connectMiddleware: Middleware = (_request: IncomingMessage, _response: ServerResponse, next: (error?: Error) => void): void => next();
export const loose: Middleware = (_request: { method?: string | undefined }, response: { setHeader(name: string, value: string): unknown }, next: (error?: any) => any) => next(response);
// @ts-expect-error an error handler of Connect's
export const errorHandler: Middleware = (_error: unknown, _request: IncomingMessage, _response: ServerResponse, _next: () => void) => {};
// @ts-expect-error another request than Node's
export const fetchStyle: Middleware = (_request: Request) => {};

same<MountRequest['originalUrl'], string | undefined>(true);
server.mount('/health', connectStyle);

export const custom: CustomOperation<typeof petSchema> = { input: petSchema, run: (pet) => same<typeof pet, Pet>(true) };
export const written: CustomOperation<typeof petSchema, string> = { input: petSchema, run: (pet) => pet.name };
same<ReturnType<CustomOperation<typeof petSchema>['run']>, unknown>(true);
// @ts-expect-error a variable does not say that its body may be missing
export const perhaps: CustomOperation<typeof petSchema> = { input: petSchema, optional: true, run: (pet) => pet.name };
server.registerEndpoint('/pet', {
  id: integerId,
  schema: petSchema,
  get: (id) => ({ name: 'ant', legs: id }),
  update: { optional: true, run: (_id, pet) => (same<typeof pet, Pet | undefined>(true), true) },
  itemCustom: { feed: { input: petSchema, optional: true, run: (_id, pet) => (same<typeof pet, Pet | undefined>(true), 1) } },
});
// @ts-expect-error a different result
export const miswritten: CustomOperation<typeof petSchema, string> = { input: petSchema, run: (pet) => pet.legs };
export const annotated: ApiEndpoint<number, typeof petSchema, { custom: { feed: { input: typeof petSchema }; count: {} } }> = {
  id: integerId,
  schema: petSchema,
  get: (id) => ({ name: 'ant', legs: id }),
  version: (pet) => (same<typeof pet, Pet>(true), pet.name),
  custom: { feed: { input: petSchema, run: (pet) => pet.name }, count: { run: () => 1 } },
};
server.registerEndpoint('/pet', annotated);
export declare const operations: { readonly fed: CustomOperation<typeof petSchema>; readonly counted: CustomOperation<unknown>; readonly written: typeof written };
server.registerEndpoint('/pet', { id: integerId, custom: operations });
export const endpoint: ApiEndpoint<number, typeof petSchema, {}> = { id: integerId, schema: petSchema, delete: () => {} };
