/** Requests on one connection: the order in which they start, and that of their responses. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { delay, countRequests, Gate, waitUntil } from '../../support/wait.ts';
import { RawClient } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';

/** Get responds at once, or later if its id says so. `begun` and `ended` record the order of its calls. */
function declareOrdered(begun: string[], ended: string[], gate = new Gate()): (server: ApiServer) => void {
  return (server) => {
    server.registerEndpoint('/item', defineEndpoint({
      id: stringId,
      schema: (json: unknown) => json,
      get: (id) => {
        begun.push(id);
        if (!id.startsWith('later')) return ended.push(id), id;
        return (id.startsWith('later-gate') ? gate.passed : delay(5)).then(() => (ended.push(id), id));
      },
      update: (id, item) => void begun.push(`${id}=${String(item)}`),
    }));
    server.mount('/mount', (request, response) => {
      begun.push('mount');
      setTimeout(() => (ended.push('mount'), response.end(JSON.stringify(`mount${request.url}`))), 5);
    });
  };
}

const get = (id: string): string => `GET /v1/item/${id} HTTP/1.1\r\nHost: a\r\n\r\n`;
const put = (id: string, json: string): string => {
  return `PUT /v1/item/${id} HTTP/1.1\r\nHost: a\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
};

const pipeline = suite('C1: requests pipelined on one connection');
for (const [ids, why] of [
  [['1', '2', '3', '4', '5'], 'all with a response at once'],
  [['later-1', 'later-2', 'later-3'], 'all with a later response'],
  [['later-1', '2', 'later-3', '4', '5', 'later-6'], 'some at once, some later'],
] as const) {
  pipeline(`${why}: each starts after the response to the one before it, and all get their responses in order`, async () => {
    const begun: string[] = [];
    const ended: string[] = [];
    await serve(declareOrdered(begun, ended), async ({ port }) => {
      const client = await RawClient.send(port, ids.map(get).join(''));
      for (const id of ids) assert.is((await client.response()).body, JSON.stringify(id));
      assert.equal(begun, ids);
      assert.equal(ended, ids);
    });
  });
}
pipeline('an operation that responds at once starts while earlier responses are still being sent', async () => {
  const turns: number[] = [];
  let turn = 0;
  const declare = (server: ApiServer): void => {
    server.registerEndpoint('/item', defineEndpoint({ id: stringId, get: (id) => {
      if (turns.length === 0) setImmediate(() => (turn += 1));
      turns.push(turn);
      return id;
    } }));
  };
  await serve(declare, async ({ port }) => {
    const client = await RawClient.send(port, ['1', '2', '3', '4'].map(get).join(''));
    for (const id of ['1', '2', '3', '4']) assert.is((await client.response()).body, JSON.stringify(id));
    assert.equal(turns, [0, 0, 0, 0]);
  });
});
pipeline('with a concurrency limit, each waits until the response before it has been sent', async () => {
  await serve(declareOrdered([], []), async ({ port }) => {
    const client = await RawClient.send(port, ['1', '2', '3'].map(get).join(''));
    for (const id of ['1', '2', '3']) assert.is((await client.response()).body, JSON.stringify(id));
  }, { limits: { inFlight: 1 } });
});
pipeline('a parse error in a body gets its 400 after the responses that are still being sent', async () => {
  await serve(declareOrdered([], []), async ({ port }) => {
    const client = await RawClient.connect(port, false);
    client.send(`${get('1')}${get('2')}PUT /v1/item/3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nbroken`);
    assert.is((await client.response()).body, '"1"');
    assert.is((await client.response()).body, '"2"');
    assert.is((await client.response()).status, 400);
    assert.is(await client.closed(), '');
  });
});
pipeline('a mount whose head Node rejects gets its 500 after the responses that are still being sent', async () => {
  const declare = (server: ApiServer): void => {
    declareOrdered([], [])(server);
    server.mount('/broken', (_request, response) => response.writeHead(200, { X: 'a\r\nb' }));
  };
  await serve(declare, async ({ port, errors }) => {
    const client = await RawClient.send(port, `${get('1')}${get('2')}GET /broken HTTP/1.1\r\nHost: a\r\n\r\n`, false);
    assert.is((await client.response()).body, '"1"');
    assert.is((await client.response()).body, '"2"');
    assert.is((await client.response()).status, 500);
    assert.is(await client.closed(), '');
    assert.is(errors.length, 1);
  });
});
pipeline('requests with bodies and requests to mounts get their responses in order too', async () => {
  const begun: string[] = [];
  await serve(declareOrdered(begun, []), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(`${get('later-1')}${put('2', '"two"')}GET /mount/x HTTP/1.1\r\nHost: a\r\n\r\n${put('4', '4')}${get('5')}`);
    assert.is((await client.response()).body, '"later-1"');
    assert.is((await client.response()).status, 204);
    assert.is((await client.response()).body, '"mount/x"');
    assert.is((await client.response()).status, 204);
    assert.is((await client.response()).body, '"5"');
    assert.equal(begun, ['later-1', '2=two', 'mount', '4=4', '5']);
  });
});
pipeline('a response that closes the connection, without a body, is sent after the one before it', async () => {
  await serve(declareOrdered([], []), async ({ port }) => {
    const client = await RawClient.send(port, `${get('1')}HEAD /v1/item/2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1`);
    assert.is((await client.response()).body, '"1"');
    assert.is((await client.response('HEAD')).headers.get('connection'), 'close');
  });
});
pipeline('five thousand after a slow one get their responses in order', async () => {
  const begun: string[] = [];
  const gate = new Gate();
  await serve(declareOrdered(begun, [], gate), async ({ port }) => {
    const client = await RawClient.connect(port);
    const ids = Array.from({ length: 5000 }, (_, index) => `${index}`);
    client.send(['later-gate', ...ids].map(get).join(''));
    await waitUntil(() => begun.length === 1, 'the first to begin');
    await delay(50);
    assert.equal(begun, ['later-gate']);
    gate.open();
    assert.is((await client.response()).body, '"later-gate"');
    for (const id of ids) assert.is((await client.response()).body, JSON.stringify(id));
  });
});
pipeline('reading pauses if a client pipelines without end', async () => {
  const gate = new Gate();
  await countRequests(async (received) => {
    await serve(declareOrdered([], [], gate), async ({ port }) => {
      const client = await RawClient.connect(port);
      const batch = Buffer.from(get('x').repeat(10_000));
      client.send(get('later-gate'));
      for (let sent = 0; sent < 20; sent += 1) client.socket.write(batch);
      await delay(300);
      assert.is(received(), 17);
      client.destroy();
      gate.open();
    });
  });
});
pipeline('a request does not start after a response after which Node closes', async () => {
  const begun: string[] = [];
  const declare = (server: ApiServer): void => {
    declareOrdered(begun, [])(server);
    server.mount('/at-once', (request, response) => response.end(request.url));
  };
  await serve(declare, async ({ port }) => {
    const client = await RawClient.connect(port);
    // With this many chunks Node ends its side between the last two requests, although it reads all of it at once.
    const chunks = ['1\r\nx\r\n', '1\r\nx\r\n', '1\r\nx\r\n', '1\r\nx\r\n', '0\r\nX-Trailer: x\r\n\r\n'].join('');
    const post = `POST /at-once HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
    const unmet = 'HEAD /nowhere HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n';
    client.send(`${post}${post}${unmet}${get('later')}`);
    for (const [method, status] of [['POST', 200], ['POST', 200], ['HEAD', 404]] as const) assert.is((await client.response(method)).status, status);
    assert.is(await client.closed(), '');
    await delay(20);
    assert.equal(begun, []);
  });
});
for (const [method, why] of [['PUT', 'which Node closes after'], ['GET', 'which keeps the connection']] as const) {
  pipeline(`after a response to HTTP/1.0 ${why}: the next request ${method === 'PUT' ? 'does not start' : 'starts'}`, async () => {
    const begun: string[] = [];
    await serve(declareOrdered(begun, []), async ({ port }) => {
      const client = await RawClient.connect(port);
      const first = method === 'PUT' ? put('1', '1') : get('1');
      client.send(first.replace('HTTP/1.1\r\n', 'HTTP/1.0\r\nConnection: keep-alive\r\n') + get('2'));
      assert.ok((await client.response()).status < 300);
      if (method === 'PUT') assert.is(await client.closed(), '');
      else assert.is((await client.response()).body, '"2"');
      assert.equal(begun, method === 'PUT' ? ['1=1'] : ['1', '2']);
    });
  });
}

for (const [why, first, status] of [
  ['to HTTP/1.0 without a length', 'PUT /v1/item/1 HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\n"1"', 204],
  ['of a mount that says Connection: close', get('').replace('/v1/item/', '/last'), 200],
] as const) {
  pipeline(`after a response ${why}: bytes that are not a request get no second response`, async () => {
    const declare = (server: ApiServer): void => {
      declareOrdered([], [])(server);
      server.mount('/last', (_request, response) => response.setHeader('Connection', 'close').end('last'));
    };
    await serve(declare, async ({ port }) => {
      const client = await RawClient.send(port, `${first}nonsense\r\n\r\n`);
      const response = await client.response();
      assert.equal([response.status, response.headers.get('connection')], [status, 'close']);
      assert.is(await client.closed(), '');
    });
  });
}
pipeline('requests that wait when their client leaves do not start', async () => {
  const begun: string[] = [];
  const gate = new Gate();
  await countRequests(async (received) => {
    await serve(declareOrdered(begun, [], gate), async ({ port }) => {
      const client = await RawClient.send(port, `${get('later-gate')}${get('2')}${get('3')}`);
      await waitUntil(() => received() === 3, 'all three');
      client.destroy();
      await delay(50);
      gate.open();
      await delay(20);
      assert.equal(begun, ['later-gate']);
    });
  });
});
pipeline.run();

const lingering = suite('a lingering close');

lingering('ends when the client has sent nothing for a while, and frees its place under limits.connections', async () => {
  await serve(declareOrdered([], []), async ({ port }) => {
    const client = await RawClient.send(port, 'nonsense\r\n\r\n');
    assert.is((await client.response()).status, 400);
    const statuses: (number | string)[] = [];
    for (let tries = 0; tries < 6000 && !statuses.includes(200); tries += 1) {
      const other = await RawClient.send(port, get('1'));
      statuses.push(await other.response().then(({ status }) => status, () => 'closed'));
      other.destroy();
      await delay(50);
    }
    assert.is(statuses[0], 'closed');
    assert.is(statuses.at(-1), 200);
  }, { limits: { connections: 1 } });
});
lingering('lasts for as long as the client sends, so that the client can read its response at the end', async () => {
  await serve(declareOrdered([], []), async ({ port }) => {
    const client = await RawClient.send(port, 'nonsense\r\n\r\n');
    for (let tries = 0; tries < 15; tries += 1) {
      await delay(100);
      client.send('x'.repeat(1000));
    }
    assert.is((await client.response()).status, 400);
    assert.is(await client.closed(), '');
  });
});
lingering.run();

const broken = suite('a parse error in a body');

broken('after the response has started: the connection is destroyed, since the response may never end', async () => {
  const declare = (server: ApiServer): void => {
    server.mount('/echo', (request, response) => void request.pipe(response));
  };
  await serve(declare, async ({ port }) => {
    const client = await RawClient.send(port, 'POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n', false);
    await waitUntil(() => client.unread.includes('abc'), 'the first chunk to come back');
    client.send('nonsense\r\n');
    assert.not.match(await client.closed(), /\r\n0\r\n\r\n$/);
  });
});
broken.run();

const destroyed = suite('a socket that the user destroys');

for (const [error, why] of [
  [new DOMException('no more', 'AbortError'), 'whose code is a number'],
  [new Error('no more'), 'without a code'],
] as const) {
  destroyed(`with an error ${why}: the connection closes, and the server goes on`, async () => {
    const declare = (server: ApiServer): void => {
      server.registerEndpoint('/item', { id: stringId, get: (id, { raw }) => id === 'bad' ? void raw.socket.destroy(error) : id });
    };
    await serve(declare, async ({ port }) => {
      const client = await RawClient.send(port, get('bad'), false);
      assert.is(await client.closed(), '');
      const other = await RawClient.send(port, get('good'));
      assert.is((await other.response()).body, '"good"');
    });
  });
}
destroyed.run();

const early = suite('a response before the body of its request');
for (const [framing, connection] of [
  ['Content-Length: 65536', 'keep-alive'],
  ['Content-Length: 65537', 'close'],
  ['Transfer-Encoding: chunked', 'close'],
] as const) {
  early(`${framing} -> Connection: ${connection}`, async () => {
    await serve(declareOrdered([], []), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(`POST /v1/nothing HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n`);
      const { status, headers } = await client.response();
      assert.equal([status, headers.get('connection')], [404, connection]);
      if (connection === 'close') {
        assert.is(await client.closed(), '');
      } else {
        client.send('x'.repeat(65_536) + get('next'));
        assert.is((await client.response()).body, '"next"');
      }
      client.destroy();
    });
  });
}
early.run();
