/** A payment provider to try shop.ts with. */
import { ApiServer, created, defineEndpoint, problem, stringId } from 'restpoint';
import { idempotent, memoryIdempotencyStore } from 'restpoint/interceptors';
import { z } from 'zod';

function makeEndpoint(kind: string) {
  const outcomes: { key: string; id?: string; code?: string }[] = [];
  return defineEndpoint({
    id: stringId,
    list: { query: z.object({ key: z.string() }), run: ({ query }) => outcomes.filter(({ key }) => key === query.key) },
    create: {
      use: idempotent(memoryIdempotencyStore(), { required: true }),
      input: z.object({ cents: z.int().min(1), card: z.string().optional(), charge: z.string().optional() }),
      output: { 201: z.object({ id: z.string() }) },
      errors: { 402: z.object({ code: z.string() }) },
      run: ({ card }, { idempotencyKey: key }) => {
        if (card === 'declined') {
          outcomes.push({ key, code: 'card_declined' });
          return problem(402, 'The card was declined.', { code: 'card_declined' });
        }
        const id = `${kind}-${outcomes.length + 1}`;
        outcomes.push({ key, id });
        return created(id, { id });
      },
    },
    get: (id) => outcomes.find((outcome) => outcome.id === id),
  });
}

const server = new ApiServer('');
server.registerEndpoints({ '/charge': makeEndpoint('charge'), '/refund': makeEndpoint('refund') });

const started = await server.start('127.0.0.1:8081');
if (!started.ok) throw new Error(started.error);
