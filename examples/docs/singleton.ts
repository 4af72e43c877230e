import { ApiServer, defineEndpoint } from 'restpoint';
import { z } from 'zod';

const Hours = z.object({ from: z.int().min(0).max(24), to: z.int().min(0).max(24) });
let hours = { from: 9, to: 18 };

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/hours': defineEndpoint({
    schema: Hours,
    get: () => hours,
    update: (changed) => {
      hours = changed;
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
