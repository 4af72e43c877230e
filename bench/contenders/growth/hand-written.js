import { once } from 'node:events';
import { createServer } from 'node:http';
import { serverOptions } from '../pets.js';
import { EVENT } from './common.js';

export async function open(_, { endpoints = 0 } = {}) {
  const readers = new Set();
  const resources = new Map(Array.from({ length: endpoints }, (_each, at) => [`/v1/resource${at}`, () => '1']));
  const server = createServer(serverOptions(), (request, response) => {
    const resource = resources.get(request.url);
    if (resource !== undefined) return response.end(resource());
    if (request.url === '/v1/event') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' }).flushHeaders();
      response.on('close', () => readers.delete(response));
      return readers.add(response);
    }
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    return request.on('end', () => response.end(String(JSON.parse(Buffer.concat(chunks).toString()).length)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: server.address().port,
    close: () => server.close(),
    emit: () => readers.forEach((response) => response.write(EVENT)),
  };
}
