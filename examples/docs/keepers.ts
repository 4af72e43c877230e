import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { z } from 'zod';

const Keeper = z.object({ name: z.string(), born: z.date() });
const Stored = z.object({ first: z.string().min(1), last: z.string(), born: z.date() })
  .transform(({ first, last, born }) => ({ name: `${first} ${last}`, born })).pipe(Keeper);

const born = new Date('1990-03-01');
const keepers = new Map([
  [1, { first: 'Ann', last: 'Lee', born, token: 'token-of-ann' }],
  [2, { first: '', last: 'Ray', born, token: 'token-of-bob' }],
]);

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/keeper': defineEndpoint({
    id: integerId,
    get: { output: Stored, run: (id) => keepers.get(id) },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
