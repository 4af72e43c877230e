/** An endpoint with an idempotent operation, and its clients. */
import { anyone, firstOf } from '../../src/auth/index.ts';
import type { ApiRequest, ApiServer, ApiServerOptions, ContextRequest } from '../../src/index.ts';
import { idempotent, type IdempotencyStore, memoryIdempotencyStore } from '../../src/interceptors/index.ts';
import { message, type RawResponse, send, serve, type TestServer } from './facts.ts';

export type Run = (...args: any[]) => unknown;

const JSON_TYPE = 'Content-Type: application/json';
/** The header line of a key. */
export const KEY = 'Idempotency-Key: "one"';

/** An endpoint whose `pay` is idempotent. `count` is how often it ran. */
export class Payments {
  count = 0;
  readonly keys: IdempotencyStore;
  readonly #run: Run;
  readonly #options: object;
  readonly #properties: object;

  constructor(run: Run = (body) => ({ paid: body }), { keys = memoryIdempotencyStore(), options = {}, ...properties }: { keys?: IdempotencyStore; options?: object; [name: string]: unknown } = {}) {
    this.keys = keys;
    this.#run = run;
    this.#options = options;
    this.#properties = properties;
  }

  readonly register = (server: ApiServer): void => {
    const run: Run = (...args) => {
      this.count += 1;
      return this.#run(...args);
    };
    server.registerEndpoint('/account', { custom: { pay: { input: (body: unknown) => body, use: idempotent(this.keys, this.#options as never), run, ...this.#properties } } } as never);
  };
}

/** Sends a request with a key to `pay`. */
export const pay = (port: number, body = '1', headers: readonly string[] = [KEY], target = '/v1/account/pay'): Promise<RawResponse> => (
  send(port, message('POST', target, body, [JSON_TYPE, ...headers]))
);
/** Serves the endpoint. */
export const servePayments = (payments: Payments, use: (served: TestServer) => Promise<void>, options?: ApiServerOptions): Promise<void> => serve(payments.register, use, options);

/** The lines of a response that do not depend on when it was sent, and its body. */
export function withoutDate({ head, body }: RawResponse): readonly string[] {
  return [...head.split('\r\n').filter((line) => !/^Date:/i.test(line)), body];
}

/** Properties that identify callers by a header, if they send it. */
export const byUser = { context: firstOf(({ raw }: ContextRequest) => raw.headers['x-user'], anyone), options: { caller: ({ context }: ApiRequest<string>) => context } };
