/** Mounted handlers after responses that are still being sent: each is called in its turn, so that it can break only its own response. */
import { defineEndpoint, stringId, type ApiServer, type MountHandler } from '../../src/index.ts';
import { assert, head, message, RawClient, serve, suite } from '../support/facts.ts';

const TWO = message('GET', '/v1/item/1') + message('GET', '/v1/item/2');

function mountFiles(handler: MountHandler): (server: ApiServer) => void {
  return (server) => {
    server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id) => id }));
    server.mount('/mount', handler);
  };
}

const turn = suite('a mounted handler after responses that are still being sent');
for (const [handler, why] of [
  [(_request, response) => response.destroy(), 'destroys its response'],
  [(request) => request.destroy(), 'destroys its request'],
  [(request) => request.socket.destroy(), 'destroys the socket'],
  [(_request, response) => {
    response.write('x');
    throw new Error('too late');
  }, 'throws after it has started its response'],
] as const satisfies readonly (readonly [MountHandler, string])[]) {
  turn(`${why}: the earlier responses arrive, and the connection is destroyed`, () => serve(mountFiles(handler), async ({ port, errors }) => {
    const client = await RawClient.send(port, TWO + message('GET', '/mount') + message('GET', '/v1/item/4'), false);
    assert.is((await client.response()).body, '"1"');
    assert.is((await client.response()).body, '"2"');
    assert.not.match(await client.closed(), '"4"');
    assert.is(errors.length, why.startsWith('throws') ? 1 : 0);
  }));
}
turn('is not called for a request whose body has a parse error before its turn', async () => {
  let calls = 0;
  await serve(mountFiles((_request, response) => (calls += 1, response.end('x'))), async ({ port }) => {
    const client = await RawClient.send(port, `${TWO}${head('POST', '/mount', ['Transfer-Encoding: chunked'])}broken`, false);
    assert.is((await client.response()).body, '"1"');
    assert.is((await client.response()).body, '"2"');
    assert.is((await client.response()).status, 400);
    assert.is(await client.closed(), '');
    assert.is(calls, 0);
  });
});
turn('finds its socket, and all of a body that arrived before its turn', async () => {
  const found: boolean[] = [];
  await serve(mountFiles((request, response) => (found.push(response.socket !== null), request.pipe(response))), async ({ port }) => {
    const client = await RawClient.send(port, TWO + message('POST', '/mount', 'three') + message('POST', '/mount', 'four'));
    for (const body of ['"1"', '"2"', 'three', 'four']) assert.is((await client.response()).body, body);
    assert.equal(found, [true, true]);
  });
});
