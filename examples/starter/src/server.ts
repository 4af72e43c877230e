/** The paths of the API: notes, their document, and a page that shows it. */
import { ApiServer, defineEndpoint, uuidId } from 'restpoint';
import { openApiHandler, swaggerUiHandler } from 'restpoint/openapi';
import { Note, type NoteStore } from './store.ts';

export function noteServer(store: NoteStore) {
  // A page of a different site cannot reach the server through its own name for 127.0.0.1. With an empty HOSTS, any name is accepted.
  const { HOSTS = 'localhost,127.0.0.1' } = process.env;
  const server = new ApiServer('/v1', HOSTS === '' ? {} : { allowedHosts: HOSTS.split(',') });
  const api = server.registerEndpoints({
    '/note': defineEndpoint({
      id: uuidId,
      schema: Note,
      list: () => store.list(),
      create: (note) => store.insert(note),
      get: (id) => store.find(id),
      update: (id, note) => store.replace(id, note),
      delete: (id) => store.remove(id),
    }),
  });
  server.mount('/openapi.json', openApiHandler(server, { info: { title: 'Notes', version: '1.0.0' } }));
  const assets = import.meta.resolve('swagger-ui-dist/package.json');
  server.mount('/docs', swaggerUiHandler({ url: '/openapi.json', assets }));
  return { server, api };
}

type Types = ReturnType<typeof noteServer>['api'];
/** The paths and types of the API, for clients. Editors show an interface by its name, not by all of its operations. */
export interface Api extends Types {}
