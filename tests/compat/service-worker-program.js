/**
 * A service worker that calls the zoo and another API with the client. A page that sends it a message gets what is wrong with the calls. The
 * page's own requests for `/zoo/<id>` get the zoo's responses. Its URL has the addresses: `?zoo=…&token=…&other=…`.
 */
import * as client from '../../dist/client/index.js';
import { findWrongCalls } from './client-calls.js';
import { findWrongZooCalls } from './client-zoo-calls.js';

const { zoo, token, other } = Object.fromEntries(new URL(location.href).searchParams);
const zoos = client.client(zoo)('/zoo');

async function wrong() {
  return [...await findWrongZooCalls(client, zoo, token), ...await findWrongCalls(client, other)];
}

async function respondFor(id) {
  const result = await zoos.get(id, { safe: true });
  return Response.json(result.ok ? result.value : result.problem, { status: result.status });
}

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', ({ ports: [port] }) => {
  wrong().then((found) => port.postMessage(found), (error) => port.postMessage([String(error)]));
});
addEventListener('fetch', (event) => {
  const [, id] = /^\/zoo\/(.+)$/.exec(new URL(event.request.url).pathname) ?? [];
  if (id !== undefined) event.respondWith(respondFor(id));
});
