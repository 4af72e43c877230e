/** A server of Node's that responds as a test says, to every request. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to a request. It gets what was asked, with this request at the end. */
export type Respond = (response: ServerResponse, asked: readonly ReceivedRequest[], request: IncomingMessage) => unknown;

/** Serves while `use` runs. Returns what was asked. */
export async function serveResponses(respond: Respond, use: (base: string, asked: readonly ReceivedRequest[]) => Promise<unknown>): Promise<readonly ReceivedRequest[]> {
  const asked: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk)).on('end', () => {
      const { method = '', url = '', headers } = request;
      asked.push({ method, url, headers, body });
      respond(response, asked, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  return asked;
}

/** Responds with JSON. */
export function respondJson(response: ServerResponse, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(value));
}
