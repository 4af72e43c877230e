/** A soft delete, with restore. docs/operations.md explains it, and has the table. */
import { Pool } from 'pg';
import { ApiError, ApiServer, defineEndpoint, integerId, problem } from 'restpoint';
import { mapInvalidValue } from 'restpoint/postgres';
import { z } from 'zod';

const Pet = z.object({ name: z.string().min(1).max(100) });
const PetRow = z.object({ id: z.int(), ...Pet.shape });
type PetRow = z.output<typeof PetRow>;

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: Pet,
    mapError: (error) => (Object(error).code === '23505' ? ApiError.status(409, 'A pet has this name.') : undefined),
    create: async ({ name }) => {
      const { rows: [row] } = await pool.query<PetRow>('INSERT INTO pet (name) VALUES ($1) RETURNING id', [name]);
      if (row === undefined) throw new Error('no row was returned');
      return row.id;
    },
    list: async () => (await pool.query<PetRow>('SELECT id, name FROM pet WHERE deleted IS NULL ORDER BY id LIMIT 100')).rows,
    get: {
      output: PetRow,
      run: async (id) => (await pool.query<PetRow>('SELECT id, name FROM pet WHERE id = $1::bigint AND deleted IS NULL', [id])).rows[0],
    },
    delete: async (id) => (await pool.query('UPDATE pet SET deleted = now() WHERE id = $1::bigint AND deleted IS NULL', [id])).rowCount === 1,
    custom: {
      deleted: {
        method: 'GET',
        run: async () => (await pool.query<PetRow>('SELECT id, name FROM pet WHERE deleted IS NOT NULL ORDER BY deleted DESC LIMIT 100')).rows,
      },
    },
    itemCustom: {
      restore: async (id) => {
        const { rows: [pet] } = await pool.query<PetRow>('UPDATE pet SET deleted = NULL WHERE id = $1::bigint RETURNING id, name', [id]);
        return pet ?? problem(404, 'Not found.');
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
process.once('SIGTERM', async () => {
  await server.stop();
  await pool.end();
});
