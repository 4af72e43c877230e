import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance } from 'fastify';
import { made, SECRET, seen, TEXT, type Program } from './program.js';

const body = { type: 'object', properties: { text: { type: 'string', minLength: 1 } }, required: ['text'] };

function addRoutes(app: FastifyInstance) {
  app.get('/note/:id', () => ({ text: TEXT }));
  app.put('/note/:id', { schema: { body } }, () => ({}));
  app.post('/note', { schema: { body } }, (request, reply) => {
    // @ts-expect-error without a type provider, the body is `unknown`
    const text: string = request.body;
    made.push(text);
    reply.code(201);
    return {};
  });
  app.post('/any', (request) => {
    seen.push(request.body);
    return {};
  });
  app.delete('/session', () => ({}));
  app.get('/fail', () => { throw new Error(SECRET); });
}

export const program: Program = {
  typed: 'with a type provider',
  async start() {
    const app = Fastify();
    addRoutes(app);
    return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
  },
  async startHttp2(https) {
    const app = Fastify({ http2: true, https });
    addRoutes(app as unknown as FastifyInstance);
    return { url: await app.listen({ host: '127.0.0.1', port: 0 }), close: () => app.close() };
  },
  inject: {
    named: 'inject',
    status: async () => {
      const app = Fastify();
      addRoutes(app);
      return (await app.inject('/note/1')).statusCode;
    },
  },
  document: {
    named: '@fastify/swagger',
    make: async () => {
      const app = Fastify();
      await app.register(swagger, { openapi: { openapi: '3.1.0' } });
      addRoutes(app);
      await app.ready();
      return app.swagger();
    },
  },
};
