/** A transaction around an operation, with SQLite. docs/database.md explains it. */
import { DatabaseSync } from 'node:sqlite';
import { ApiError, ApiServer, defineEndpoint, integerId, type Interceptor } from 'restpoint';
import { z } from 'zod';

const Account = z.object({ id: z.int(), cents: z.int() });

const database = new DatabaseSync(':memory:');
database.exec('CREATE TABLE account (id INTEGER PRIMARY KEY, cents INTEGER NOT NULL CHECK (cents >= 0))');
database.exec('INSERT INTO account VALUES (1, 100), (2, 0)');

/** Runs one transaction after the other. */
function inTransaction(tx: DatabaseSync): Interceptor<{ readonly tx: DatabaseSync }> {
  let last: Promise<unknown> = Promise.resolve();
  return {
    around: (call, run) => {
      const turn = last.then(async () => {
        tx.exec('BEGIN IMMEDIATE');
        try {
          const response = await call.encode(await run({ tx }));
          tx.exec('COMMIT');
          return response;
        } catch (error) {
          tx.exec('ROLLBACK');
          throw error;
        }
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}

const transaction = inTransaction(database);
const CHECK_VIOLATION = 275;

const server = new ApiServer('/v1');
server.registerEndpoints({
  '/account': defineEndpoint({
    id: integerId,
    mapError: (error) => (Object(error).errcode === CHECK_VIOLATION ? ApiError.status(409, 'There is too little money.') : undefined),
    get: (id) => Account.optional().parse(database.prepare('SELECT id, cents FROM account WHERE id = ?').get(id)),
    itemCustom: {
      pay: {
        use: transaction,
        input: z.object({ to: z.int(), cents: z.int().min(1).max(1_000_000) }),
        run: (id, { to, cents }, { tx }) => {
          const change = tx.prepare('UPDATE account SET cents = cents + ? WHERE id = ? RETURNING *');
          const from = Account.optional().parse(change.get(-cents, id));
          const other = change.get(cents, to);
          // Thrown, not returned as a problem: the changes are rolled back.
          if (!from || !other) throw ApiError.notFound();
          return { left: from.cents };
        },
      },
    },
  }),
});

const started = await server.start('127.0.0.1:8080');
if (!started.ok) throw new Error(started.error);
