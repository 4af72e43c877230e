// Rules: V9
/**
 * Eight writers that make fifty changes each to one item with `If-Match` lose none of them, if the store compares the versions as it writes.
 * `npm run test:postgres` has the same for PostgreSQL.
 */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { countLostOverTwo, countLostWithoutComparison, writeOverOne, writeOverTwo } from '../../support/lost-updates.ts';
import { createTallies, HAS_SQLITE, MemoryTallies, openTallies, type Tallies } from '../../support/tallies.ts';
import { withTemporaryFolder } from '../../support/temporary-folder.ts';

type Show = (tallies: Tallies, database: string) => Promise<void>;

/** Shows something of an empty store, and closes it. */
const withMemoryTallies = (show: Show) => (): Promise<void> => show(new MemoryTallies(), '');
const withFileTallies = (show: Show) => (): Promise<void> => withTemporaryFolder(async (folder) => {
  const database = join(folder, 'tally.db');
  await createTallies(database);
  const tallies = openTallies(database);
  try {
    await show(tallies, database);
  } finally {
    await tallies.close();
  }
});

const losesSome: Show = async (tallies) => assert.ok(await countLostWithoutComparison(tallies) > 0);

const writers = suite('eight writers of one item');
writers('in memory: none of 400 changes is lost', withMemoryTallies((tallies) => writeOverOne(tallies)));
writers('in memory, with a store that does not compare: some are lost', withMemoryTallies(losesSome));
if (HAS_SQLITE) {
  writers('in a SQLite file: none of 400 changes is lost', withFileTallies((tallies) => writeOverOne(tallies)));
  writers('in a SQLite file, with a store that does not compare: some are lost', withFileTallies(losesSome));
  writers('in a SQLite file, over two processes: none of 400 changes is lost', withFileTallies((_, database) => writeOverTwo(database)));
  writers('in a SQLite file, over two processes, with a store that does not compare: some are lost', withFileTallies(async (_, database) => assert.ok(await countLostOverTwo(database) > 0)));
}
writers.run();
