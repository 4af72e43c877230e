import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { z } from 'zod';

const Pet = z.object({ name: z.string().min(1), legs: z.int().min(0) });
type Pet = z.output<typeof Pet>;
const pets = new Map<number, Pet>();
let lastId = 0;

function insert(pet: Pet) {
  pets.set(++lastId, pet);
  return lastId;
}

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: Pet,
    create: insert,
    update: { output: Pet, run: (id, pet) => pets.has(id) && pets.set(id, pet) && pet },
    custom: {
      createMany: {
        input: z.array(z.unknown()).min(1).max(100),
        output: z.array(z.object({ status: z.int(), id: z.int().optional(), errors: z.array(z.string()).optional() })),
        run: (items) => items.map((item) => {
          const { data, error } = Pet.safeParse(item);
          if (error) return { status: 400, errors: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) };
          return { status: 201, id: insert(data) };
        }),
      },
      deleteMany: { input: z.object({ ids: z.array(z.int()).max(100) }), run: ({ ids }) => ({ deleted: ids.filter((id) => pets.delete(id)) }) },
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
