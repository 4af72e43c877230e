/** A CRUD over PostgreSQL with Prisma. docs/database.md explains it, and has the table. */
import { PrismaPg } from '@prisma/adapter-pg';
import { ApiError, ApiServer, defineEndpoint, integerId } from 'restpoint';
import { pages } from 'restpoint/interceptors';
import { mapInvalidValue } from 'restpoint/postgres';
import { z } from 'zod';
import { type Pet as PetRow, PrismaClient } from './generated/client.ts';

const Pet = z.object({ name: z.string().min(1), legs: z.int32().min(0) });
const adapter = new PrismaPg({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
const prisma = new PrismaClient({ adapter });

/** P2002: the value is taken. P2025: there is no such row. P2020: a number is too large for its column. */
function toApiError(error: unknown) {
  const { code } = Object(error);
  if (code === 'P2002') return ApiError.status(409, 'A pet has this name.');
  return code === 'P2025' || code === 'P2020' ? ApiError.notFound() : undefined;
}

const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: Pet,
    mapError: toApiError,
    list: {
      use: pages({ cursor: (pet: PetRow) => pet.id, codec: integerId }),
      run: ({ page: { take, after = 0 } }) => prisma.pet.findMany({ where: { id: { gt: after } }, orderBy: { id: 'asc' }, take }),
    },
    create: async (pet) => (await prisma.pet.create({ data: pet })).id,
    get: { output: z.object({ id: z.int(), ...Pet.shape }), run: (id) => prisma.pet.findUnique({ where: { id } }) },
    update: async (id, pet) => void await prisma.pet.update({ where: { id }, data: pet }),
    delete: async (id) => void await prisma.pet.delete({ where: { id } }),
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
