import { EventEmitter, once } from 'node:events';
import { ApiServer, defineEndpoint } from 'restpoint';
import { z } from 'zod';

const changes = new EventEmitter().setMaxListeners(0);
let state = { version: 1, text: 'open' };

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/state': defineEndpoint({
    get: {
      query: z.object({ after: z.coerce.number().int().default(0) }),
      run: async ({ query: { after }, signal }) => {
        // Shorter than the timeouts of proxies, and than limits.operationMs.
        const ends = AbortSignal.any([signal, server.stopping, AbortSignal.timeout(25_000)]);
        if (after >= state.version) await once(changes, 'change', { signal: ends }).catch(() => {});
        return state;
      },
    },
    update: {
      input: z.object({ text: z.string() }),
      run: ({ text }) => {
        state = { version: state.version + 1, text };
        changes.emit('change');
      },
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
