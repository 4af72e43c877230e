/** Endpoints that send streams, and sources that record how they end. */
import { Readable } from 'node:stream';
import { defineEndpoint, reply, stringId, type ApiRequest, type ApiServer, type ResponseHeaders } from '../../src/index.ts';

/** Declares `GET /stream/:id`, which sends such a stream, `POST /stream/make`, and `GET /good/:id`, which returns the id. */
export function declareStream(give: (request: ApiRequest) => unknown, headers: ResponseHeaders = {}): (server: ApiServer) => void {
  const run = (request: ApiRequest): unknown => reply(200, give(request), headers);
  return (server) => {
    server.registerEndpoint('/stream', defineEndpoint({ id: stringId, get: (_id, request) => run(request), custom: { make: { run } } }));
    server.registerEndpoint('/good', defineEndpoint({ id: stringId, get: (id) => id }));
  };
}

/** A source of each kind, which produces chunks until it is closed. */
export class StreamSource {
  readonly #chunk: string | undefined;
  produced = 0;
  closed = 0;

  /** Without a chunk, it produces nothing at all. */
  constructor(chunk?: string) {
    this.#chunk = chunk;
  }

  iterator(): AsyncIterableIterator<string> {
    const iterator: AsyncIterableIterator<string> = {
      [Symbol.asyncIterator]: () => iterator,
      next: () => this.#next(),
      return: async () => ({ done: true, value: (this.closed += 1) }),
    };
    return iterator;
  }

  async *generator(): AsyncGenerator<string, void, undefined> {
    try {
      for (;;) yield (await this.#next()).value;
    } finally {
      this.closed += 1;
    }
  }

  readable(): Readable {
    const stream = new Readable({ read: () => void this.#next().then(({ value }) => stream.push(value)) });
    return stream.on('close', () => (this.closed += 1));
  }

  web(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => controller.enqueue(Buffer.from((await this.#next()).value)),
      cancel: () => void (this.closed += 1),
    });
  }

  #next(): Promise<{ value: string }> {
    if (this.#chunk === undefined) return new Promise(() => {});
    this.produced += 1;
    return Promise.resolve({ value: this.#chunk });
  }
}

export const SOURCE_KINDS = ['iterator', 'generator', 'readable', 'web'] as const;
