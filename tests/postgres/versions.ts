/** The `update` for PostgreSQL in docs/versions.md, in an endpoint: it changes an item only in the version that the client has. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { readFences } from '../support/markdown.ts';
import { withPool, type Case } from './case.ts';
import { loadShownPrograms } from './shown-program.ts';

const UPDATE = readFences(readFileSync(join(process.cwd(), 'docs', 'versions.md'), 'utf8')).find(({ text }) => text.startsWith('update: '))?.text ?? '';
export const TABLE = 'CREATE TABLE pet (id int PRIMARY KEY, name text NOT NULL, version int NOT NULL DEFAULT 1)';
export const CODE = `
import { Pool } from 'pg';
import { ApiError, ApiServer, integerId } from 'restpoint';
import { mapInvalidValue } from 'restpoint/postgres';
import { z } from 'zod';

const pool = new Pool({
  connectionString: process.env['DATABASE_URL'],
  connectionTimeoutMillis: 5_000, statement_timeout: 10_000, query_timeout: 15_000,
});
const server = new ApiServer('/v1', { mapError: mapInvalidValue });
server.registerEndpoint('/pet', {
  id: integerId,
  schema: z.object({ name: z.string() }),
  get: async (id: number) => (await pool.query('SELECT name, version FROM pet WHERE id = $1::bigint', [id])).rows[0],
  version: ({ version }: { version: number }) => version,
  requireIfMatch: true,
${UPDATE}
});
await server.start('127.0.0.1:8080');
`;

export const VERSIONS: readonly Case[] = [
  ['of writers with the same version, one changes the item', async ({ url }) => {
    const { withScratch, withRunning } = await loadShownPrograms();
    await withPool(url, async (pool) => {
      await pool.query(TABLE);
      await pool.query("INSERT INTO pet VALUES (1, 'Rex')");
    });
    process.env['DATABASE_URL'] = url;
    await withScratch((folder) => withRunning({ name: 'versions-pg.ts', code: CODE, commands: [] }, folder, async ({ port }) => {
      const put = async (name: string, ifMatch: string): Promise<number> => {
        const headers = { 'Content-Type': 'application/json', 'If-Match': ifMatch };
        return (await fetch(`http://127.0.0.1:${port}/v1/pet/1`, { method: 'PUT', headers, body: JSON.stringify({ name }) })).status;
      };
      const statuses = await Promise.all(['Max', 'Bello', 'Asta', 'Luna'].map((name) => put(name, '"1"')));
      assert.equal(statuses.toSorted(), [204, 412, 412, 412]);
      assert.equal([await put('Rex', '"7", "2"'), await put('Rex', '"2"'), await put('Rex', '*')], [204, 412, 204]);
      assert.is(await (await fetch(`http://127.0.0.1:${port}/v1/pet/1`)).text(), '{"name":"Rex","version":4}');
    }));
  }],
];
