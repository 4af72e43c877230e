/** The zoo behind middleware, for the length of one check. */
import { once } from 'node:events';
import * as restpoint from '../../dist/index.js';
import { registerReplies } from './replies.js';
import { formatRequest, checkRequests, WireClient } from './wire.js';
import { zooServer } from './zoo.js';

export const REX = { name: 'Rex', legs: 4 };
export const JSON_TYPE = { 'content-type': 'application/json' };

/** Requests of every outcome, for loggers, each with the status of its response. */
export const LOGGED = [
  { method: 'POST', path: '/v1/pet', body: JSON.stringify(REX), status: 201 },
  { method: 'GET', path: '/v1/pet/1?full', status: 200 },
  { method: 'HEAD', path: '/v1/pet/1', status: 200 },
  { method: 'DELETE', path: '/v1/pet/1', status: 204 },
  { method: 'GET', path: '/v1/pet/1', status: 404 },
  { method: 'POST', path: '/v1/pet', body: '{', status: 400 },
  { method: 'PATCH', path: '/v1/pet', status: 405 },
  { method: 'POST', path: '/v1/pet/fail', status: 500 },
  { method: 'GET', path: '/v1/private/1', status: 401 },
  { method: 'POST', path: '/v1/private', body: '{}', status: 401 },
  { method: 'GET', path: '/v1/reply/iterable', status: 200 },
  { method: 'GET', path: '/v1/reply/sized', status: 200 },
  { method: 'GET', path: '/v1/reply/none', status: 204 },
  { method: 'OPTIONS', path: '/v1/pet', status: 200 },
  { method: 'GET', path: '/health/a', status: 200 },
  { method: 'GET', path: '/nowhere', status: 404 },
];

/** Starts the zoo and `/reply` behind listeners, uses them, and stops. `onWait` is called by the Custom operation `wait`. */
export async function serveBehind(listeners, use, onWait) {
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

/** Checks that all common requests get the same responses behind listeners as without them. */
export async function checkUnchanged(check, makeListeners) {
  await serveBehind(makeListeners(), async ({ port }) => {
    await checkRequests(check, port, { how: 'behind it', inPieces: false });
  });
}

/** Sends requests at once over one connection, and resolves to the responses. */
export async function sendPipelined(port, requests) {
  const client = await WireClient.connect(port);
  client.write(Buffer.concat(requests.map(formatRequest)));
  const responses = [];
  for (const { method } of requests) responses.push(await client.response(method));
  client.destroy();
  return responses;
}

/** Sends one request and resolves to the response. */
export async function send(port, request) {
  const [response] = await sendPipelined(port, [request]);
  return response;
}

/** Listens with a server of another library, uses its port, and closes it. */
export async function listening(server, use) {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(server.address().port);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
