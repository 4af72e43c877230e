/** I2: Bodies that an operation reads as bytes: how fast they are read, and in how much memory. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bytes, defineEndpoint, reply, stringId, type ApiServer } from '../../../src/index.ts';
import { delay, Gate } from '../../support/wait.ts';
import { head } from '../../support/messages.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { UPLOAD, readAll, declareUpload } from '../../support/declare-upload.ts';
import { withTemporaryFolder } from '../../support/temporary-folder.ts';

const MIB = 2 ** 20;
const FILE_MIB = 64;
const MOST_BYTES = 32 * MIB;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const paced = suite('how fast bytes are read');
paced('no faster than they are iterated: the client has to wait', async () => {
  const gate = new Gate();
  await serve(declareUpload(async (body) => {
    for await (const _chunk of body) break;
    await gate.passed;
    return (await readAll(body)).length;
  }), async ({ port }) => {
    const client = connect(port, '127.0.0.1');
    const total = 32 * MIB;
    client.write(head(...UPLOAD, [`Content-Length: ${total}`]));
    let sent = 0;
    const send = (): void => {
      while (sent < total && client.write(Buffer.alloc(MIB))) sent += MIB;
    };
    client.on('drain', () => ((sent += MIB), send()));
    send();
    for (let before = -1; before !== sent; await delay(50)) before = sent;
    assert.ok(sent < total / 2, `${sent} bytes were taken`);
    gate.open();
    const [response] = await once(client, 'data') as [Buffer];
    assert.match(response.toString(), /^HTTP\/1\.1 200 OK\r\n/);
    client.destroy();
  }, { limits: { bodyBytes: 32 * MIB } });
});
paced(`${FILE_MIB} MiB into a file and out of it again: the same bytes, and little memory`, async () => {
  await withTemporaryFolder(async (folder) => {
    const file = join(folder, 'upload');
    const declare = (server: ApiServer): void => server.registerEndpoint('/file', defineEndpoint({
      id: stringId,
      get: () => reply(200, createReadStream(file)),
      custom: { put: { input: bytes(), run: (body) => pipeline(body, createWriteStream(file)).then(() => 'stored') } },
    }));
    await serve(declare, async ({ port, url }) => {
      const piece = randomBytes(MIB);
      const sum = createHash('sha256');
      const before = process.memoryUsage().arrayBuffers;
      const held = (): number => process.memoryUsage().arrayBuffers - before;
      let most = 0;
      const timer = setInterval(() => {
        // A busy machine collects garbage late.
        if (held() > MOST_BYTES / 2) collectGarbage();
        most = Math.max(most, held());
      }, 5);
      const client = await RawClient.connect(port);
      client.send(head(...UPLOAD, [`Content-Length: ${FILE_MIB * MIB}`]));
      for (let sent = 0; sent < FILE_MIB; sent += 1) {
        piece.writeUInt32LE(sent);
        sum.update(piece);
        if (!client.socket.write(Buffer.from(piece))) await once(client.socket, 'drain');
      }
      assert.is((await client.response()).body, '"stored"');
      clearInterval(timer);
      client.destroy();
      const got = createHash('sha256');
      const [response] = await once(get(`${url}/v1/file/1`, { agent: false }), 'response') as [IncomingMessage];
      for await (const chunk of response) got.update(chunk);
      assert.is(got.digest('hex'), sum.digest('hex'));
      assert.ok(most < MOST_BYTES, `${most} bytes`);
    }, { limits: { bodyBytes: FILE_MIB * MIB } });
  });
});
paced.run();
