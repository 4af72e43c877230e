/** Server-sent events: the bytes of each event, their head, and events as the response of each kind of operation. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { events } from '../../src/formats/index.ts';
import { created, defineEndpoint, integerId, reply, stringId, type Interceptors } from '../../src/index.ts';
import { assertBrokenResponse } from '../support/broken-response.ts';
import { acceptAnything, declareEvents } from '../support/declare-events.ts';
import { message, encodeUtf8 } from '../support/messages.ts';
import { RawClient, send } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';

const bytes = suite('F7: the bytes of an event');
for (const [event, expected] of [
  [{ data: 1 }, 'data: 1\n\n'],
  [{ data: null }, 'data: null\n\n'],
  [{ data: { name: 'ant' } }, 'data: {"name":"ant"}\n\n'],
  [{ data: 'a\nb\r\u2028' }, encodeUtf8('data: "a\\nb\\r\u2028"\n\n')],
  [{ data: 1, id: '7' }, 'id: 7\ndata: 1\n\n'],
  [{ data: 1, id: '' }, 'id: \ndata: 1\n\n'],
  [{ data: 1, id: 'фу' }, encodeUtf8('id: фу\ndata: 1\n\n')],
  [{ data: 1, event: 'arrived' }, 'event: arrived\ndata: 1\n\n'],
  [{ data: 1, retry: 0 }, 'retry: 0\ndata: 1\n\n'],
  [{ id: 'a' }, 'id: a\n\n'],
  [{ id: 'a', retry: 5 }, 'id: a\nretry: 5\n\n'],
  [{ id: 'a', event: 'b', data: 'c', retry: 5 }, 'id: a\nevent: b\nretry: 5\ndata: "c"\n\n'],
] as const) {
  bytes(`${JSON.stringify(event)} -> ${JSON.stringify(expected)}`, async () => {
    await serve(declareEvents(() => [event, event]), async ({ port }) => {
      const { status, headers, body } = await send(port, message('GET', '/v1/pet'));
      assert.equal([status, body], [200, expected + expected]);
      assert.is(headers.get('content-type'), 'text/event-stream');
      assert.is(headers.get('cache-control'), 'no-store, no-transform');
      assert.is(headers.get('x-accel-buffering'), 'no');
      assert.is(headers.get('content-length'), undefined);
    });
  });
}
bytes('an id without an event goes through no decoder', async () => {
  const output = events({ arrived: Number });
  await serve(declareEvents(() => [{ event: 'arrived', data: 1, id: 'a' }, { id: 'b' }], output), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet'))).body, 'id: a\nevent: arrived\ndata: 1\n\nid: b\n\n');
  });
});
bytes('named events go through the decoder of their name', async () => {
  const output = events({ arrived: (name: string) => `${name}!`, left: Number });
  await serve(declareEvents(() => [{ event: 'arrived', data: 'ant' }, { event: 'left', data: '7' }], output), async ({ port }) => {
    assert.is((await send(port, message('GET', '/v1/pet'))).body, 'event: arrived\ndata: "ant!"\n\nevent: left\ndata: 7\n\n');
  });
});
bytes.run();

const rejected = suite('F7: an event that cannot be sent');
for (const [event, text, output] of [
  [{ data: 1, id: 'a\nb' }, /the id of an event must be a string without line ends and NUL: "a\\nb"/],
  [{ data: 1, id: 'a\rb' }, /the id of an event must be a string/],
  [{ data: 1, id: 'a\0b' }, /the id of an event must be a string/],
  [{ data: 1, id: 7 }, /the id of an event must be a string/],
  [{ data: 1, event: 'a\n\ndata: evil' }, /the name of an event must be a string/],
  [{ data: 1, event: 'a\0' }, /the name of an event must be a string/],
  [{ data: 1, retry: 1.5 }, /the retry of an event must be a whole number/],
  [{ data: 1, retry: '1\ndata: evil' }, /the retry of an event must be a whole number/],
  [{}, /the decoder returned undefined/],
  [{ retry: 1 }, /the decoder returned undefined/],
  [{ id: 'a', data: undefined }, /the decoder returned undefined/],
  [{ id: 'a', event: 'b' }, /the decoder returned undefined/],
  [{ id: 'a\n' }, /the id of an event must be a string/],
  [1, /an event must be an object: 1/],
  [{ data: 1, event: 'toString' }, /an event has a name that events\(\) does not have: "toString"/, events({ arrived: acceptAnything })],
  [{ data: 1 }, /an event has a name that events\(\) does not have: "message"/, events({ arrived: acceptAnything })],
] as const) {
  rejected(`${JSON.stringify(event)}: 500, logged, and the source is closed`, async () => {
    let closed = 0;
    const give = async function* (): AsyncGenerator<unknown> {
      try {
        yield event;
      } finally {
        closed += 1;
      }
    };
    await serve(declareEvents(give, output), async ({ port, errors }) => {
      assert.is((await send(port, message('GET', '/v1/pet'))).status, 500);
      assert.match(errors[0]?.message ?? '', text);
      assert.is(closed, 1);
    });
  });
}
rejected('behind another: the connection is destroyed', () => assertBrokenResponse(declareEvents(() => [{ data: 1 }, { data: 1, id: '\n' }]), '/v1/pet'));
rejected.run();

const written = suite('F12: events as the response to a write');
const made = [{ id: '1', data: 'made' }];
const MADE = 'id: 1\ndata: "made"\n\n';
const output = events(acceptAnything);
const put = { input: (json: unknown) => Number(json), output };
for (const [what, method, path, declared, status, location] of [
  ['create', 'POST', '', { create: { ...put, run: () => made } }, 201, undefined],
  ['create, with a status', 'POST', '', { create: { ...put, status: 202, run: () => made } }, 202, undefined],
  ['create, with created()', 'POST', '', { create: { ...put, run: (id: number) => created(id, made) } }, 201, '/v1/pet/7'],
  ['update', 'PUT', '/7', { update: { ...put, run: () => made } }, 200, undefined],
  ['patch', 'PATCH', '/7', { patch: { ...put, run: () => reply(202, made) } }, 202, undefined],
  ['delete', 'DELETE', '/7', { delete: { output, run: () => made } }, 200, undefined],
  ['custom', 'POST', '/ask', { custom: { ask: { ...put, run: () => made } } }, 200, undefined],
  ['itemCustom', 'POST', '/7/ask', { itemCustom: { ask: { ...put, run: () => made } } }, 200, undefined],
] as const) {
  written(`${what} -> ${status} with the events`, async () => {
    await serve((server) => server.registerEndpoint('/pet', { id: integerId, ...declared }), async ({ port }) => {
      const { headers, ...response } = await send(port, message(method, `/v1/pet${path}`, method === 'DELETE' ? '' : '7'));
      assert.equal([response.status, response.body], [status, MADE]);
      assert.equal([headers.get('content-type'), headers.get('location')], ['text/event-stream', location]);
    });
  });
}
for (const [method, path, body] of [['PUT', '/7', '7'], ['DELETE', '/7', '']] as const) {
  written(`${method} of an item that is not there -> 404`, async () => {
    const missing = (): false => false;
    await serve((server) => server.registerEndpoint('/pet', {
      id: integerId, update: { ...put, run: missing }, delete: { output, run: missing },
    }), async ({ port }) => assert.is((await send(port, message(method, `/v1/pet${path}`, body))).status, 404));
  });
}
for (const [what, use] of [['', []], [', encoded by an interceptor', [{ around: async (call, next) => call.encode(await next()) }]]] as const satisfies readonly (readonly [string, Interceptors])[]) {
  written(`nothing, where output declares 204 beside it -> 204${what}`, async () => {
    const update = { input: put.input, use, output: { 200: output, 204: null }, run: (id: number) => (id === 7 ? made : undefined) };
    await serve((server) => server.registerEndpoint('/pet', { id: integerId, update }), async ({ port }) => {
      const responses = await Promise.all([7, 8].map((id) => send(port, message('PUT', `/v1/pet/${id}`, '7'))));
      assert.equal(responses.map(({ status, body }) => [status, body]), [[200, MADE], [204, '']]);
    });
  });
}
written('a body that is rejected -> 400, and no event', async () => {
  await serve((server) => server.registerEndpoint('/pet', { id: integerId, create: { ...put, run: () => made.splice(0) } }), async ({ port }) => {
    assert.is((await send(port, message('POST', '/v1/pet', '{'))).status, 400);
    assert.is(made.length, 1);
  });
});
written.run();

const requests = suite('F9: a request for events');
for (const [field, expected] of [
  [[], 'undefined'],
  [['Last-Event-ID: 7'], '7'],
  [[`Last-Event-ID: ${encodeUtf8('фу')}`], 'фу'],
  [['Last-Event-ID:'], ''],
] as const) {
  requests(`${field.join() || 'no Last-Event-ID'} -> request.lastEventId ${JSON.stringify(expected)}`, async () => {
    await serve((server) => server.registerEndpoint('/pet', defineEndpoint({ id: stringId, list: ({ lastEventId }) => String(lastEventId) })), async ({ port }) => {
      assert.is((await send(port, message('GET', '/v1/pet', '', field))).body, encodeUtf8(JSON.stringify(expected)));
    });
  });
}
requests('by HTTP/1.0: the events, then the connection closes', async () => {
  await serve(declareEvents(() => [{ data: 1 }]), async ({ port }) => {
    const client = await RawClient.connect(port);
    client.send('GET /v1/pet HTTP/1.0\r\n\r\n');
    assert.match(await client.closed(), /^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n\r\ndata: 1\n\n$/);
    client.destroy();
  });
});
requests('HEAD: the head alone, and no event is taken', async () => {
  let closed = 0;
  const iterator = { next: () => assert.unreachable(), return: () => ({ done: true, value: (closed += 1) }), [Symbol.iterator]: () => iterator };
  await serve(declareEvents(() => iterator), async ({ port }) => {
    const { status, headers } = await send(port, message('HEAD', '/v1/pet'));
    assert.equal([status, headers.get('content-type'), closed], [200, 'text/event-stream', 1]);
  });
});
requests.run();

const options = suite('events');
for (const [call, text] of [
  [() => events(acceptAnything, { heartbeatMs: 0 }), 'options.heartbeatMs must be a whole number from 1 to 2147483647: 0'],
  [() => events(acceptAnything, { heartbeat: 1 } as never), 'unknown option options.heartbeat: did you mean heartbeatMs? It can be one of heartbeatMs, flush'],
  [() => events(acceptAnything, { flush: 1 } as never), 'options.flush must be a boolean: 1'],
  [() => events({ 'a\nb': acceptAnything }), 'an event must be a string without line ends and NUL: "a\\nb"'],
  [() => events({ a: 7 as never }), "the decoder of a format must be a Standard Schema such as Zod's, or a function: number"],
  [() => events(7 as never), 'events must be an object: 7'],
] as const) {
  options(`TypeError: ${text}`, () => assert.throws(call, (thrown: unknown) => thrown instanceof TypeError && thrown.message === text));
}
options('cannot be an input', async () => {
  await serve(() => {}, async ({ server }) => {
    const register = (): void => server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: events(acceptAnything), run: () => 1 } } });
    assert.throws(register, /endpoint\.custom\.feed\.input must be a format with decode: this one only encodes/);
  });
});
options.run();
