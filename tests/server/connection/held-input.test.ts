/** Input behind the requests that wait: it is held as bytes, and nothing of it is lost, reordered or read as something else. */
import { defineEndpoint, stringId, type ApiServer } from '../../../src/index.ts';
import { makeEchoHandler, SWITCHED, makeUpgrade } from '../../support/upgrades.ts';
import { assert, chunkedMessage, delay, Gate, head, message, RawClient, runFor, serve, suite, waitUntil } from '../../support/facts.ts';

// Longer than reading is paused before the server takes no more requests.
const STALL_MS = 1200;

/** Items of which the one called `slow` waits for a gate. `begun` has the operations in their order. */
class Items {
  readonly gate = new Gate();
  readonly begun: string[] = [];

  readonly register = (server: ApiServer): void => {
    server.registerEndpoint('/item', defineEndpoint({
      id: stringId,
      schema: String,
      create: (text) => (this.begun.push(text), text),
      get: (id) => {
        this.begun.push(id);
        return id === 'slow' ? this.gate.passed.then(() => id) : id;
      },
    }));
    server.mount('/mount', (request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += chunk)).on('end', () => {
        this.begun.push(text);
        response.end(text);
      });
    });
  };
}

const get = (id: string): string => message('GET', `/v1/item/${id}`);
const SLOW = get('slow');
// More than are parsed ahead, and fewer bytes than make reading pause.
const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);
const SMUGGLED = message('GET', '/v1/item/smuggled');
// What each of the requests in turn looks like, and what its response has.
const FORMS = [
  (name: string) => [get(name), JSON.stringify(name)],
  (name: string) => [message('POST', '/v1/item', JSON.stringify(name)), name],
  (name: string) => [chunkedMessage('POST', '/v1/item', JSON.stringify(name)), name],
  (name: string) => [message('POST', '/mount', SMUGGLED + name), SMUGGLED + name],
  (name: string) => [chunkedMessage('POST', '/mount', name + SMUGGLED), name + SMUGGLED],
] as const;

async function waitUntilBegun({ begun }: Items): Promise<void> {
  await waitUntil(() => begun.length === 1, 'the first to begin');
}

const held = suite('C20: requests after a slow one');
for (const [how, sizes] of [['in one piece', []], ['in pieces of 7 bytes', [7]], ['in pieces of 1 to 400 bytes', [400, 1, 90, 2, 13]]] as const) {
  held(`300 of all forms, sent ${how}: get their responses in order`, async () => {
    const items = new Items();
    await serve(items.register, async ({ port }) => {
      const client = await RawClient.connect(port);
      const requests = names(300).map((name, index) => FORMS[index % FORMS.length]?.(name) ?? []);
      const bytes = requests.map(([sent]) => sent).join('');
      client.send(SLOW);
      await waitUntilBegun(items);
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? bytes.length;
        client.send(bytes.slice(at, at + size));
        at += size;
        // Some of it arrives before the slow one ends, and some after.
        if (turn === 20) await delay(20);
        if (turn === 500) items.gate.open();
      }
      await delay(20);
      items.gate.open();
      assert.is((await client.response()).body, '"slow"');
      for (const [, body] of requests) assert.is((await client.response()).body, body);
      assert.is(items.begun.includes('smuggled'), false);
      client.send(get('next'));
      assert.is((await client.response()).body, '"next"');
    });
  });
}
held('at most 17 are parsed before the slow one ends', async () => {
  const items = new Items();
  await serve(items.register, async ({ port, received }) => {
    const client = await RawClient.send(port, SLOW + names(300).map(get).join(''));
    await waitUntil(() => received() >= 17, 'the requests behind the slow one');
    await delay(50);
    assert.is(received(), 17);
    items.gate.open();
    for (let count = 0; count < 301; count += 1) await client.response();
  });
});
held('later than limits.requestMs: get responses, since they came in time; a body that then does not arrive gets 408', async () => {
  const items = new Items();
  await serve(items.register, async ({ port }) => {
    const client = await RawClient.connect(port);
    const last = message('POST', '/mount', 'x'.repeat(100)).slice(0, -1);
    // The parser stops after the head of the last one.
    client.send(SLOW + names(15).map(get).join('') + last);
    await runFor(4000);
    items.gate.open();
    for (const name of ['slow', ...names(15)]) assert.is((await client.response()).body, JSON.stringify(name));
    assert.is((await client.response()).status, 408);
    assert.is(await client.closed(), '');
  }, { limits: { requestMs: 2000, headersMs: 2000 } });
});
for (const [what, last, status] of [
  ['a head that is not valid', 'nonsense\r\n\r\n', undefined],
  ['a body with a broken chunk', `${head('POST', '/v1/item', ['Transfer-Encoding: chunked'])}broken`, 400],
  ['a CONNECT', head('CONNECT', 'a:80'), undefined],
] as const) {
  held(`and after a hundred others ${what}: those before it get their responses, and the connection closes`, async () => {
    const items = new Items();
    await serve(items.register, async ({ port }) => {
      const client = await RawClient.send(port, SLOW + names(100).map(get).join('') + last);
      await waitUntilBegun(items);
      await delay(20);
      items.gate.open();
      for (const name of ['slow', ...names(100)]) assert.is((await client.response()).body, JSON.stringify(name));
      if (status !== undefined) assert.is((await client.response()).status, status);
      assert.is(await client.closed(), '');
      assert.equal(items.begun, ['slow', ...names(100)]);
    });
  });
}
held('and after a hundred others an upgrade: its handler gets the socket, and the bytes that follow', async () => {
  const items = new Items();
  const register = (server: ApiServer): void => {
    items.register(server);
    server.registerUpgrade('/echo', makeEchoHandler());
  };
  await serve(register, async ({ port }) => {
    const client = await RawClient.send(port, `${SLOW}${names(100).map(get).join('')}${makeUpgrade('/echo')}early`);
    await waitUntilBegun(items);
    await delay(20);
    items.gate.open();
    for (const name of ['slow', ...names(100)]) assert.is((await client.response()).body, JSON.stringify(name));
    assert.is(await client.bytes(SWITCHED.length + 5), `${SWITCHED}early`);
    client.send('late');
    assert.is(await client.bytes(4), 'late');
  });
});
held('that take longer than reading is paused: those that are held get responses, except one whose body is partial, and the last one closes', async () => {
  const items = new Items();
  await serve(items.register, async ({ port }) => {
    const client = await RawClient.connect(port);
    // What one read of 64 KiB brings.
    const count = Math.floor((65_536 - SLOW.length - 200) / get('n1000').length);
    client.send(SLOW + Array.from({ length: count }, (_, index) => get(`n${1000 + index}`)).join('') + message('POST', '/v1/item', `"${'x'.repeat(1000)}"`).slice(0, -1));
    await waitUntilBegun(items);
    await runFor(STALL_MS);
    client.send(get('late').repeat(1000));
    await delay(20);
    items.gate.open();
    let responses = 0;
    for (let last = false; !last; responses += 1) last = (await client.response()).headers.get('connection') === 'close';
    assert.is(await client.closed(), '');
    assert.ok(responses > 17 && responses <= count + 1, `${responses} of ${count + 1}`);
    assert.is(items.begun.length, responses);
  });
});

const stopped = suite('C20: stop() while requests are held');
for (const [what, partial, rest] of [
  ['whole ones', '', ''],
  ['the last one without its body', message('POST', '/v1/item', '"a body"').slice(0, -8), '"a body"'],
  ['the last one without an end', message('POST', '/v1/item', '"a body"').slice(0, -1), '"'],
  ['a half head behind them', 'GET /v1/item/half HTTP/1.1\r\nHo', 'st: a\r\n\r\n'],
] as const) {
  stopped(`${what}: all that began to arrive with a whole head get a response, and none that came later`, async () => {
    const items = new Items();
    await serve(items.register, async ({ port, server }) => {
      const client = await RawClient.send(port, SLOW + names(100).map(get).join('') + partial);
      await waitUntilBegun(items);
      await delay(20);
      const over = server.stop();
      client.send(rest + get('late').repeat(100));
      await delay(20);
      items.gate.open();
      const bodies = ['slow', ...names(100)].map((name) => JSON.stringify(name));
      if (partial.startsWith('POST')) bodies.push('a body');
      for (const body of bodies) {
        const response = await client.response();
        assert.is(response.body, body);
        assert.is(response.headers.get('connection'), body === bodies.at(-1) ? 'close' : 'keep-alive');
      }
      assert.is(await client.closed(), '');
      assert.is(items.begun.length, bodies.length);
      client.destroy();
      await over;
    }, { stopGraceMs: 3_600_000 });
  });
}

const late = suite('input that arrives after stop(), while requests are held');
late('is dropped when it makes reading pause: not even a head of it is parsed', async () => {
  const items = new Items();
  await serve(items.register, async ({ port, server, received }) => {
    const client = await RawClient.send(port, SLOW + names(100).map(get).join(''));
    await waitUntil(() => received() === 17, 'the parser to stop');
    const stopped = server.stop();
    // More than the buffers of both sides hold, so the last byte is taken only when the server discards what it reads.
    await new Promise((resolve) => client.socket.write(Buffer.alloc(32 * 1024 * 1024, get('late')), resolve));
    items.gate.open();
    for (const name of ['slow', ...names(100)]) assert.is((await client.response()).body, JSON.stringify(name));
    assert.is(await client.closed(), '');
    assert.is(received(), 101);
    client.destroy();
    await stopped;
  }, { stopGraceMs: 60_000 });
});
