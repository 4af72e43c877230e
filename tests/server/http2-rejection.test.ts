/** C15: `requestListener` on a user's own HTTP/2 server: every request is rejected, and the process goes on. */
import { connect, constants, createServer, createSecureServer, type ClientHttp2Session, type Http2Server } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, stringId, type ApiServerOptions } from '../../src/index.ts';
import { getCertificate } from '../support/transport.ts';

const SILENT = { info: () => {}, error: (error: Error) => assert.unreachable(error.message) };
const TEXT = 'This server has no HTTP/2. A proxy in front of it can speak HTTP/2 with clients.';
const PROBLEM = { type: 'about:blank', title: 'HTTP Version Not Supported', status: 505, detail: TEXT };

/** Serves with a user's own HTTP/2 server, and connects a client. */
async function overHttp2(isSecure: boolean, options: ApiServerOptions, use: (client: ClientHttp2Session) => Promise<void>): Promise<void> {
  const api = new ApiServer('/v1', { logger: SILENT, ...options });
  api.registerEndpoint('/pet', { id: stringId, schema: (json: unknown) => json, create: () => '1', get: (id) => id });
  const listener = api.requestListener as never;
  const server: Http2Server = isSecure ? createSecureServer(getCertificate(), listener) as never : createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect(`${isSecure ? 'https' : 'http'}://localhost:${port}`, { ca: getCertificate().cert, lookup: (_name, _options, found) => found(null, [{ address: '127.0.0.1', family: 4 }] as never, 4) });
  client.on('error', () => {});
  try {
    await use(client);
  } finally {
    client.destroy();
    server.close();
  }
}

async function sendRequest(client: ClientHttp2Session, method: string, body?: string): Promise<{ status: unknown; type: unknown; text: string }> {
  const stream = client.request({ ':method': method, ':path': '/v1/pet' }, { endStream: body === undefined });
  const responded = once(stream, 'response');
  if (body !== undefined) stream.end(body);
  const [headers] = await responded;
  return { status: headers[':status'], type: headers['content-type'], text: await text(stream) };
}

const rejected = suite('requests over HTTP/2');
for (const isSecure of [false, true]) {
  const how = isSecure ? 'with TLS' : 'without TLS';
  rejected(`${how}: each is a 505 with a problem that says why, and the session stays usable`, async () => {
    await overHttp2(isSecure, {}, async (client) => {
      for (const [method, body] of [['GET'], ['POST', '{"name":"Rex"}'], ['OPTIONS'], ['POST', 'x'.repeat(50_000)]] as const) {
        const response = await sendRequest(client, method, body);
        assert.is(response.status, 505);
        assert.is(response.type, 'application/problem+json');
        assert.equal(JSON.parse(response.text), PROBLEM);
      }
      assert.equal(await sendRequest(client, 'HEAD'), { status: 505, type: 'application/problem+json', text: '' });
    });
  });
}
rejected('formatProblem formats the rejection', async () => {
  await overHttp2(false, { formatProblem: ({ status }) => ({ body: { status }, headers: { 'Proxy-Connection': 'close', 'X-Form': 'short' } }) }, async (client) => {
    assert.equal(await sendRequest(client, 'GET'), { status: 505, type: 'application/json', text: '{"status":505}' });
  });
});
rejected('a client that leaves at once does no harm', async () => {
  await overHttp2(false, {}, async (client) => {
    for (let round = 0; round < 10; round += 1) {
      const stream = client.request({ ':method': 'POST', ':path': '/v1/pet' });
      stream.on('error', () => {});
      stream.write('{');
      stream.close(constants.NGHTTP2_CANCEL);
    }
    assert.is((await sendRequest(client, 'GET')).status, 505);
  });
});
rejected.run();
