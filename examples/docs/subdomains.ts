import { ApiError, ApiServer, defineEndpoint, integerId, type ContextRequest } from 'restpoint';

const tenants = new Map([['acme', new Map([[1, 'Rex']])], ['zoo', new Map<number, string>()]]);

/** The pets of the tenant whose name the host begins with: `acme.api.example`. */
function findPets({ raw }: ContextRequest) {
  const [, tenant = ''] = /^([a-z0-9-]+)\.api\.example(?::\d+)?$/.exec((raw.headers.host ?? '').toLowerCase()) ?? [];
  const pets = tenants.get(tenant);
  if (pets === undefined) throw ApiError.notFound();
  return pets;
}

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({ id: integerId, context: findPets, get: (id, { context }) => context.get(id) }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
