/** TLS handshakes that have not finished when the server stops. */
import { Socket } from 'node:net';
import { Handshakes } from '../../../src/server/exchange/node/running-server.ts';
import { assert, suite } from '../../support/facts.ts';

const handshakes = suite('a handshake while the server stops');
for (const [when, begins, finishes, isDestroyed] of [
  ['has begun before', 'before', false, true],
  ['begins after', 'after', false, true],
  ['has finished before', 'before', true, false],
] as const) {
  handshakes(`that ${when} -> its connection is ${isDestroyed ? 'destroyed' : 'kept'}`, () => {
    const open = new Handshakes();
    const socket = new Socket();
    if (begins === 'before') open.begin(socket);
    if (finishes) open.finish(socket);
    open.drain(0);
    if (begins === 'after') open.begin(socket);
    assert.is(socket.destroyed, isDestroyed);
    socket.destroy();
  });
}
