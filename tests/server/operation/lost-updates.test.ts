/**
 * Eight writers that change one item with `If-Match` lose none of their changes, if the store compares the versions as it writes.
 * `lost-updates.long.test.ts` has more of them, in SQLite too, and `npm run test:postgres` the same for PostgreSQL.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { waitUntil } from '../../support/wait.ts';
import { countLostWithoutComparison, writeOverOne } from '../../support/lost-updates.ts';
import { message } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { MemoryTallies } from '../../support/tallies.ts';
import { serveTallies } from '../../support/tally-server.ts';

const CHANGES_OF_EACH = 5;

const writers = suite('eight writers of one item');
writers('in memory: none of 40 changes is lost', () => writeOverOne(new MemoryTallies(), CHANGES_OF_EACH));
writers('in memory, with a store that does not compare: some are lost', async () => {
  assert.ok(await countLostWithoutComparison(new MemoryTallies(), CHANGES_OF_EACH) > 0);
});
writers.run();

const again = suite('V22: a change that is sent again');
again('since its response was lost -> 412, and the item has the change, once', async () => {
  const tallies = new MemoryTallies();
  const counts = [1, 0, 0, 0, 0, 0, 0, 0];
  const put = message('PUT', '/v1/tally', JSON.stringify({ counts, revision: 0 }), ['If-Match: "0"']);
  await serve((server) => serveTallies(server, tallies), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(put);
    await waitUntil(async () => (await tallies.find()).revision === 1, 'the change');
    client.destroy();
    assert.is((await send(port, put)).status, 412);
    assert.equal(await tallies.find(), { counts, revision: 1 });
  });
});
again.run();
