// pets.ts
import { EventEmitter, once } from 'node:events';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { events } from 'restpoint/formats';
import { z } from 'zod';

const NewPet = z.object({ name: z.string().min(1, 'every pet has a name'), legs: z.int('a whole number').min(0), meals: z.int().default(0) });

const pets = new Map<number, z.output<typeof NewPet> & { id: number; revision: number }>();
const changes = new EventEmitter().setMaxListeners(0);
let revision = 0;

function store(id: number, pet: z.output<typeof NewPet>): number {
  revision += 1;
  pets.set(id, { ...pet, id, revision });
  changes.emit('change');
  return id;
}

/** The newest revision: at once, so that a page whose connection was lost is up to date again, and after changes. */
async function* revisions({ signal }: { signal: AbortSignal }) {
  for (let seen = -1; !signal.aborted;) {
    if (seen === revision) await once(changes, 'change', { signal }).catch(() => {});
    else yield { data: (seen = revision) };
  }
}

export const server = new ApiServer('/v1');
const api = server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    list: () => [...pets.values()],
    get: (id) => pets.get(id),
    create: { input: NewPet, run: (pet) => store(pets.size + 1, pet) },
    update: { input: NewPet, run: (id, pet) => void store(id, pet) },
    version: (pet) => pet.revision,
    requireIfMatch: true,
  }),
  '/revision': defineEndpoint({ get: { output: events(z.int()), run: revisions } }),
});
export type Api = typeof api;
