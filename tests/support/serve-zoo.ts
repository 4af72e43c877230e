/** Serves a zoo with one pet, and a mount that counts as one of its operations. */
import { serve, type ServeOptions } from './serve.ts';
import { Zoo } from './zoo.ts';

/** Serves a zoo with the pet 1, and a handler at `/files` that counts as one of its operations. */
export async function serveZoo(use: (port: number, zoo: Zoo) => Promise<void>, options: ServeOptions = {}): Promise<void> {
  const zoo = new Zoo();
  zoo.pets.set(1, { name: 'bee', legs: 6 });
  await serve((server) => {
    zoo.register(server);
    server.mount('/files', (request, response) => {
      zoo.invoked += 1;
      request.resume();
      response.end('mounted');
    });
  }, ({ port }) => use(port, zoo), options);
}
