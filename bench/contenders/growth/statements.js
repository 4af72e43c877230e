/** How many statements of PostgreSQL a request takes, and how many by hand. Needs `DATABASE_URL`, an empty database. */
import { BASELINE } from '../contenders.js';

const INSERT = 'INSERT INTO bench_pet (name) VALUES ($1) RETURNING id';
const STARTED = Date.now();
const ROUNDS = 3;

// What is requested, its path, and the statements by hand.
const REQUESTS = [
  ['in a transaction', '/transaction', ['BEGIN', INSERT, 'COMMIT']],
  ['with a rate', '/rate', ['take from the quota', INSERT]],
  ['with an idempotency key', '/idempotent', ['BEGIN', 'lock and find the key', INSERT, 'store the response', 'COMMIT']],
  ['with the same key again', '/idempotent', ['BEGIN', 'lock and find the key', 'COMMIT']],
];

export async function countStatements() {
  const { DATABASE_URL: connectionString } = process.env;
  if (connectionString === undefined) {
    console.error('growth: without DATABASE_URL, no statements of PostgreSQL are counted');
    return {};
  }
  const { default: pg } = await import('pg');
  const { ApiServer } = await import('../../../dist/index.js');
  const { idempotent, rateLimit } = await import('../../../dist/interceptors/index.js');
  const { postgresIdempotencyStore, postgresRates, postgresTables, transaction } = await import('../../../dist/postgres/index.js');
  const pool = new pg.Pool({ connectionString });
  await pool.query(`${postgresTables()}; CREATE TABLE IF NOT EXISTS bench_pet (id integer GENERATED ALWAYS AS IDENTITY, name text)`);
  let statements = 0;
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function countQuery(...given) {
    statements += 1;
    return query.apply(this, given);
  };
  const server = new ApiServer('', { logger: { info() {}, error: console.error } });
  const add = (path, use) => server.registerEndpoint(path, {
    custom: { add: { input: (json) => json, use, run: async (name, { tx = pool }) => (await tx.query(INSERT, [name])).rows } },
  });
  add('/transaction', transaction(pool));
  add('/rate', rateLimit({ store: postgresRates(pool), limit: 100, windowSeconds: 60, key: () => 'bench' }));
  add('/idempotent', idempotent(postgresIdempotencyStore(pool)));
  const send = async (path, key) => {
    statements = 0;
    const headers = { 'Content-Type': 'application/json', ...(path === '/idempotent' && { 'Idempotency-Key': `"${STARTED}-${key}"` }) };
    const { status } = await server.fetch(`http://localhost${path}/add`, { method: 'POST', headers, body: '"Rex"' });
    if (status !== 200) throw new Error(`${path} responded ${status}`);
    return statements;
  };
  const data = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [what, path, byHand] of REQUESTS) {
      // The first request of a pool has statements of its own, and now and then one removes what has expired.
      data[what] = { restpoint: Math.min(data[what]?.restpoint ?? Infinity, await send(path, round)), [BASELINE]: byHand.length };
    }
  }
  await pool.end();
  return data;
}
