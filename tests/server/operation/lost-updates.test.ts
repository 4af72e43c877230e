// Rules: V9
/**
 * Eight writers that change one item with `If-Match` lose none of their changes, if the store compares the versions as it writes.
 * `npm run test:postgres` has more of them, over two processes too.
 */
import { countLostWithoutComparison, writeOverOne } from '../../support/lost-updates.ts';
import { MemoryTallies } from '../../support/tallies.ts';
import { serveTallies } from '../../support/tally-server.ts';
import { assert, message, RawClient, send, serve, suite, waitUntil } from '../../support/facts.ts';

const CHANGES_OF_EACH = 5;

const writers = suite('eight writers of one item');
writers('in memory: none of 40 changes is lost', () => writeOverOne(new MemoryTallies(), CHANGES_OF_EACH));
writers('in memory, with a store that does not compare: some are lost', async () => {
  assert.ok(await countLostWithoutComparison(new MemoryTallies(), CHANGES_OF_EACH) > 0);
});

const again = suite('V22: a change that is sent again');
again('since its response was lost -> 412, and the item has the change, once', async () => {
  const tallies = new MemoryTallies();
  const counts = [1, 0, 0, 0, 0, 0, 0, 0];
  const put = message('PUT', '/v1/tally', JSON.stringify({ counts, revision: 0 }), ['If-Match: "0"']);
  await serve((server) => serveTallies(server, tallies), async ({ port }) => {
    const client = await RawClient.send(port, put);
    await waitUntil(async () => (await tallies.find()).revision === 1, 'the change');
    client.destroy();
    assert.is((await send(port, put)).status, 412);
    assert.equal(await tallies.find(), { counts, revision: 1 });
  });
});
