/** Page numbers and a total. docs/lists.md explains it, and has the table. */
import { Pool } from 'pg';
import { ApiServer, defineEndpoint, integerId } from 'restpoint';
import { mapInvalidValue } from 'restpoint/postgres';
import { z } from 'zod';

const Pet = z.object({ id: z.int(), name: z.string() });
const Query = z.object({
  page: z.coerce.number().int().min(1).max(1000).default(1),
  size: z.coerce.number().int().min(1).max(100).default(20),
});

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    list: {
      query: Query,
      output: z.object({ items: z.array(Pet), total: z.int(), pages: z.int() }),
      run: async ({ query: { page, size } }) => {
        const { rows: [counted] } = await pool.query<{ total: number }>('SELECT count(*)::int AS total FROM pet');
        const text = 'SELECT id, name FROM pet ORDER BY name, id LIMIT $1 OFFSET $2';
        const { rows: items } = await pool.query<z.input<typeof Pet>>(text, [size, (page - 1) * size]);
        const total = counted?.total ?? 0;
        return { items, total, pages: Math.ceil(total / size) };
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
