/**
 * Eight writers that change one item with `If-Match` lose none of their changes, if the store compares the versions as it writes.
 * `npm run test:postgres` has the same for PostgreSQL.
 */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../../support/gate.ts';
import { lostOverTwo, lostWithoutComparison, writeOverOne, writeOverTwo } from '../../support/lost-updates.ts';
import { message } from '../../support/messages.ts';
import { RawClient, rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { createTallies, HAS_SQLITE, MemoryTallies, openTallies, type Tallies } from '../../support/tallies.ts';
import { serveTallies } from '../../support/tally-server.ts';
import { inTemporaryFolder } from '../../support/temporary.ts';

type Show = (tallies: Tallies, database: string) => Promise<void>;

/** Shows something of an empty store, and closes it. */
const inMemory = (show: Show) => (): Promise<void> => show(new MemoryTallies(), '');
const inFile = (show: Show) => (): Promise<void> => inTemporaryFolder(async (folder) => {
  const database = join(folder, 'tally.db');
  await createTallies(database);
  const tallies = openTallies(database);
  try {
    await show(tallies, database);
  } finally {
    await tallies.close();
  }
});

const losesSome: Show = async (tallies) => assert.ok(await lostWithoutComparison(tallies) > 0);

const writers = suite('eight writers of one item');
writers('in memory: none of 400 changes is lost', inMemory(writeOverOne));
writers('in memory, with a store that does not compare: some are lost', inMemory(losesSome));
if (HAS_SQLITE) {
  writers('in a SQLite file: none of 400 changes is lost', inFile(writeOverOne));
  writers('in a SQLite file, with a store that does not compare: some are lost', inFile(losesSome));
  writers('in a SQLite file, over two processes: none of 400 changes is lost', inFile((_, database) => writeOverTwo(database)));
  writers('in a SQLite file, over two processes, with a store that does not compare: some are lost', inFile(async (_, database) => assert.ok(await lostOverTwo(database) > 0)));
}
writers.run();

const again = suite('a change that is sent again');
again('since its response was lost -> 412, and the item has the change, once', async () => {
  const tallies = new MemoryTallies();
  const counts = [1, 0, 0, 0, 0, 0, 0, 0];
  const put = message('PUT', '/v1/tally', JSON.stringify({ counts, revision: 0 }), ['If-Match: "0"']);
  await serving((server) => serveTallies(server, tallies), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(put);
    await until(async () => (await tallies.find()).revision === 1, 'the change');
    client.destroy();
    assert.is((await rawRequest(port, put)).status, 412);
    assert.equal(await tallies.find(), { counts, revision: 1 });
  });
});
again.run();
