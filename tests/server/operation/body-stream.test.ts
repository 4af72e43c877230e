/** Bodies that an operation reads as bytes: which are accepted, how they are read, and what ends them. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  ApiError, ApiServer, bytes, defineEndpoint, reply, stringId, type ApiRequest, type BytesOptions,
} from '../../../src/index.ts';
import { after, Gate, until, within } from '../../support/gate.ts';
import { chunkedMessage, head, message, problemIn } from '../../support/messages.ts';
import { RawClient, rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { inTemporaryFolder } from '../../support/temporary.ts';
import { unhandledBy } from '../../support/unhandled.ts';

type Run = (body: AsyncIterable<Uint8Array>, request: ApiRequest) => unknown;

/** Declares `POST /file/put`, which runs this, and `GET /good/:id`. */
function taking(run: Run, options?: BytesOptions): (server: ApiServer) => void {
  return (server) => {
    server.registerEndpoint('/file', defineEndpoint({ id: stringId, custom: { put: { input: bytes(options), run } } }));
    server.registerEndpoint('/good', defineEndpoint({ id: stringId, get: (id) => id }));
  };
}

async function readAll(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1');
}
const all: Run = (body) => readAll(body);

const PUT = ['POST', '/v1/file/put'] as const;
const GOOD = message('GET', '/v1/good/1', '', ['Connection: close']);
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
      const run: Run = (body, request) => ((invoked += 1), all(body, request));
      await serving(taking(run, types && { types }), async ({ port }) => {
        const answer = await rawRequest(port, makeMessage(...PUT, 'bytes\xff', headers));
        assert.is(answer.status, status);
        if (status === 415) problemIn(answer);
        else assert.is(JSON.parse(Buffer.from(answer.body, 'latin1').toString()), 'bytes\xff');
        assert.is(invoked, status === 415 ? 0 : 1);
      });
    });
  }
  accepted(`${what}: in Uint8Arrays, and what is behind it is answered`, async () => {
    const kinds = new Set<string>();
    await serving(taking(async (body) => {
      for await (const chunk of body) kinds.add(Object.prototype.toString.call(chunk));
      return 'read';
    }), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(makeMessage(...PUT, 'x'.repeat(200_000)) + makeMessage(...PUT, 'x') + GOOD);
      for (const body of ['"read"', '"read"', '"1"']) assert.is((await client.response()).body, body);
      client.destroy();
    });
    assert.equal([...kinds], ['[object Uint8Array]']);
  });
}
accepted('that is empty or missing: an iteration without a chunk', async () => {
  await serving(taking(all), async ({ port }) => {
    assert.is((await rawRequest(port, message(...PUT))).body, '""');
    assert.is((await rawRequest(port, head(...PUT, ['Content-Length: 0']))).body, '""');
    assert.is((await rawRequest(port, chunkedMessage(...PUT))).body, '""');
  });
});
accepted('in two iterations, one after the other and at the same time: each byte once', async () => {
  await serving(taking(async (body) => {
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
    assert.is((await rawRequest(port, message(...PUT, 'x'.repeat(500_000)))).body, '500000');
  });
});
accepted('of an endpoint whose schema is bytes: Create and Update', async () => {
  await serving((server) => server.registerEndpoint('/file', defineEndpoint({
    id: stringId,
    schema: bytes(),
    create: async (body) => await readAll(body),
    update: async (id, body) => assert.is(await readAll(body), id),
  })), async ({ port }) => {
    assert.is((await rawRequest(port, message('POST', '/v1/file', 'abc'))).body, 'abc');
    assert.is((await rawRequest(port, message('PUT', '/v1/file/abc', 'abc'))).status, 204);
  });
});
accepted('that comes back as the reply, while it is sent', async () => {
  await serving(taking((body) => reply(200, body)), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(head(...PUT, ['Transfer-Encoding: chunked']));
    for (const piece of ['first', 'second']) {
      client.send(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      await until(() => client.unread.includes(piece), piece);
    }
    client.send('0\r\n\r\n');
    assert.is((await client.response()).body, 'firstsecond');
    client.destroy();
  });
});
accepted('in a server of the host\'s own', async () => {
  const api = new ApiServer('/v1', { logger: { info: () => {}, error: () => {} } });
  taking(all)(api);
  const server = createServer(api.requestListener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    assert.is((await rawRequest(port, message(...PUT, 'x'.repeat(100_000)))).body.length, 100_002);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
accepted('that a body parser has read before -> 500, logged', async () => {
  const errors: Error[] = [];
  const api = new ApiServer('/v1', { logger: { info: () => {}, error: (error) => errors.push(error) } });
  taking(all)(api);
  const server = createServer((request, response) => void request.on('data', () => {}).on('end', () => api.requestListener(request, response)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    problemIn(await rawRequest((server.address() as AddressInfo).port, message(...PUT, 'abc')));
    assert.match(errors[0]?.message ?? '', /the body was read before the operation could/);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
accepted('in the async context of its request', async () => {
  const storage = new AsyncLocalStorage<string>();
  await serving(taking(async (body) => storage.run('mine', async () => {
    const stores = new Set<unknown>();
    for await (const _chunk of body) stores.add(storage.getStore());
    return [...stores];
  })), async ({ port }) => {
    assert.is((await rawRequest(port, message(...PUT, 'x'.repeat(500_000)))).body, '["mine"]');
  });
});
accepted.run();

const EXPECT = 'Expect: 100-continue';

const expected = suite('a client that waits to be asked for its bytes');
for (const [why, run, asked, status] of [
  ['is asked when they are read', all, true, 200],
  ['is not asked if they are not', () => 'unread', false, 200],
  ['is not asked if the operation refuses', () => { throw ApiError.argument('no'); }, false, 400],
  ['is asked before a stream that may be made of them', (body) => reply(200, body), true, 200],
  ['is not asked for an iteration behind the reply', (body) => {
    setTimeout(() => void readAll(body).catch(() => {}), 20);
    return 'unread';
  }, false, 200],
] as readonly (readonly [string, Run, boolean, number])[]) {
  expected(why, async () => {
    await serving(taking(run), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(head(...PUT, [EXPECT, 'Content-Length: 3']));
      const first = await client.response();
      assert.is(first.status, asked ? 100 : status);
      if (asked) {
        client.send('abc');
        assert.match((await client.response()).body, /abc/);
      } else {
        assert.is(await client.closed(), '');
      }
      client.destroy();
    });
  });
}
for (const framing of [[], ['Content-Length: 0']]) {
  expected(`is not asked for no bytes, before a stream, with [${framing.join()}]`, async () => {
    await serving(taking((body) => reply(200, body)), async ({ port }) => {
      assert.is((await rawRequest(port, head(...PUT, [EXPECT, ...framing]))).status, 200);
    });
  });
}
for (const [why, headers, status] of [
  ['another type', ['Content-Length: 3', 'Content-Type: text/plain'], 415],
  ['a length over the limit', ['Content-Length: 11', 'Content-Type: image/png'], 413],
] as const) {
  expected(`is not asked for ${why} -> ${status}`, async () => {
    await serving(taking(all, { types: ['image/png'] }), async ({ port }) => {
      assert.is((await rawRequest(port, head(...PUT, [EXPECT, ...headers]))).status, status);
    }, { limits: { bodyBytes: 10 } });
  });
}
expected.run();

const tooLong = suite('bytes over the limit');
for (const [why, run, logged] of [
  ['that the operation passes on', all, 1],
  ['that the operation hides', async (body) => {
    try {
      return await readAll(body);
    } catch {
      return 'hidden';
    }
  }, 0],
  ['of an operation that never ends', async (body) => readAll(body).catch(() => new Promise(() => {})), 0],
] as readonly (readonly [string, Run, number])[]) {
  tooLong(`${why}: the iteration throws, and the answer is 413, though the client still sends`, async () => {
    let thrown: unknown;
    let given = 0;
    const watched: Run = (body, request) => run((async function* () {
      try {
        for await (const chunk of body) {
          given += chunk.length;
          yield chunk;
        }
      } catch (error) {
        thrown = error;
        throw error;
      }
    })(), request);
    await serving(taking(watched), async ({ port, errors }) => {
      const client = await RawClient.connect(port);
      client.send(`${head(...PUT, ['Transfer-Encoding: chunked'])}7d000\r\n${'x'.repeat(512_000)}\r\n`);
      const answer = await client.response();
      assert.is(answer.status, 413);
      assert.is(problemIn(answer).detail, 'The body must not be longer than 300000 bytes.');
      assert.is(await client.closed(), '');
      await until(() => thrown !== undefined, 'the iteration to throw');
      assert.ok(thrown instanceof ApiError && thrown.status === 413);
      assert.ok(given <= 300_000);
      // What a Custom throws is logged.
      await until(() => errors.length === logged, 'the log');
      client.destroy();
    }, { limits: { bodyBytes: 300_000 } });
  });
}
tooLong('by their declared length: 413, and the operation is not invoked', async () => {
  let invoked = 0;
  await serving(taking(() => (invoked += 1)), async ({ port }) => {
    assert.is((await rawRequest(port, head(...PUT, ['Content-Length: 11']))).status, 413);
    assert.is(invoked, 0);
  }, { limits: { bodyBytes: 10 } });
});
tooLong('when the reply has begun: the connection is destroyed', async () => {
  await serving(taking((body) => reply(200, body)), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...PUT, ['Transfer-Encoding: chunked'])}3\r\nabc\r\n`);
    await until(() => client.unread.includes('abc'), 'the first chunk');
    client.send('8\r\n12345678\r\n0\r\n\r\n');
    assert.not.match(await client.closed(), /0\r\n\r\n$/);
    client.destroy();
  }, { limits: { bodyBytes: 10 } });
});
tooLong('of an operation that has a limit of its own, which may be longer than any JSON', async () => {
  const declare = (bodyBytes: number) => (server: ApiServer): void => server.registerEndpoint('/file', {
    id: stringId,
    custom: { put: { input: bytes(), limits: { bodyBytes }, run: () => 'begun' } },
  });
  await serving(declare(2 ** 40), async ({ port }) => {
    assert.is((await rawRequest(port, head(...PUT, [`Content-Length: ${2 ** 40}`]))).body, '"begun"');
    assert.is((await rawRequest(port, head(...PUT, [`Content-Length: ${2 ** 40 + 1}`]))).status, 413);
  });
  assert.throws(() => declare(2 ** 53)(new ApiServer('')), /limits.bodyBytes must be a whole number from 0 to 9007199254740991/);
});
tooLong('of exactly the limit are read', async () => {
  await serving(taking(all), async ({ port }) => {
    assert.is((await rawRequest(port, chunkedMessage(...PUT, '1234567890'))).body, '"1234567890"');
  }, { limits: { bodyBytes: 10 } });
});
tooLong.run();

const broken = suite('bytes that do not come to their end');
for (const [why, wait] of [
  ['the operation waits for them', 0],
  ['the operation does something else', 300],
] as const) {
  for (const [how, leave] of [
    ['resets the connection', (client: RawClient) => client.socket.resetAndDestroy()],
    ['ends it', (client: RawClient) => client.socket.end()],
  ] as const) {
    broken(`the client ${how}, and ${why}: the iteration throws within a second`, async () => {
      const begun = new Gate();
      const ended = new Gate();
      let thrown: unknown;
      const unhandled = await unhandledBy(() => serving(taking(async (body) => {
        try {
          for await (const _chunk of body) {
            begun.open();
            await after(wait);
          }
        } catch (error) {
          thrown = error;
        }
        ended.open();
      }), async ({ port }) => {
        const client = await RawClient.connect(port);
        client.send(`${head(...PUT, ['Content-Length: 1000000'])}begin`);
        await begun.passed;
        leave(client);
        await within(1000 + wait, ended.passed);
        assert.is((thrown as Error).message, 'Bad arguments: the client left before its body was read');
        client.destroy();
      }));
      assert.equal(unhandled, []);
    });
  }
}
broken('they take longer than limits.requestMs -> 408, and the iteration throws', async () => {
  let thrown: unknown;
  await serving(taking((body) => readAll(body).catch((error: unknown) => (thrown = error))), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...PUT, ['Content-Length: 10'])}begin`);
    assert.is((await client.response()).status, 408);
    await until(() => thrown !== undefined, 'the iteration to throw');
    client.destroy();
  }, { limits: { requestMs: 100 } });
});
broken('they take longer than limits.requestMs, and the reply has begun: the connection is destroyed', async () => {
  await serving(taking((body) => reply(200, body)), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...PUT, ['Content-Length: 100000'])}begin`);
    await until(() => client.unread.includes('begin'), 'the first chunk');
    assert.not.match(await client.closed(), /0\r\n\r\n$/);
    client.destroy();
  }, { limits: { requestMs: 100 } });
});
broken('they take longer than limits.operationMs -> 503, and the iteration throws', async () => {
  let thrown: unknown;
  await serving(taking((body) => readAll(body).catch((error: unknown) => (thrown = error))), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...PUT, ['Content-Length: 10'])}begin`);
    assert.is((await client.response()).status, 503);
    client.send('ended');
    await until(() => thrown !== undefined, 'the iteration to throw');
    client.destroy();
  }, { limits: { operationMs: 100 } });
});
broken.run();

const first: Run = async (body) => {
  for await (const _chunk of body) break;
  return 'first';
};

const unread = suite('bytes that the operation does not read to their end');
for (const [what, run] of [['none', () => 'none'], ['the first', first]] as readonly (readonly [string, Run])[]) {
  for (const [why, sent, isKept] of [
    ['a short body', message(...PUT, 'x'.repeat(60_000)), true],
    ['a short body in a request line\'s form', message(...PUT, message('GET', '/v1/good/666').repeat(100)), true],
    ['a long body', message(...PUT, 'x'.repeat(900_000)), false],
    ['a chunked body', chunkedMessage(...PUT, 'x'.repeat(500_000)), false],
  ] as const) {
    unread(`${what} of ${why}: answered, and the connection ${isKept ? 'is kept' : 'closes'}`, async () => {
      await serving(taking(run), async ({ port, errors }) => {
        const client = await RawClient.connect(port);
        client.send(sent + GOOD);
        assert.is((await client.response()).body, `"${what.replace('the ', '')}"`);
        const behind = await client.closed();
        assert.is(/\r\n\r\n"1"$/.test(behind), isKept);
        assert.not.match(behind, /666/);
        assert.equal(errors, []);
        client.destroy();
      });
    });
  }
}
unread('a rest that comes only after the reply: dropped, and the next request is answered', async () => {
  await serving(taking(first), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...PUT, ['Content-Length: 60000'])}begin`);
    assert.is((await client.response()).body, '"first"');
    client.send('x'.repeat(59_995) + GOOD);
    assert.is((await client.response()).body, '"1"');
    client.destroy();
  });
});
unread('an iteration that goes on behind the reply throws', async () => {
  let thrown: unknown;
  await serving(taking((body) => {
    readAll(body).catch((error: unknown) => (thrown = error));
    return 'at once';
  }), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${head(...PUT, ['Content-Length: 10'])}begin`);
    assert.is((await client.response()).body, '"at once"');
    await until(() => thrown !== undefined, 'the iteration to throw');
    assert.is((thrown as Error).message, 'Bad arguments: the reply was given before the body was read');
    client.send('ended' + GOOD);
    assert.is((await client.response()).body, '"1"');
    client.destroy();
  });
});
unread.run();

const MIB = 2 ** 20;

const paced = suite('how fast bytes are read');
paced('no faster than they are iterated: the client has to wait', async () => {
  const gate = new Gate();
  await serving(taking(async (body) => {
    for await (const _chunk of body) break;
    await gate.passed;
    return (await readAll(body)).length;
  }), async ({ port }) => {
    const client = connect(port, '127.0.0.1');
    const total = 64 * MIB;
    client.write(head(...PUT, [`Content-Length: ${total}`]));
    let sent = 0;
    const send = (): void => {
      while (sent < total && client.write(Buffer.alloc(MIB))) sent += MIB;
    };
    client.on('drain', () => ((sent += MIB), send()));
    send();
    for (let before = -1; before !== sent; await after(50)) before = sent;
    assert.ok(sent < total / 2, `${sent} bytes were taken`);
    gate.open();
    const [answer] = await once(client, 'data') as [Buffer];
    assert.match(answer.toString(), /^HTTP\/1\.1 200 OK\r\n/);
    client.destroy();
  }, { limits: { bodyBytes: 64 * MIB } });
});
paced('192 MiB into a file and out of it again: the same bytes, and little memory', async () => {
  await inTemporaryFolder(async (folder) => {
    const file = join(folder, 'upload');
    const declare = (server: ApiServer): void => server.registerEndpoint('/file', defineEndpoint({
      id: stringId,
      get: () => reply(200, createReadStream(file)),
      custom: { put: { input: bytes(), run: (body) => pipeline(body, createWriteStream(file)).then(() => 'stored') } },
    }));
    await serving(declare, async ({ port, url }) => {
      const piece = randomBytes(MIB);
      const sum = createHash('sha256');
      // What is not collected yet counts too.
      let most = 0;
      const before = process.memoryUsage().arrayBuffers;
      const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 1);
      const client = await RawClient.connect(port);
      client.send(head(...PUT, [`Content-Length: ${192 * MIB}`]));
      for (let sent = 0; sent < 192; sent += 1) {
        piece.writeUInt32LE(sent);
        sum.update(piece);
        if (!client.socket.write(Buffer.from(piece))) await once(client.socket, 'drain');
      }
      assert.is((await client.response()).body, '"stored"');
      clearInterval(timer);
      client.destroy();
      const got = createHash('sha256');
      for await (const chunk of (await fetch(`${url}/v1/file/1`)).body ?? []) got.update(chunk);
      assert.is(got.digest('hex'), sum.digest('hex'));
      assert.ok(most - before < 64 * MIB, `${most - before} bytes`);
    }, { limits: { bodyBytes: 192 * MIB } });
  });
});
paced.run();
