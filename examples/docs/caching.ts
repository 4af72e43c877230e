import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { bearer } from 'restpoint/auth';

const pets = new Map([[1, { name: 'Rex' }]]);

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    list: { cache: { maxAgeSeconds: 60, staleWhileRevalidateSeconds: 600 }, etag: 'body', run: () => [...pets.values()] },
    get: { cache: { maxAgeSeconds: 60 }, etag: 'body', run: (id) => pets.get(id) },
  }),
  '/me': defineEndpoint({
    context: bearer((token) => token === 'secret' && { name: 'ann' }),
    get: { cache: { maxAgeSeconds: 10 }, etag: 'body', run: ({ context }) => context },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
console.log(`listening on ${started.url}`);
