/** A server whose requests end in every way that there is. */
import { ApiError, defineEndpoint, integerId, reply, type ApiServer } from '../../src/index.ts';

/** The result of a Get for a thing's id, at once or by a promise. */
const THINGS: readonly (() => unknown)[] = [
  () => ({ id: 0 }),
  async () => ({ id: 1 }),
  () => undefined,
  () => { throw new RangeError('thrown'); },
  async () => { throw new RangeError('rejected'); },
  () => { throw null; },
  () => { throw ApiError.status(409, 'in use'); },
  () => 1n,
  () => new Promise(() => {}),
  () => reply(200, 'a string', { 'Content-Type': 'text/plain', ETag: '"a"' }),
  () => reply(200, pieces(2)),
  () => reply(200, pieces(Infinity)),
  () => reply(200, failing()),
  () => { throw new Proxy({}, { getPrototypeOf: () => { throw new Error('no prototype'); } }); },
];

export const SYNC = 0, ASYNC = 1, MISSING = 2, THROWS = 3, REJECTS = 4, THROWS_NULL = 5, CONFLICT = 6, UNSENDABLE = 7, NEVER = 8,
  TAGGED = 9, STREAM = 10, ENDLESS = 11, BROKEN_STREAM = 12, THROWS_PROXY = 13;

async function* pieces(count: number): AsyncGenerator<string> {
  for (let at = 0; at < count; at += 1) yield 'x'.repeat(1024);
}

async function* failing(): AsyncGenerator<string> {
  yield 'a part';
  throw new RangeError('spoilt');
}

/** Endpoints `/thing`, `/slow` and `/mine`, and mounts. */
export function declareObservable(server: ApiServer): void {
  server.registerEndpoint('/thing', defineEndpoint({
    id: integerId,
    schema: (json: unknown) => json,
    create: () => 7,
    get: (id) => THINGS[id]?.(),
    update: () => {},
    delete: (_id, { raw }) => void raw.destroy(),
    custom: { feed: { input: String, run: (text) => text } },
    itemCustom: { feed: () => 'fed' },
  }));
  server.registerEndpoint('/slow', { schema: (json: unknown) => json, get: () => 1, update: { limits: { requestMs: 50 }, run: () => {} } });
  server.registerEndpoint('/mine', { context: () => { throw ApiError.status(403); }, get: () => 1 });
  server.registerEndpoint('/unwritable', {
    get: ({ raw }) => {
      // As a library may do: the response no longer works.
      Object.assign((raw.socket as unknown as { _httpMessage: object })._httpMessage, { writeHead: () => { throw new RangeError('no head'); } });
      return 1;
    },
  });
  server.mount('/files', (_request, response) => response.end('a file'));
  server.mount('/throws', () => { throw new RangeError('a mount'); });
  server.mount('/half', async (_request, response) => {
    response.write('a part');
    throw new RangeError('half a mount');
  });
  server.mount('/silent', () => {});
}
