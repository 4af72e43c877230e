import { Pool } from 'pg';
import { ApiServer, defineEndpoint, integerId, stringId } from 'restpoint';
import { dateKey, pages } from 'restpoint/interceptors';
import { keyset, mapInvalidValue } from 'restpoint/postgres';
import { z } from 'zod';

interface Pet { id: number; name: string; legs: number; created: Date }

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
      use: pages({ cursor: (pet: Pet) => pet.id, codec: integerId, sort: { name: stringId, created: dateKey }, prev: true, default: 2 }),
      query: z.strictObject({ legs: z.coerce.number().int().min(0).max(1000).optional() }),
      output: (pets: readonly Pet[]) => pets.map(({ id, name }) => ({ id, name })),
      run: async ({ page, query: { legs } }) => {
        const filter = legs === undefined ? [] : [legs];
        const { where, orderBy, values } = keyset(page, { id: 'pet.id', name: 'pet.name', created: 'pet.created' }, { from: filter.length + 1 });
        const text = `SELECT * FROM pet WHERE ${legs === undefined ? '' : 'legs = $1 AND '}${where} ORDER BY ${orderBy} LIMIT ${page.take}`;
        return (await pool.query<Pet>(text, [...filter, ...values])).rows;
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
