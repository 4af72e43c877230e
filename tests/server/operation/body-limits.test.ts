/** Bodies that are too long, and bodies that are not read: no byte of them is read as a request. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiServer } from '../../../src/index.ts';
import { ANT } from '../../support/deliveries.ts';
import { delay } from '../../support/wait.ts';
import { sendLongBodies } from '../../support/long-body.ts';
import { chunkedMessage, head, message, readProblem, type MakeMessage } from '../../support/messages.ts';
import { RawClient, send, sendUntilClosed } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { Zoo } from '../../support/zoo.ts';

const FRAMINGS: readonly (readonly [framing: string, makeMessage: MakeMessage])[] = [
  ['with a length', message],
  ['chunked', chunkedMessage],
];

const tooLong = suite('B4: a body over the limit');
for (const [framing, makeMessage] of FRAMINGS) {
  for (const [method, target, bodyBytes, status] of [
    ['POST', '/v1/pet', ANT.length, 201],
    ['POST', '/v1/pet', ANT.length - 1, 413],
    ['PUT', '/v1/pet/1', 1, 413],
    ['PUT', '/v1/pet/1', 0, 413],
  ] as const) {
    tooLong(`${method} of ${ANT.length} bytes, ${framing}, with a limit of ${bodyBytes} -> ${status}`, async () => {
      const zoo = new Zoo();
      await serve(zoo.register, async ({ port }) => {
        const response = await send(port, makeMessage(method, target, ANT));
        assert.is(response.status, status);
        assert.is(zoo.invoked, status === 413 ? 0 : 1);
        if (status === 413) assert.is(readProblem(response).detail, `The body must not be longer than ${bodyBytes} bytes.`);
      }, { limits: { bodyBytes } });
    });
  }
  tooLong(`${framing}, of an operation that takes no input -> 200, since it is ignored`, async () => {
    const zoo = new Zoo();
    await serve(zoo.register, async ({ port }) => {
      assert.is((await send(port, makeMessage('POST', '/v1/pet/count', 'null'))).status, 200);
      assert.is(zoo.invoked, 1);
    }, { limits: { bodyBytes: 3 } });
  });
  tooLong(`${framing} -> 413, then the connection closes, and the next request gets no response`, async () => {
    const zoo = new Zoo();
    await serve(zoo.register, async ({ port }) => {
      const got = await sendUntilClosed(port, makeMessage('POST', '/v1/pet', ANT) + message('GET', '/v1/pet/1'));
      assert.equal(got.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 413']);
      assert.match(got, /\r\nConnection: close\r\n/);
      assert.is(zoo.invoked, 0);
    }, { limits: { bodyBytes: 8 } });
  });
}
tooLong('is rejected by its declared length, before any of it was sent', async () => {
  await serve(new Zoo().register, async ({ port }) => {
    readProblem(await send(port, head('POST', '/v1/pet', ['Content-Length: 9'])));
  }, { limits: { bodyBytes: 8 } });
});
tooLong('is rejected as soon as the received bytes exceed the limit', async () => {
  await serve(new Zoo().register, async ({ port }) => {
    const sent = `${head('POST', '/v1/pet', ['Transfer-Encoding: chunked'])}9\r\n[12345678`;
    assert.is((await send(port, sent)).status, 413);
  }, { limits: { bodyBytes: 8 } });
});
tooLong('is longer than 1 MiB by default', async () => {
  const zoo = new Zoo();
  await serve(zoo.register, async ({ port }) => {
    const padded = ANT.padEnd(2 ** 20);
    assert.is((await send(port, message('POST', '/v1/pet', padded))).status, 201);
    assert.is((await send(port, message('POST', '/v1/pet', `${padded} `))).status, 413);
    assert.is(zoo.invoked, 1);
  });
});
tooLong.run();

const stillSending = suite('B4: a client that goes on sending 8 MiB');
for (const [method, target, status, invoked] of [
  ['POST', '/v1/pet', 413, 0],
  ['GET', '/v1/pet/1', 200, 4],
  ['HEAD', '/v1/pet/1', 200, 4],
  ['DELETE', '/v1/pet/1', 204, 4],
] as const) {
  stillSending(`${method}, in any framing, and reads while it sends or later: the ${status} is read`, async () => {
    const zoo = new Zoo();
    const before = (): void => void zoo.pets.set(1, { name: 'ant', legs: 6 });
    await serve(zoo.register, async ({ port }) => {
      await sendLongBodies(port, method, target, (response) => assert.is(response.status, status), before);
      assert.is(zoo.invoked, invoked);
    }, { limits: { bodyBytes: 100 } });
  });
}
stillSending.run();

const DISGUISED = message('GET', '/v1/pet/666');

const unwanted = suite('B10: an unread body that looks like a request');
for (const [method, target, headers, status] of [
  ['GET', '/v1/pet/1', [], 200],
  ['HEAD', '/v1/pet/1', [], 200],
  ['DELETE', '/v1/pet/1', [], 204],
  ['OPTIONS', '/v1/pet', [], 200],
  ['OPTIONS', '/v1/pet/1', [], 200],
  ['PATCH', '/v1/pet/1', [], 405],
  ['POST', '/v1/nowhere', [], 404],
  ['POST', '/v1/pet', ['Content-Type: text/plain'], 415],
  ['PUT', '/v1/pet/one', [], 400],
] as const) {
  unwanted(`${[method, target, ...headers].join(' ')} -> ${status}, and the body, short or long, is not read as a request`, async () => {
    const asked: number[] = [];
    const zoo = new Zoo();
    zoo.pets.get = (id) => {
      asked.push(id);
      return { name: 'ant', legs: 6 };
    };
    await serve(zoo.register, async ({ port }) => {
      for (const [, makeMessage] of FRAMINGS) {
        for (const body of [DISGUISED, DISGUISED.repeat(4000)]) {
          const next = message('GET', '/v1/pet/2', '', ['Connection: close']);
          const client = await RawClient.connect(port);
          try {
            client.send(makeMessage(method, target, body, headers) + next);
            assert.is((await client.response(method)).status, status);
            // Either the connection stayed open and the next request got its response, or it was closed.
            assert.ok(['', 'HTTP/1.1 200'].includes((await client.closed()).slice(0, 12)));
          } finally {
            client.destroy();
          }
          assert.not.ok(asked.includes(666));
        }
      }
    });
  });
}
unwanted('that arrives after the response is not read as a request either', async () => {
  const zoo = new Zoo();
  await serve(zoo.register, async ({ port }) => {
    const client = await RawClient.connect(port);
    try {
      client.send(head('GET', '/v1/pet/1', [`Content-Length: ${DISGUISED.length}`]));
      assert.is((await client.response()).status, 404);
      client.send(DISGUISED + message('GET', '/v1/pet/2', '', ['Connection: close']));
      assert.is((await client.response()).status, 404);
      assert.is(await client.closed(), '');
    } finally {
      client.destroy();
    }
    assert.is(zoo.invoked, 2);
  });
});
unwanted.run();

const whole = suite('a chunked body that is received before its turn');
for (const [bodyBytes, status] of [[22, 413], [23, 200]] as const) {
  whole(`23 bytes with a limit of ${bodyBytes} -> ${status}`, async () => {
    const zoo = new Zoo();
    const declare = (server: ApiServer): void => {
      zoo.register(server);
      server.registerEndpoint('/late', { id: stringId, get: (id) => delay(20).then(() => id) });
    };
    await serve(declare, async ({ port }) => {
      const client = await RawClient.connect(port);
      const late = 'GET /v1/late/1 HTTP/1.1\r\nHost: a\r\n\r\n';
      const head = 'POST /v1/pet/feed HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
      client.send(`${late}${head}c\r\n           1\r\nb\r\n2          \r\n0\r\n\r\n`);
      assert.is((await client.response()).status, 200);
      assert.is((await client.response()).status, status);
      assert.is(zoo.invoked, status === 200 ? 1 : 0);
      client.destroy();
    }, { limits: { bodyBytes } });
  });
}
whole.run();
