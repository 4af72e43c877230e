/** Server-sent events: the bytes of each event, the head, heartbeats, and how they end. */
import { EventEmitter } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { events } from '../../src/formats/index.ts';
import { defineEndpoint, stringId, type ApiRequest, type ApiServer } from '../../src/index.ts';
import { Gate, until } from '../support/gate.ts';
import { message, utf8 } from '../support/messages.ts';
import { RawClient, rawRequest } from '../support/raw-client.ts';
import { serving } from '../support/serving.ts';
import { KINDS, Source } from '../support/streaming.ts';

const anything = (value: any): unknown => value;

function giving(give: (request: ApiRequest) => unknown, output: unknown = events(anything)): (server: ApiServer) => void {
  return (server) => server.registerEndpoint('/pet', { id: stringId, get: () => 1, list: { output, run: give } } as never);
}

const bytes = suite('the bytes of an event');
for (const [event, expected] of [
  [{ data: 1 }, 'data: 1\n\n'],
  [{ data: null }, 'data: null\n\n'],
  [{ data: { name: 'ant' } }, 'data: {"name":"ant"}\n\n'],
  [{ data: 'a\nb\r\u2028' }, utf8('data: "a\\nb\\r\u2028"\n\n')],
  [{ data: 1, id: '7' }, 'id: 7\ndata: 1\n\n'],
  [{ data: 1, id: '' }, 'id: \ndata: 1\n\n'],
  [{ data: 1, id: 'фу' }, utf8('id: фу\ndata: 1\n\n')],
  [{ data: 1, event: 'arrived' }, 'event: arrived\ndata: 1\n\n'],
  [{ data: 1, retry: 0 }, 'retry: 0\ndata: 1\n\n'],
  [{ id: 'a', event: 'b', data: 'c', retry: 5 }, 'id: a\nevent: b\nretry: 5\ndata: "c"\n\n'],
] as const) {
  bytes(`${JSON.stringify(event)} -> ${JSON.stringify(expected)}`, async () => {
    await serving(giving(() => [event, event]), async ({ port }) => {
      const { status, headers, body } = await rawRequest(port, message('GET', '/v1/pet'));
      assert.equal([status, body], [200, expected + expected]);
      assert.is(headers.get('content-type'), 'text/event-stream');
      assert.is(headers.get('cache-control'), 'no-store, no-transform');
      assert.is(headers.get('x-accel-buffering'), 'no');
      assert.is(headers.get('content-length'), undefined);
    });
  });
}
bytes('named events go through the decoder of their name', async () => {
  const output = events({ arrived: (name: string) => `${name}!`, left: Number });
  await serving(giving(() => [{ event: 'arrived', data: 'ant' }, { event: 'left', data: '7' }], output), async ({ port }) => {
    assert.is((await rawRequest(port, message('GET', '/v1/pet'))).body, 'event: arrived\ndata: "ant!"\n\nevent: left\ndata: 7\n\n');
  });
});
bytes.run();

const refused = suite('an event that cannot be sent');
for (const [event, text, output] of [
  [{ data: 1, id: 'a\nb' }, /the id of an event must be a text without line ends and NUL: "a\\nb"/],
  [{ data: 1, id: 'a\rb' }, /the id of an event must be a text/],
  [{ data: 1, id: 'a\0b' }, /the id of an event must be a text/],
  [{ data: 1, id: 7 }, /the id of an event must be a text/],
  [{ data: 1, event: 'a\n\ndata: evil' }, /the name of an event must be a text/],
  [{ data: 1, event: 'a\0' }, /the name of an event must be a text/],
  [{ data: 1, retry: 1.5 }, /the retry of an event must be a whole number/],
  [{ data: 1, retry: '1\ndata: evil' }, /the retry of an event must be a whole number/],
  [{}, /the decoder gave undefined/],
  [1, /an event must be an object: 1/],
  [{ data: 1, event: 'toString' }, /an event has a name that events\(\) does not have: "toString"/, events({ arrived: anything })],
  [{ data: 1 }, /an event has a name that events\(\) does not have: "message"/, events({ arrived: anything })],
] as const) {
  refused(`${JSON.stringify(event)}: 500, logged, and the source is closed`, async () => {
    let closed = 0;
    const give = async function* (): AsyncGenerator<unknown> {
      try {
        yield event;
      } finally {
        closed += 1;
      }
    };
    await serving(giving(give, output), async ({ port, errors }) => {
      assert.is((await rawRequest(port, message('GET', '/v1/pet'))).status, 500);
      assert.match(errors[0]?.message ?? '', text);
      assert.is(closed, 1);
    });
  });
}
refused('behind another: the connection is destroyed', async () => {
  await serving(giving(() => [{ data: 1 }, { data: 1, id: '\n' }]), async ({ port, errors }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet'));
    const answer = await client.closed();
    assert.ok(answer.startsWith('HTTP/1.1 200 OK') && !answer.endsWith('0\r\n\r\n'), answer);
    client.destroy();
    assert.is(errors.length, 1);
  });
});
refused.run();

const silence = suite('silence');
silence('has comments, and loses no event', async () => {
  const gate = new Gate();
  const give = async function* (): AsyncGenerator<unknown> {
    yield { data: 1 };
    await gate.passed;
    yield { data: 2 };
  };
  await serving(giving(give, events(anything, { heartbeatMs: 20 })), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet'));
    await until(() => client.unread.split('\r\n:\n\n\r\n').length > 3, 'three comments');
    gate.open();
    await until(() => client.unread.endsWith('0\r\n\r\n'), 'the end');
    assert.equal(client.unread.match(/data: \d/g), ['data: 1', 'data: 2']);
    client.destroy();
  });
});
silence('from the beginning: the head is sent after a second, and operationMs does not end the stream', async () => {
  const gate = new Gate();
  const give = async function* (): AsyncGenerator<unknown> {
    await gate.passed;
    yield { data: 1 };
  };
  const output = events(anything);
  await serving((server) => {
    server.registerEndpoint('/pet', { id: stringId, list: { output, limits: { operationMs: 200 }, run: give } } as never);
  }, async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet'));
    await until(() => client.unread.includes('200 OK'), 'the head');
    gate.open();
    await until(() => client.unread.includes('data: 1'), 'the event');
    client.destroy();
  });
});
silence.run();

const ends = suite('events end');
for (const kind of KINDS) {
  ends(`when the client leaves, and the iterator is returned: ${kind}`, async () => {
    const source = new Source('{}');
    const output = events(() => 1);
    await serving(giving(() => ({ [Symbol.asyncIterator]: () => mapped(source[kind]()) }), output), async ({ port }) => {
      const client = await RawClient.connect(port);
      client.send(message('GET', '/v1/pet'));
      await until(() => client.unread.includes('data: 1'), 'events');
      client.destroy();
      await until(() => source.closed === 1, 'closed');
    });
  });
}

/** Events of any stream. */
function mapped(stream: AsyncIterable<unknown>): AsyncIterator<unknown> {
  const iterator = stream[Symbol.asyncIterator]();
  return {
    next: async () => ({ done: false, value: { data: await iterator.next() } }),
    return: async () => await iterator.return?.() ?? { done: true, value: undefined },
  };
}

ends('when the server begins to stop, also those that wait: the answer is complete, and each iterator is returned', async () => {
  const readers = 20;
  let closed = 0;
  const waiting = (): AsyncIterableIterator<unknown> => {
    let given = 0;
    const iterator: AsyncIterableIterator<unknown> = {
      [Symbol.asyncIterator]: () => iterator,
      next: () => (given++ === 0 ? Promise.resolve({ done: false, value: { data: 1 } }) : new Promise(() => {})),
      return: async () => ({ done: true, value: (closed += 1) }),
    };
    return iterator;
  };
  await serving(giving(waiting), async ({ port, server }) => {
    const clients = await Promise.all(Array.from({ length: readers }, () => RawClient.connect(port)));
    for (const client of clients) client.send(message('GET', '/v1/pet'));
    await until(() => clients.every(({ unread }) => unread.includes('data: 1')), 'events');
    await server.stop();
    for (const client of clients) {
      assert.match(await client.closed(), /0\r\n\r\n$/);
      client.destroy();
    }
    assert.is(closed, readers);
  }, { stopGraceMs: 60_000 });
});
ends('at once if they begin while the server stops', async () => {
  const gate = new Gate();
  let [entered, closed] = [false, false];
  const iterator = { next: () => new Promise<never>(() => {}), return: async () => ({ done: true, value: (closed = true) }), [Symbol.asyncIterator]: () => iterator };
  const give = async (): Promise<unknown> => {
    entered = true;
    await gate.passed;
    return iterator;
  };
  await serving(giving(give), async ({ port, server }) => {
    const client = await RawClient.connect(port);
    client.send(message('GET', '/v1/pet'));
    await until(() => entered, 'the operation');
    const stopped = server.stop();
    gate.open();
    assert.match(await client.closed(), /^HTTP\/1\.1 200 OK[^]*\r\n0\r\n\r\n$/);
    await stopped;
    assert.ok(closed);
    client.destroy();
  }, { stopGraceMs: 60_000 });
});
ends('when the iterable ends', async () => {
  await serving(giving(() => []), async ({ port }) => {
    const { status, body, headers } = await rawRequest(port, message('GET', '/v1/pet'));
    assert.equal([status, body, headers.get('content-type')], [200, '', 'text/event-stream']);
  });
});
ends('and leave no listener at the signal of the server', async () => {
  await serving(giving(() => [{ data: 1 }]), async ({ port, server }) => {
    for (let count = 0; count < 5; count += 1) await rawRequest(port, message('GET', '/v1/pet'));
    await rawRequest(port, message('HEAD', '/v1/pet'));
    assert.is(EventEmitter.getEventListeners(server.stopping, 'abort').length, 0);
  });
});
ends.run();

const requests = suite('a request for events');
for (const [field, expected] of [
  [[], 'undefined'],
  [['Last-Event-ID: 7'], '7'],
  [[`Last-Event-ID: ${utf8('фу')}`], 'фу'],
  [['Last-Event-ID:'], ''],
] as const) {
  requests(`${field.join() || 'no Last-Event-ID'} -> request.lastEventId ${JSON.stringify(expected)}`, async () => {
    await serving((server) => server.registerEndpoint('/pet', defineEndpoint({ id: stringId, list: ({ lastEventId }) => String(lastEventId) })), async ({ port }) => {
      assert.is((await rawRequest(port, message('GET', '/v1/pet', '', field))).body, utf8(JSON.stringify(expected)));
    });
  });
}
requests('by HTTP/1.0: the events, then the connection closes', async () => {
  await serving(giving(() => [{ data: 1 }]), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send('GET /v1/pet HTTP/1.0\r\n\r\n');
    assert.match(await client.closed(), /^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n\r\ndata: 1\n\n$/);
    client.destroy();
  });
});
requests('HEAD: the head alone, and no event is taken', async () => {
  let closed = 0;
  const iterator = { next: () => assert.unreachable(), return: () => ({ done: true, value: (closed += 1) }), [Symbol.iterator]: () => iterator };
  await serving(giving(() => iterator), async ({ port }) => {
    const { status, headers } = await rawRequest(port, message('HEAD', '/v1/pet'));
    assert.equal([status, headers.get('content-type'), closed], [200, 'text/event-stream', 1]);
  });
});
requests.run();

const options = suite('events');
for (const [call, text] of [
  [() => events(anything, { heartbeatMs: 0 }), 'options.heartbeatMs must be a whole number from 1 to 2147483647: 0'],
  [() => events(anything, { heartbeat: 1 } as never), 'unknown member options.heartbeat: it can be one of heartbeatMs'],
  [() => events({ 'a\nb': anything }), 'an event must be a text without line ends and NUL: "a\\nb"'],
  [() => events({ a: 7 as never }), 'the decoder of a format must be a Standard Schema or a function'],
  [() => events(7 as never), 'events must be an object: 7'],
] as const) {
  options(`TypeError: ${text}`, () => assert.throws(call, (thrown: unknown) => thrown instanceof TypeError && thrown.message === text));
}
options('cannot be an input', async () => {
  await serving(() => {}, async ({ server }) => {
    const register = (): void => server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: events(anything), run: () => 1 } } } as never);
    assert.throws(register, /endpoint\.custom\.feed\.input cannot be: the format only encodes/);
  });
});
options.run();
