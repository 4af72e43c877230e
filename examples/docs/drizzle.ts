/** A CRUD over PostgreSQL with Drizzle. docs/database.md explains it, and has the table. */
import { asc, eq, gt } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import { Pool } from 'pg';
import { ApiError, ApiServer, defineEndpoint, integerId } from 'restpoint';
import { pages } from 'restpoint/interceptors';
import { mapInvalidValue } from 'restpoint/postgres';
import { z } from 'zod';

const Pet = z.object({ name: z.string().min(1), legs: z.int32().min(0) });

const pets = pgTable('pet', {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  name: text().notNull().unique(),
  legs: integer().notNull(),
});
const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
pool.on('error', () => {}); // Otherwise an idle connection that is lost ends the process.
const database = drizzle({ client: pool });

/** Drizzle has the error of PostgreSQL as the cause of its own. */
function toApiError(error: unknown) {
  const { code } = Object(Object(error).cause);
  if (code === '23505') return ApiError.status(409, 'A pet has this name.');
  return code === '22003' ? ApiError.notFound() : undefined;
}

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: Pet,
    mapError: toApiError,
    list: {
      use: pages({ cursor: (pet: typeof pets.$inferSelect) => pet.id, codec: integerId }),
      run: ({ page: { take, after = 0 } }) => database.select().from(pets).where(gt(pets.id, after)).orderBy(asc(pets.id)).limit(take),
    },
    create: async (pet) => {
      const [row] = await database.insert(pets).values(pet).returning();
      if (row === undefined) throw new Error('no row was returned');
      return row.id;
    },
    get: {
      output: z.object({ id: z.int(), ...Pet.shape }),
      run: async (id) => (await database.select().from(pets).where(eq(pets.id, id)))[0],
    },
    update: async (id, pet) => (await database.update(pets).set(pet).where(eq(pets.id, id))).rowCount === 1,
    delete: async (id) => (await database.delete(pets).where(eq(pets.id, id))).rowCount === 1,
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
