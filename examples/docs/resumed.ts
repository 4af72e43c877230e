import { mkdtemp, open, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiError, ApiServer, bytes, defineEndpoint, uuidId } from 'restpoint';
import { z } from 'zod';

const folder = await mkdtemp(join(tmpdir(), 'uploads-'));
const busy = new Set<string>();

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/upload': defineEndpoint({
    id: uuidId,
    get: async (id) => ({ bytes: (await stat(join(folder, id)).catch(() => ({ size: 0 }))).size }),
    update: {
      input: bytes(),
      headers: z.object({ 'content-range': z.string().regex(/^bytes \d+-\d+\/\d+$/) }),
      limits: { bodyBytes: 100_000 },
      run: async (id, body, { headers: { 'content-range': range } }) => {
        if (busy.has(id)) throw ApiError.status(409, 'A different part arrives.');
        busy.add(id);
        try {
          const file = await open(join(folder, id), 'a');
          const { size } = await file.stat();
          try {
            if (Number.parseInt(range.slice(6), 10) !== size) throw ApiError.status(409, `The next byte is ${size}.`);
            for await (const chunk of body) await file.appendFile(chunk);
          } finally {
            await file.close();
          }
        } finally {
          busy.delete(id);
        }
      },
    },
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
