/** The zoo behind middleware, for the length of one check. */
import assert from 'node:assert/strict';
import * as restpoint from '../../dist/index.js';
import { registerReplies } from './replies.js';
import { bytesOf, checkRequests, WireClient } from './wire.js';
import { zooServer } from './zoo.js';

export const REX = { name: 'Rex', legs: 4 };
export const JSON_TYPE = { 'content-type': 'application/json' };

/** Starts the zoo and `/reply` behind listeners, uses them, and stops. `onWait` is called by the Custom operation `wait`. */
export async function behind(listeners, use, onWait) {
  const errors = [];
  const server = zooServer(restpoint, onWait, { info() {}, error: (error) => errors.push(error) });
  for (const listener of listeners) server.use(listener);
  registerReplies(server);
  const started = await server.start('127.0.0.1:0');
  try {
    await use({ server, errors, url: started.url, port: started.address.port });
  } finally {
    await server.stop();
  }
}

/** Checks that all shared requests get the same answers behind listeners as without any. */
export async function checkUnchanged(check, makeListeners) {
  await behind(makeListeners(), async ({ port }) => {
    await checkRequests(check, port, { how: 'behind it', inPieces: false });
  });
}

/** Sends requests at once over one connection, and gives the answers. */
export async function pipelined(port, requests) {
  const client = await WireClient.connect(port);
  client.write(Buffer.concat(requests.map(bytesOf)));
  const answers = [];
  for (const { method } of requests) answers.push(await client.answer(method));
  client.destroy();
  return answers;
}

/** Sends one request and gives the answer. */
export async function send(port, request) {
  const [answer] = await pipelined(port, [request]);
  return answer;
}

/** Waits until something holds. */
export async function until(holds) {
  for (const deadline = Date.now() + 10_000; !holds(); await new Promise((resolve) => setTimeout(resolve, 2))) {
    assert.ok(Date.now() < deadline, 'waited too long');
  }
}
