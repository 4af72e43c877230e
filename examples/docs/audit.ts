import { ApiServer, defineEndpoint, integerId, type Interceptor } from 'restpoint';

const log: object[] = [];
const audit: Interceptor = {
  around: async ({ route, kind, id, request }, run) => {
    const entry = { who: request.context, from: request.client, kind, path: route.path, id };
    try {
      const result = await run();
      log.push({ ...entry, outcome: result === false ? 'missing' : 'done' });
      return result;
    } catch (error) {
      log.push({ ...entry, outcome: String(error) });
      throw error;
    }
  },
};

const pets = new Map([[1, { name: 'Rex' }]]);
const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    context: ({ raw }) => raw.headers['x-user'] ?? 'nobody',
    use: audit,
    delete: (id) => pets.delete(id),
  }),
  '/log': defineEndpoint({ get: () => log }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
