import { ApiServer, defineEndpoint, integerId, type RequestInterceptor } from 'restpoint';
import { openApiHandler } from 'restpoint/openapi';

const ending: RequestInterceptor = {
  onRequest: () => ({ Deprecation: '@1769817600', Sunset: 'Sun, 31 Jan 2027 00:00:00 GMT', Link: '<https://api.example/v2>; rel="deprecation"' }),
};
const pets = new Map([[1, { name: { given: 'Rex', family: 'Barker' } }]]);

const server = new ApiServer('');
server.registerEndpoints({
  '/v1/pet': defineEndpoint({
    id: integerId,
    get: {
      use: ending,
      deprecated: true,
      run: (id) => {
        const pet = pets.get(id);
        return pet && { name: `${pet.name.given} ${pet.name.family}` };
      },
    },
  }),
  '/v2/pet': defineEndpoint({ id: integerId, get: (id) => pets.get(id) }),
});

for (const version of ['v1', 'v2']) {
  server.mount(`/${version}/openapi.json`, openApiHandler(server, {
    info: { title: 'Pets', version },
    include: ({ path }) => path.startsWith(`/${version}/`),
  }));
}

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
