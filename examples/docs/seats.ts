import { ApiError, ApiServer, defineEndpoint, problem } from 'restpoint';
import { z } from 'zod';

const Taken = z.object({ code: z.literal('taken'), seat: z.string() });
const Closed = z.object({ code: z.literal('closed'), opens: z.string() });

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/seat': defineEndpoint({
    custom: {
      buy: { errors: { 409: [Taken, Closed] }, run: () => problem(409, 'A1 is taken.', { code: 'taken', seat: 'A1', owner: 'Ann' }) },
      sell: {
        errors: { 409: [Taken, Closed] },
        run: () => {
          throw ApiError.status(409, 'It is too late.', { extensions: { code: 'late' } });
        },
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
