/** Handshakes that began before a server with TLS was attached: nothing of this server knows them. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer } from '../../src/index.ts';
import { within } from '../support/gate.ts';
import { listening } from '../support/hosting.ts';
import { RawClient } from '../support/raw-client.ts';
import { certificate } from '../support/transport.ts';

const stopping = suite('stop() of an attached server, with a handshake that began before');
stopping('it resolves after stopGraceMs, and the server can be attached again', async () => {
  const server: Server = createServer(certificate());
  const api = new ApiServer('', { logger: { info() {}, error() {} }, stopGraceMs: 200 });
  const accepted = once(server, 'connection');
  const client = await RawClient.connect(await listening(server), false, false);
  try {
    await accepted;
    api.attach(server);
    await within(5000, api.stop());
    assert.not.throws(() => api.attach(server));
    await within(5000, api.stop());
  } finally {
    client.destroy();
  }
});
stopping.run();
