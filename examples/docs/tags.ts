import { Pool } from 'pg';
import { ApiError, ApiServer, defineEndpoint, integerId, stringId } from 'restpoint';
import { mapInvalidValue } from 'restpoint/postgres';

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/post/:post/tag': defineEndpoint({
    params: { post: integerId },
    id: stringId,
    mapError: (error) => (Object(error).code === '23503' ? ApiError.notFound() : undefined), // no such post
    list: async ({ params }) => {
      const { rows } = await pool.query<{ tag: string }>('SELECT tag FROM post_tag WHERE post = $1 ORDER BY tag', [params.post]);
      return rows.map(({ tag }) => tag);
    },
    update: {
      run: async (tag, { params }) => {
        await pool.query('INSERT INTO post_tag VALUES ($1, $2) ON CONFLICT DO NOTHING', [params.post, tag]);
      },
    },
    delete: async (tag, { params }) => (await pool.query('DELETE FROM post_tag WHERE post = $1 AND tag = $2', [params.post, tag])).rowCount === 1,
  }),
});
const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
process.once('SIGTERM', async () => {
  await server.stop();
  await pool.end();
});
