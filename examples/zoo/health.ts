/** A plain `(request, response)` listener, which any Node server can use. It reports that the process is up. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export function health(request: IncomingMessage, response: ServerResponse): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return;
  }
  const json = JSON.stringify({ status: 'ok' });
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(json) }).end(json);
}
