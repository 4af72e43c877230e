import { ApiServer, defineEndpoint, integerId, type InterceptedCall, type Interceptor, type OperationResponse } from 'restpoint';

interface CacheOptions {
  readonly seconds: number;
  readonly max: number;
  readonly key: (call: InterceptedCall) => unknown;
}

function cached({ seconds, max, key: makeKey }: CacheOptions): Interceptor {
  const responses = new Map<unknown, { readonly response: OperationResponse; readonly until: number }>();
  return {
    around: async (call, run) => {
      const key = makeKey(call);
      const known = responses.get(key);
      if (known && known.until > Date.now()) return call.response({ ...known.response, headers: { ...known.response.headers, 'X-Cache': 'hit' } });
      const response = await call.encode(await run());
      if (typeof response.body !== 'string') return response;
      responses.delete(key);
      if (responses.size === max) responses.delete(responses.keys().next().value);
      responses.set(key, { response, until: Date.now() + seconds * 1000 });
      return response;
    },
  };
}

let asked = 0;
const server = new ApiServer('/v1');
server.registerEndpoints({
  '/price': defineEndpoint({
    id: integerId,
    get: { use: cached({ seconds: 60, max: 1000, key: ({ id }) => id }), run: (id) => ({ id, asked: (asked += 1) }) },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
