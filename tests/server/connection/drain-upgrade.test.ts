/** C2: An upgrade that arrives while the server stops, as the last request of an idle connection. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId } from '../../../src/index.ts';
import { delay, withTimeout } from '../../support/wait.ts';
import { message } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { makeEchoHandler, makeUpgrade } from '../../support/upgrades.ts';

const LONG = { stopLingerMs: 3_600_000, stopGraceMs: 3_600_000 };

const last = suite('an upgrade that arrives while the server stops');
for (const [before, why] of [['', 'on a silent connection'], [message('GET', '/v1/item/1'), 'on an idle connection']] as const) {
  last(`${why}: its handler gets the socket, and then close, and stop() resolves`, () => serve((server) => {
    server.registerEndpoint('/item', { id: stringId, get: (id) => id });
    server.registerUpgrade('/chat', (request, socket, early) => {
      makeEchoHandler()(request, socket, early);
      request.once('close', () => socket.end('goodbye'));
    });
  }, async ({ server, port }) => {
    const client = await RawClient.send(port, before, false);
    if (before !== '') await client.response();
    const stopped = server.stop();
    await delay(20);
    client.send(makeUpgrade('/chat'));
    assert.is((await client.response()).status, 101);
    assert.is(await client.closed(), 'goodbye');
    await withTimeout(stopped);
  }, LONG));
}
last('whose handler does not listen for close: its socket is destroyed after stopGraceMs, and not after stopLingerMs', async () => {
  await serve((server) => server.registerUpgrade('/chat', makeEchoHandler()), async ({ server, port }) => {
    const client = await RawClient.connect(port, false);
    const stopped = server.stop();
    client.send(makeUpgrade('/chat'));
    assert.is((await client.response()).status, 101);
    await delay(150);
    client.send('still there');
    assert.is(await client.bytes(11), 'still there');
    await withTimeout(stopped);
    assert.is(await client.closed(), '');
  }, { stopLingerMs: 50, stopGraceMs: 1000 });
});
last.run();
