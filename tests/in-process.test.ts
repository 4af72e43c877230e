/** Requests to a listener of the same process. */
import type { IncomingMessage } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, bytes, reply, stringId } from '../src/index.ts';
import { send } from '../src/in-process.ts';

const MEGABYTE = 2 ** 20;

const server = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
let leave: () => void = () => {};
const left = new Promise<void>((resolve) => (leave = resolve));
server.registerEndpoint('/pet', {
  id: stringId,
  list: () => 'x'.repeat(MEGABYTE),
  get: (id) => ({ id }),
  custom: { count: { input: bytes(), run: async (body) => (await buffer(body)).length } },
});
server.registerEndpoint('/event', {
  get: { run: ({ signal }) => {
    signal.addEventListener('abort', leave);
    return reply(200, endless());
  } },
});

async function* endless(): AsyncGenerator<string> {
  for (;;) yield 'x'.repeat(1000);
}

const sending = suite('a request in the same process');
sending('has the answer of the operation', async () => {
  const answer = await send(server.requestListener, { method: 'GET', path: '/v1/pet/ant', headers: {} });
  assert.equal([answer.statusCode, answer.headers['content-type'], await text(answer)], [200, 'application/json', '{"id":"ant"}']);
});
sending('of HEAD has no body', async () => {
  const answer = await send(server.requestListener, { method: 'HEAD', path: '/v1/pet/ant', headers: {} });
  assert.equal([answer.statusCode, answer.headers['content-length'], await text(answer)], [200, '12', '']);
});
sending('sends and receives a megabyte', async () => {
  const list = await send(server.requestListener, { method: 'GET', path: '/v1/pet', headers: {} });
  assert.is((await text(list)).length, MEGABYTE + 2);
  const counted = await send(server.requestListener, { method: 'POST', path: '/v1/pet/count', headers: { 'content-type': 'application/x-any' }, body: Buffer.alloc(MEGABYTE) });
  assert.is(await text(counted), String(MEGABYTE));
});
sending('whose answer is destroyed aborts the signal of the operation', async () => {
  const answer = await send(server.requestListener, { method: 'GET', path: '/v1/event', headers: {} });
  answer.destroy();
  await left;
});
sending('rejects if the listener destroys the connection, and if its signal aborts', async () => {
  const destroying = (request: IncomingMessage): void => void request.destroy();
  const waiting = (): void => {};
  for (const [listener, signal] of [[destroying, undefined], [waiting, AbortSignal.abort()]] as const) {
    const failure = await send(listener, { method: 'GET', path: '/', headers: {}, signal }).catch((error: Error) => error);
    assert.instance(failure, Error);
  }
});
sending.run();
