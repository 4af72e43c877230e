/** A CRUD over SQLite. docs/database.md explains it. */
import { DatabaseSync } from 'node:sqlite';
import { ApiError, ApiServer, defineEndpoint, integerId } from 'restpoint';
import { pages } from 'restpoint/interceptors';
import { z } from 'zod';

const Pet = z.object({ name: z.string().min(1), legs: z.int32().min(0) });
const PetRow = z.object({ id: z.int(), ...Pet.shape }); // `node:sqlite` has no types of rows

const database = new DatabaseSync(process.env['DATABASE_FILE'] ?? ':memory:');
database.exec('CREATE TABLE IF NOT EXISTS pet (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, legs INTEGER NOT NULL)');
const page = database.prepare('SELECT * FROM pet WHERE id > ? ORDER BY id LIMIT ?');
const insert = database.prepare('INSERT INTO pet (name, legs) VALUES (?, ?)');
const find = database.prepare('SELECT * FROM pet WHERE id = ?');
const change = database.prepare('UPDATE pet SET name = ?, legs = ? WHERE id = ?');
const remove = database.prepare('DELETE FROM pet WHERE id = ?');

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/pet': defineEndpoint({
    id: integerId,
    schema: Pet,
    // 2067: a value must be unique.
    mapError: (error) => (Object(error).errcode === 2067 ? ApiError.status(409, 'A pet has this name.') : undefined),
    list: {
      use: pages({ cursor: (pet: z.output<typeof PetRow>) => pet.id, codec: integerId }),
      run: ({ page: { take, after = 0 } }) => z.array(PetRow).parse(page.all(after, take)),
    },
    create: ({ name, legs }) => Number(insert.run(name, legs).lastInsertRowid),
    get: (id) => PetRow.optional().parse(find.get(id)),
    update: (id, { name, legs }) => change.run(name, legs, id).changes === 1,
    delete: (id) => remove.run(id).changes === 1,
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
