import { ApiError, ApiServer, bytes, defineEndpoint, uuidId, type ApiRequest } from 'restpoint';
import { apiKey } from 'restpoint/auth';
import { rateLimit } from 'restpoint/interceptors';

interface Caller { readonly name: string }

const MAX = 1_000;
const perDay = rateLimit({
  name: 'uploads', by: 'caller', key: ({ context }: ApiRequest<Caller>) => context.name,
  limit: MAX, windowSeconds: 86_400,
  cost: ({ raw }: ApiRequest<Caller>) => {
    const length = raw.headers['content-length'];
    if (length === undefined) throw ApiError.status(411, 'An upload needs a Content-Length.');
    if (Number(length) > MAX) throw ApiError.status(413, `${MAX} bytes are a day's quota.`);
    return Number(length);
  },
});

const callers = new Map<string, Caller>([['key-of-ann', { name: 'Ann' }]]);
const server = new ApiServer('/v1');
server.registerEndpoints({
  '/upload': defineEndpoint({
    id: uuidId,
    context: apiKey('X-Api-Key', (key) => callers.get(key)),
    update: {
      use: perDay,
      input: bytes(),
      run: async (_id, body) => {
        for await (const _ of body); // to a disk
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
