import { ApiServer, defineEndpoint, stringId } from 'restpoint';
import { ndjson } from 'restpoint/formats';
import { z } from 'zod';

const Pet = z.object({ name: z.string(), legs: z.int() });
const pets = new Map<string, z.output<typeof Pet>>();
const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: stringId,
    list: { output: ndjson(Pet), run: () => pets.values() },
    custom: {
      import: {
        input: ndjson(Pet),
        limits: { bodyBytes: 1_000_000_000, requestMs: 3_600_000 },
        run: async (lines) => {
          let count = 0;
          for await (const pet of lines) {
            pets.set(pet.name, pet);
            count += 1;
          }
          return { count };
        },
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
