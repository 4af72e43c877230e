import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { z } from 'zod';

z.config(z.locales.de()); // the language of Zod, for the whole process

// By the reason of the server.
const details: Readonly<Record<string, string>> = { value: 'Die Eingabe ist ungültig.', item: 'Nicht gefunden.' };

const server = new ApiServer('/v1', {
  validationStatus: 422,
  formatProblem: {
    type: 'application/problem+json',
    format: (problem, _request, reason) => ({ body: { ...problem, detail: details[reason ?? ''] ?? problem.detail } }),
  },
});
server.registerEndpoints({
  '/pet': defineEndpoint({ id: integerId, schema: z.object({ name: z.string().min(1) }), create: () => 1 }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
