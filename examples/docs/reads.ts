import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { z } from 'zod';

const pets = [{ id: 1, name: 'Rex', legs: 4 }, { id: 2, name: 'Asp', legs: 0 }, { id: 3, name: 'Tom', legs: 4 }];

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    get: (id) => pets[id - 1],
    custom: {
      longest: {
        method: 'GET',
        query: z.object({ legs: z.coerce.number() }),
        cache: { maxAgeSeconds: 60 },
        etag: 'body',
        run: ({ query }) => pets.filter(({ legs }) => legs === query.legs).sort((one, other) => other.name.length - one.name.length),
      },
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
