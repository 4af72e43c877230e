/** Pets, the events of their changes, and a page. docs/react.md shows the page. */
import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { ApiError, ApiServer, defineEndpoint, integerId } from 'restpoint';
import { events } from 'restpoint/formats';
import { pages } from 'restpoint/interceptors';
import { z } from 'zod';

const NewPet = z.object({ name: z.string().min(1, 'every pet has a name'), likes: z.string(), meals: z.int().default(0) });
type Pet = z.output<typeof NewPet> & { id: number; revision: number };

const pets = new Map<number, Pet>();
const changed: number[] = [];
const changes = new EventEmitter().setMaxListeners(0);
let lastId = 0;

function publish(id: number) {
  changed.push(id);
  changes.emit('change');
}

function store(id: number, pet: z.output<typeof NewPet>) {
  pets.set(id, { ...pet, id, revision: (pets.get(id)?.revision ?? 0) + 1 });
  publish(id);
  return id;
}

export const server = new ApiServer('/v1');
const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    list: {
      use: pages({ cursor: (pet: Pet) => pet.id, codec: integerId, default: 20 }),
      run: ({ page: { after = 0, take } }) => [...pets.values()].filter(({ id }) => id > after).slice(0, take),
    },
    get: (id) => pets.get(id),
    create: { input: NewPet, run: (pet) => store((lastId += 1), pet) },
    update: { input: NewPet, run: (id, pet) => void store(id, pet) },
    delete: {
      errors: { 409: z.object({ meals: z.number() }) },
      run: (id) => {
        const { meals = 0 } = pets.get(id) ?? {};
        if (meals > 9) throw ApiError.status(409, 'A pet that has eaten so much stays.', { extensions: { meals } });
        const isDeleted = pets.delete(id);
        publish(id);
        return isDeleted;
      },
    },
    version: (pet) => pet.revision,
  }),
  '/change': defineEndpoint({
    get: {
      output: events(z.object({ id: z.int() })),
      // The id of an event says where the client goes on. docs/streaming.md has events of several processes.
      run: async function* ({ lastEventId, signal }) {
        let next = Number(lastEventId ?? changed.length);
        while (!signal.aborted) {
          const id = changed[next];
          if (id === undefined) await once(changes, 'change', { signal }).catch(() => {});
          else yield { id: String((next += 1)), data: { id } };
        }
      },
    },
  }),
});
export type Api = typeof api;

const HTML = '<!doctype html><meta charset="utf-8"><title>Pets</title><main></main><script src="/page.js"></script>\n';
server.mount('/', async ({ url }, response) => {
  const isScript = url === '/page.js';
  response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? await readFile(new URL('page.js', import.meta.url)) : HTML);
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
