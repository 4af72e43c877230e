import { ApiError, ApiServer, defineEndpoint, integerId } from 'restpoint';
import { z } from 'zod';

const pets = new Map([[1, { name: 'Rex' }]]);
const visits = new Map([[1, { pet: 1, reason: 'a cold' }]]);

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({ id: integerId, get: (id) => pets.get(id) }),
  '/pet/:pet/visit': defineEndpoint({
    params: { pet: integerId },
    id: integerId,
    list: ({ params }) => [...visits.values()].filter(({ pet }) => pet === params.pet),
    get: (id, { params }) => {
      const visit = visits.get(id);
      return visit?.pet === params.pet ? visit : undefined;
    },
    create: {
      input: z.object({ reason: z.string().min(1) }),
      run: ({ reason }, { params }) => {
        if (!pets.has(params.pet)) throw ApiError.notFound();
        visits.set(visits.size + 1, { pet: params.pet, reason });
        return visits.size;
      },
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
