import { ApiError, ApiServer, defineEndpoint, stringId } from 'restpoint';
import { anyone, bearer, secretsEqual } from 'restpoint/auth';
import { z } from 'zod';

const server = new ApiServer('', {
  requireContext: true,
  validationStatus: 422,
  formatProblem: ({ status }) => ({ body: { statusCode: status } }),
});
const animals = new Map([['ant', { name: 'ant', legs: 6 }]]);

const Animal = z.strictObject({ name: z.string().min(1), legs: z.int().min(0) });
const Page = z.object({ limit: z.coerce.number().int().min(1).max(100).default(10) });

server.registerEndpoints({
  '/animal': defineEndpoint({
    id: stringId,
    schema: Animal,
    context: bearer((token) => secretsEqual(token, 'secret')),
    list: { context: anyone, query: Page, run: ({ query }) => [...animals.values()].slice(0, query.limit) },
    get: { context: anyone, run: (name) => animals.get(name) },
    create: (animal) => {
      if (animals.has(animal.name)) throw ApiError.status(409, 'the name is taken');
      animals.set(animal.name, animal);
      return animal.name;
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
