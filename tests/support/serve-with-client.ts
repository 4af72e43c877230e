/** A server, a client of it in the same process, and the requests that reached the server. */
import type { IncomingMessage } from 'node:http';
import { client, type Client, type ClientOptions } from '../../src/client/index.ts';
import type { ApiServer } from '../../src/index.ts';
import { serve, type TestServer, type ServeOptions } from './serve.ts';

export interface ServerWithClient extends TestServer {
  /** The requests, as `POST /v1/pet application/json`. */
  readonly requests: string[];
  /** The last of them. */
  readonly last: () => IncomingMessage;
  /** Makes a client of the server. */
  readonly connect: <Api>(options?: ClientOptions) => Client<Api>;
}

/** Declares, starts, calls and stops a server. */
export async function serveWithClient(
  declare: (server: ApiServer) => void, use: (calling: ServerWithClient) => Promise<void>, options: ServeOptions = {},
): Promise<void> {
  const received: IncomingMessage[] = [];
  const requests: string[] = [];
  await serve((server) => {
    server.use((request, _response, next) => {
      received.push(request);
      requests.push([request.method, request.url, request.headers['content-type']].filter((part) => part !== undefined).join(' '));
      next();
    });
    declare(server);
  }, async (served) => {
    const base = `${served.url}${options.root ?? '/v1'}`;
    const last = (): IncomingMessage => {
      const request = received.at(-1);
      if (request === undefined) throw new Error('no request was received');
      return request;
    };
    await use(Object.assign(served, { requests, last, connect: <Api>(others?: ClientOptions) => client<Api>(base, others) }));
  }, options);
}

/** The error that a call rejects with. */
export async function captureError(call: Promise<unknown>): Promise<any> {
  const value = await call.then((given) => ({ given }), (error: unknown) => ({ error }));
  if (!('error' in value)) throw new Error(`it resolved to ${JSON.stringify(value.given)}`);
  return value.error;
}
