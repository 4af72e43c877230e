/** A Fastify app that passes all requests below a route to the listener, over a port and without one. */
import Fastify from 'fastify';
import * as restpoint from '../../dist/index.js';
import { checking } from './checks.js';
import { checkInjections } from './injection.js';
import { checkRequests } from './wire.js';
import { zooServer } from './zoo.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Creates the app. The listener reads the bodies, so Fastify must not. */
function appWithZoo() {
  const app = Fastify({ exposeHeadRoutes: false });
  const { requestListener } = zooServer(restpoint);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.route({
    method: METHODS,
    url: '/*',
    handler: (request, reply) => {
      reply.hijack();
      requestListener(request.raw, reply.raw);
    },
  });
  return app;
}

await checking('Fastify', async (check) => {
  const injected = appWithZoo();
  await checkInjections(check, (request) => injected.inject(request));
  await injected.close();
  const listening = appWithZoo();
  await listening.listen({ host: '127.0.0.1', port: 0 });
  await checkRequests(check, listening.addresses()[0].port, { how: 'over a port', inPieces: false });
  await listening.close();
});
