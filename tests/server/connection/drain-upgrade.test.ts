/** An upgrade that arrives while the server stops, as the last request of an idle connection. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId } from '../../../src/index.ts';
import { after, within } from '../../support/gate.ts';
import { message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { echoing, upgradeOf } from '../../support/upgrading.ts';

const LONG = { stopLingerMs: 60_000, stopGraceMs: 60_000 };

const last = suite('an upgrade that arrives while the server stops');
for (const [before, why] of [['', 'on a silent connection'], [message('GET', '/v1/item/1'), 'on an idle connection']] as const) {
  last(`${why}: its handler gets the socket, and then close, and stop() resolves`, async () => {
    await serving((server) => {
      server.registerEndpoint('/item', { id: stringId, get: (id) => id });
      server.registerUpgrade('/chat', (request, socket, early) => {
        echoing()(request, socket, early);
        request.once('close', () => socket.end('goodbye'));
      });
    }, async ({ server, port }) => {
      const client = await RawClient.connect(port, false);
      client.send(before);
      if (before !== '') await client.response();
      const stopped = server.stop();
      await after(20);
      client.send(upgradeOf('/chat'));
      assert.is((await client.response()).status, 101);
      assert.is(await client.closed(), 'goodbye');
      await within(5000, stopped);
    }, LONG);
  });
}
last('whose handler does not listen for close: its socket is destroyed after stopGraceMs, and not after stopLingerMs', async () => {
  await serving((server) => server.registerUpgrade('/chat', echoing()), async ({ server, port }) => {
    const client = await RawClient.connect(port, false);
    const stopped = server.stop();
    client.send(upgradeOf('/chat'));
    assert.is((await client.response()).status, 101);
    await after(150);
    client.send('still there');
    assert.is(await client.bytes(11), 'still there');
    await within(5000, stopped);
    assert.is(await client.closed(), '');
  }, { stopLingerMs: 50, stopGraceMs: 1000 });
});
last.run();
