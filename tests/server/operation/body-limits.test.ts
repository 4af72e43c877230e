/** Bodies that are too long, and bodies that are not read: no byte of them is read as a request. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringId, type ApiServer } from '../../../src/index.ts';
import { ANT } from '../../support/deliveries.ts';
import { after } from '../../support/gate.ts';
import { chunkedMessage, head, message, problemIn, type MakeMessage } from '../../support/messages.ts';
import { RawClient, rawRequest, rawUntilClosed } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { IS_TLS } from '../../support/transport.ts';
import { Zoo } from '../../support/zoo.ts';

const FRAMINGS: readonly (readonly [framing: string, makeMessage: MakeMessage])[] = [
  ['with a length', message],
  ['chunked', chunkedMessage],
];

const tooLong = suite('a body over the limit');
for (const [framing, makeMessage] of FRAMINGS) {
  for (const [bodyBytes, status] of [
    [ANT.length, 201],
    [ANT.length - 1, 413],
    [1, 413],
    [0, 413],
  ] as const) {
    for (const [method, target] of [['POST', '/v1/pet'], ['PUT', '/v1/pet/1']] as const) {
      const expected = status === 201 && method === 'PUT' ? 204 : status;
      tooLong(`${method} of ${ANT.length} bytes, ${framing}, with a limit of ${bodyBytes} -> ${expected}`, async () => {
        const zoo = new Zoo();
        zoo.pets.set(1, { name: 'bee', legs: 6 });
        await serving(zoo.register, async ({ port }) => {
          const response = await rawRequest(port, makeMessage(method, target, ANT));
          assert.is(response.status, expected);
          assert.is(zoo.invoked, status === 413 ? 0 : 1);
          if (status === 413) assert.is(problemIn(response).detail, `The body must not be longer than ${bodyBytes} bytes.`);
        }, { limits: { bodyBytes } });
      });
    }
  }
  tooLong(`${framing}, of an operation that takes no input -> 200, since it is ignored`, async () => {
    const zoo = new Zoo();
    await serving(zoo.register, async ({ port }) => {
      assert.is((await rawRequest(port, makeMessage('POST', '/v1/pet/count', 'null'))).status, 200);
      assert.is(zoo.invoked, 1);
    }, { limits: { bodyBytes: 3 } });
  });
  tooLong(`${framing} -> 413, then the connection closes, and the next request gets no response`, async () => {
    const zoo = new Zoo();
    await serving(zoo.register, async ({ port }) => {
      const got = await rawUntilClosed(port, makeMessage('POST', '/v1/pet', ANT) + message('GET', '/v1/pet/1'));
      assert.equal(got.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 413']);
      assert.match(got, /\r\nConnection: close\r\n/);
      assert.is(zoo.invoked, 0);
    }, { limits: { bodyBytes: 8 } });
  });
}
tooLong('is rejected by its declared length, before any of it was sent', async () => {
  await serving(new Zoo().register, async ({ port }) => {
    problemIn(await rawRequest(port, head('POST', '/v1/pet', ['Content-Length: 9'])));
  }, { limits: { bodyBytes: 8 } });
});
tooLong('is rejected as soon as the received bytes exceed the limit', async () => {
  await serving(new Zoo().register, async ({ port }) => {
    const sent = `${head('POST', '/v1/pet', ['Transfer-Encoding: chunked'])}9\r\n[12345678`;
    assert.is((await rawRequest(port, sent)).status, 413);
  }, { limits: { bodyBytes: 8 } });
});
tooLong('is longer than 1 MiB by default', async () => {
  const zoo = new Zoo();
  await serving(zoo.register, async ({ port }) => {
    const padded = ANT.padEnd(2 ** 20);
    assert.is((await rawRequest(port, message('POST', '/v1/pet', padded))).status, 201);
    assert.is((await rawRequest(port, message('POST', '/v1/pet', `${padded} `))).status, 413);
    assert.is(zoo.invoked, 1);
  });
});
tooLong.run();

const LONG = Buffer.alloc(8 * 2 ** 20, ' ');
// TLS takes most of the time, and closes as TCP does.
const ROUNDS = IS_TLS ? 5 : 20;

const stillSending = suite('a client that goes on sending 8 MiB');
for (const [method, target, status, invoked] of [
  ['POST', '/v1/pet', 413, 0],
  ['GET', '/v1/pet/1', 200, ROUNDS],
  ['HEAD', '/v1/pet/1', 200, ROUNDS],
  ['DELETE', '/v1/pet/1', 204, ROUNDS],
] as const) {
  for (const [framing, before, after] of [
    ['with a length', head(method, target, [`Content-Length: ${LONG.length}`]), ''],
    ['chunked', `${head(method, target, ['Transfer-Encoding: chunked'])}${LONG.length.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
  ] as const) {
    for (const [when, readsLate] of [['while it sends', false], ['only when all is sent', true]] as const) {
      stillSending(`${method}, ${framing}, and reads ${when}: the ${status} is read in ${ROUNDS} rounds of ${ROUNDS}`, async () => {
        const zoo = new Zoo();
        await serving(zoo.register, async ({ port }) => {
          for (let round = 0; round < ROUNDS; round += 1) {
            zoo.pets.set(1, { name: 'ant', legs: 6 });
            const client = await RawClient.connect(port);
            try {
              if (readsLate) client.socket.pause();
              client.send(before);
              client.send(LONG);
              await new Promise<void>((resolve, reject) => {
                client.socket.write(after, 'latin1', (error) => (error ? reject(error) : resolve()));
              });
              client.socket.resume();
              assert.is((await client.response(method)).status, status);
              assert.is(await client.closed(), '');
            } finally {
              client.destroy();
            }
          }
          assert.is(zoo.invoked, invoked);
        }, { limits: { bodyBytes: 100 } });
      });
    }
  }
}
stillSending.run();

const DISGUISED = message('GET', '/v1/pet/666');

const unwanted = suite('an unread body that looks like a request');
for (const [framing, makeMessage] of FRAMINGS) {
  for (const [length, text] of [['short', DISGUISED], ['long', DISGUISED.repeat(4000)]] as const) {
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
      unwanted(`${length}, ${framing}: ${[method, target, ...headers].join(' ')} -> ${status}, and the body is not read as a request`, async () => {
        const asked: number[] = [];
        const zoo = new Zoo();
        zoo.pets.get = (id) => {
          asked.push(id);
          return { name: 'ant', legs: 6 };
        };
        await serving(zoo.register, async ({ port }) => {
          const next = message('GET', '/v1/pet/2', '', ['Connection: close']);
          const client = await RawClient.connect(port);
          try {
            client.send(makeMessage(method, target, text, headers) + next);
            assert.is((await client.response(method)).status, status);
            // Either the connection stayed open and the next request got its response, or it was closed.
            assert.ok(['', 'HTTP/1.1 200'].includes((await client.closed()).slice(0, 12)));
          } finally {
            client.destroy();
          }
          assert.not.ok(asked.includes(666));
        });
      });
    }
  }
}
unwanted('that arrives after the response is not read as a request either', async () => {
  const zoo = new Zoo();
  await serving(zoo.register, async ({ port }) => {
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
      server.registerEndpoint('/late', { id: stringId, get: (id) => after(20).then(() => id) });
    };
    await serving(declare, async ({ port }) => {
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
