/** I1: Bodies that an operation reads as bytes: which are accepted, and how they come. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiServer, bytes, defineEndpoint, reply, stringId } from '../../../src/index.ts';
import { chunkedMessage, head, message, readProblem } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { readWhole, GET_GOOD, UPLOAD, readAll, declareUpload, type Run } from '../../support/declare-upload.ts';

const OTHER_ORIGIN = ['Origin: http://elsewhere.example'];

const accepted = suite('the body of an operation that takes bytes');
for (const [what, makeMessage] of [['with a length', message], ['chunked', chunkedMessage]] as const) {
  for (const [types, headers, status] of [
    [undefined, [], 200],
    [undefined, ['Content-Type: text/plain'], 200],
    [undefined, ['Content-Type: no type'], 200],
    [undefined, ['Content-Encoding: identity'], 200],
    [undefined, ['Content-Encoding: gzip'], 415],
    [['image/*'], ['Content-Type: image/png'], 200],
    [['image/*'], ['Content-Type: text/plain'], 415],
    [['image/*'], ['Content-Type: image/*'], 415],
    [['image/*'], ['Content-Type: application/json'], 415],
    [['image/*'], [], 415],
    [['application/octet-stream'], [], 200],
    [undefined, [...OTHER_ORIGIN], 415],
    [undefined, [...OTHER_ORIGIN, 'Content-Type: text/plain'], 415],
    [undefined, [...OTHER_ORIGIN, 'Content-Type: multipart/form-data; boundary=a'], 415],
    [undefined, [...OTHER_ORIGIN, 'Content-Type: no type'], 415],
    [undefined, [...OTHER_ORIGIN, 'Content-Type: image/png'], 200],
    [undefined, [...OTHER_ORIGIN, 'Content-Type: application/json'], 200],
    [undefined, [...OTHER_ORIGIN, 'Content-Type: text/plain', 'Authorization: Bearer a'], 200],
  ] as const) {
    accepted(`${what}, of ${types?.join() ?? 'any type'}, ${headers.join(', ') || 'without a type'} -> ${status}`, async () => {
      let invoked = 0;
      const run: Run = (body, request) => ((invoked += 1), readWhole(body, request));
      await serve(declareUpload(run, types && { types }), async ({ port }) => {
        const response = await send(port, makeMessage(...UPLOAD, 'bytes\xff', headers));
        assert.is(response.status, status);
        if (status === 415) readProblem(response);
        else assert.is(JSON.parse(Buffer.from(response.body, 'latin1').toString()), 'bytes\xff');
        assert.is(invoked, status === 415 ? 0 : 1);
      });
    });
  }
  accepted(`${what}: in Uint8Arrays, and a later request gets its response`, async () => {
    const kinds = new Set<string>();
    await serve(declareUpload(async (body) => {
      for await (const chunk of body) kinds.add(Object.prototype.toString.call(chunk));
      return 'read';
    }), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(makeMessage(...UPLOAD, 'x'.repeat(200_000)) + makeMessage(...UPLOAD, 'x') + GET_GOOD);
      for (const body of ['"read"', '"read"', '"1"']) assert.is((await client.response()).body, body);
      client.destroy();
    });
    assert.equal([...kinds], ['[object Uint8Array]']);
  });
}
accepted('that is empty or missing: an iteration without a chunk', async () => {
  await serve(declareUpload(readWhole), async ({ port }) => {
    assert.is((await send(port, message(...UPLOAD))).body, '""');
    assert.is((await send(port, head(...UPLOAD, ['Content-Length: 0']))).body, '""');
    assert.is((await send(port, chunkedMessage(...UPLOAD))).body, '""');
  });
});
accepted('in two iterations, one after the other and at the same time: each byte once', async () => {
  await serve(declareUpload(async (body) => {
    let bytesRead = 0;
    const read = async (max = Infinity): Promise<void> => {
      for await (const chunk of body) {
        bytesRead += chunk.length;
        if (bytesRead >= max) break;
      }
    };
    await read(1);
    await Promise.all([read(), read()]);
    await read();
    return bytesRead;
  }), async ({ port }) => {
    assert.is((await send(port, message(...UPLOAD, 'x'.repeat(500_000)))).body, '500000');
  });
});
accepted('of an endpoint whose schema is bytes: Create and Update', async () => {
  await serve((server) => server.registerEndpoint('/file', defineEndpoint({
    id: stringId,
    schema: bytes(),
    create: async (body) => await readAll(body),
    update: async (id, body) => assert.is(await readAll(body), id),
  })), async ({ port }) => {
    assert.is((await send(port, message('POST', '/v1/file', 'abc'))).body, 'abc');
    assert.is((await send(port, message('PUT', '/v1/file/abc', 'abc'))).status, 204);
  });
});
accepted('that comes back as the reply, while it is sent', async () => {
  await serve(declareUpload((body) => reply(200, body)), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(head(...UPLOAD, ['Transfer-Encoding: chunked']));
    for (const piece of ['first', 'second']) {
      client.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      await client.receives(piece);
    }
    client.send('0\r\n\r\n');
    assert.is((await client.response()).body, 'firstsecond');
    client.destroy();
  });
});
accepted('in a server of the user\'s own', async () => {
  const api = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  declareUpload(readWhole)(api);
  const server = createServer(api.requestListener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    assert.is((await send(port, message(...UPLOAD, 'x'.repeat(100_000)))).body.length, 100_002);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
accepted('that a body parser has read before -> 500, logged', async () => {
  const errors: Error[] = [];
  const api = new ApiServer('/v1', { logger: { info: () => {}, error: (error) => errors.push(error) } });
  declareUpload(readWhole)(api);
  const server = createServer((request, response) => void request.on('data', () => {}).on('end', () => api.requestListener(request, response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    readProblem(await send((server.address() as AddressInfo).port, message(...UPLOAD, 'abc')));
    assert.match(errors[0]?.message ?? '', /the body was read before the operation could/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
accepted.run();
