/** Servers for tests of `server.fetch`. */
import { text } from 'node:stream/consumers';
import { ApiServer, defineEndpoint, stringId, type ApiRequest, type ApiServerOptions } from '../../src/index.ts';

/** A server whose errors fail the test that reads them. */
export function makeServer(options: ApiServerOptions = {}): { server: ApiServer; errors: Error[] } {
  const errors: Error[] = [];
  return { server: new ApiServer('/v1', { logger: { info: () => {}, error: (error) => errors.push(error) }, stopGraceMs: 1000, ...options }), errors };
}

export interface EchoedRequest {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** A server with a mount that responds with what it has received. */
export function makeEchoFetch(options: ApiServerOptions = {}): (...parameters: Parameters<ApiServer['fetch']>) => Promise<EchoedRequest> {
  const { server } = makeServer(options);
  server.mount('/', async (request, response) => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: await text(request) }));
  });
  return async (...parameters) => (await server.fetch(...parameters)).json() as Promise<EchoedRequest>;
}

/** A server with `GET /v1/it/:id` and `POST /v1/it/run`. */
export function makeServerRunning(run: (request: ApiRequest) => any, options: ApiServerOptions = {}): ReturnType<typeof makeServer> {
  const made = makeServer(options);
  made.server.registerEndpoint('/it', defineEndpoint({
    id: stringId,
    get: (_id, request) => run(request),
    custom: { run: { input: (json: unknown) => json, run: (_input, request) => run(request) } },
  }));
  return made;
}

/** A stream of pieces of text. */
export function makeStream(...pieces: string[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces.map((piece) => Buffer.from(piece)));
}
