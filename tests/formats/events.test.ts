/** Server-sent events: the bytes of each event, their head, and events as the response of each kind of operation. */
import { events } from '../../src/formats/index.ts';
import { created, defineEndpoint, integerId, reply, stringId, type Interceptors } from '../../src/index.ts';
import { assertBrokenResponse } from '../support/broken-response.ts';
import { acceptAnything, declareEvents } from '../support/declare-events.ts';
import { assert, encodeUtf8, facts, message, RawClient, rejections, send, serve, suite } from '../support/facts.ts';

/** The headers of events. */
const EVENTS = ' | Cache-Control: no-store, no-transform | X-Accel-Buffering: no | Transfer-Encoding: chunked';

const bytes = suite('F7: the bytes of an event');
for (const [event, expected] of [
  [{ data: 1 }, 'data: 1\n\n'],
  [{ data: null }, 'data: null\n\n'],
  [{ data: { name: 'ant' } }, 'data: {"name":"ant"}\n\n'],
  [{ data: 'a\nb\r\u2028' }, 'data: "a\\nb\\r\u2028"\n\n'],
  [{ data: 1, id: '7' }, 'id: 7\ndata: 1\n\n'],
  [{ data: 1, id: '' }, 'id: \ndata: 1\n\n'],
  [{ data: 1, id: 'фу' }, 'id: фу\ndata: 1\n\n'],
  [{ data: 1, event: 'arrived' }, 'event: arrived\ndata: 1\n\n'],
  [{ data: 1, retry: 0 }, 'retry: 0\ndata: 1\n\n'],
  [{ id: 'a' }, 'id: a\n\n'],
  [{ id: 'a', retry: 5 }, 'id: a\nretry: 5\n\n'],
  [{ id: 'a', event: 'b', data: 'c', retry: 5 }, 'id: a\nevent: b\nretry: 5\ndata: "c"\n\n'],
] as const) {
  facts(bytes, declareEvents(() => [event, event]), [[JSON.stringify(event), 'GET /v1/pet', `200 text/event-stream ${expected}${expected}${EVENTS}`]]);
}
facts(bytes, declareEvents(() => [{ event: 'arrived', data: 1, id: 'a' }, { id: 'b' }], events({ arrived: Number })), [
  ['an id without an event goes through no decoder', 'GET /v1/pet', `200 text/event-stream id: a\nevent: arrived\ndata: 1\n\nid: b\n\n${EVENTS}`],
]);
for (const [what, event, times] of [
  ['frozen with its data', Object.freeze({ data: Object.freeze({ legs: 4 }) }), 1],
  ['frozen, and its data is not', Object.freeze({ data: { legs: 4 } }), 3],
  ['not frozen', { data: Object.freeze({ legs: 4 }) }, 3],
] as const) {
  let calls = 0;
  const counting = ({ legs }: { legs: number }): object => ({ legs, calls: (calls += 1) });
  const sent = [1, 2, 3].map((call) => `data: {"legs":4,"calls":${Math.min(call, times)}}\n\n`).join('');
  facts(bytes, declareEvents(() => [event, event, event], events(counting)), [
    [`an event that is ${what} and is sent three times is decoded ${times} times`, 'GET /v1/pet', `200 text/event-stream ${sent}${EVENTS}`],
  ]);
}
facts(bytes, declareEvents(() => [{ event: 'arrived', data: 'ant' }, { event: 'left', data: '7' }], events({ arrived: (name: string) => `${name}!`, left: Number })), [
  ['named events go through the decoder of their name', 'GET /v1/pet', `200 text/event-stream event: arrived\ndata: "ant!"\n\nevent: left\ndata: 7\n\n${EVENTS}`],
]);

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

const written = suite('F12: events as the response to a write');
const made = [{ id: '1', data: 'made' }];
const MADE = 'id: 1\ndata: "made"\n\n';
const output = events(acceptAnything);
const put = { input: (json: unknown) => Number(json), output };
for (const [what, method, path, declared, status, location] of [
  ['create', 'POST', '', { create: { ...put, run: () => made } }, 201, undefined],
  ['create, of 202', 'POST', '', { create: { ...put, output: { 202: output }, run: () => made } }, 202, undefined],
  ['create, with created()', 'POST', '', { create: { ...put, run: (id: number) => created(id, made) } }, 201, '/v1/pet/7'],
  ['update', 'PUT', '/7', { update: { ...put, run: () => made } }, 200, undefined],
  ['patch', 'PATCH', '/7', { patch: { ...put, run: () => reply(202, made) } }, 202, undefined],
  ['delete', 'DELETE', '/7', { delete: { output, run: () => made } }, 200, undefined],
  ['custom', 'POST', '/ask', { custom: { ask: { ...put, run: () => made } } }, 200, undefined],
  ['itemCustom', 'POST', '/7/ask', { itemCustom: { ask: { ...put, run: () => made } } }, 200, undefined],
] as const) {
  const expected = `${status} text/event-stream ${MADE}${EVENTS}`.replace(' | Cache', location === undefined ? ' | Cache' : ` | Location: ${location} | Cache`);
  facts(written, (server) => server.registerEndpoint('/pet', { id: integerId, ...declared }),
    [[what, `${method} /v1/pet${path}${method === 'DELETE' ? '' : ' 7'}`, expected]]);
}
const missing = (): false => false;
facts(written, (server) => server.registerEndpoint('/pet', { id: integerId, update: { ...put, run: missing }, delete: { output, run: missing } }), [
  ['an item that is not there', ['PUT /v1/pet/7 7', 'DELETE /v1/pet/7'], ['404 Not found.', '404 Not found.']],
]);
for (const [what, use] of [['', []], [', encoded by an interceptor', [{ around: async (call, next) => call.encode(await next()) }]]] as const satisfies readonly (readonly [string, Interceptors])[]) {
  const update = { input: put.input, use, output: { 200: output, 204: null }, run: (id: number) => (id === 7 ? made : undefined) };
  facts(written, (server) => server.registerEndpoint('/pet', { id: integerId, update }), [
    [`nothing, where output declares 204 beside it${what}`, ['PUT /v1/pet/7 7', 'PUT /v1/pet/8 7'], [`200 text/event-stream ${MADE}${EVENTS}`, '204']],
  ]);
}
facts(written, (server) => server.registerEndpoint('/pet', { id: integerId, create: { ...put, run: () => made.splice(0) } }), [
  ['a body that is rejected, and no event', 'POST /v1/pet {', '400 Bad arguments: the body is not JSON: it ends too early, at byte 1 @#'],
], { after: () => assert.is(made.length, 1) });

const requests = suite('F9: a request for events');
facts(requests, (server) => server.registerEndpoint('/pet', defineEndpoint({ id: stringId, list: ({ lastEventId }) => String(lastEventId) })), [
  ['no Last-Event-ID', 'GET /v1/pet', '200 "undefined"'],
  ['request.lastEventId', 'GET /v1/pet\nLast-Event-ID: 7', '200 "7"'],
  ['request.lastEventId', `GET /v1/pet\nLast-Event-ID: ${encodeUtf8('фу')}`, '200 "фу"'],
  ['request.lastEventId', 'GET /v1/pet\nLast-Event-ID:', '200 ""'],
]);
requests('by HTTP/1.0: the events, then the connection closes', () => serve(declareEvents(() => [{ data: 1 }]), async ({ port }) => {
  const client = await RawClient.send(port, 'GET /v1/pet HTTP/1.0\r\n\r\n');
  assert.match(await client.closed(), /^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n\r\ndata: 1\n\n$/);
}));
requests('HEAD: the head alone, and no event is taken', async () => {
  let closed = 0;
  const iterator = { next: () => assert.unreachable(), return: () => ({ done: true, value: (closed += 1) }), [Symbol.iterator]: () => iterator };
  await serve(declareEvents(() => iterator), async ({ port }) => {
    const { status, headers } = await send(port, message('HEAD', '/v1/pet'));
    assert.equal([status, headers.get('content-type'), closed], [200, 'text/event-stream', 1]);
  });
});

const options = suite('events');
for (const [call, text] of [
  [() => events({ 'a\nb': acceptAnything }), 'an event must be a string without line ends and NUL: "a\\nb"'],
  [() => events({ a: 7 as never }), "the decoder of a format must be a Standard Schema such as Zod's, or a function: number"],
  [() => events(7 as never), 'events must be an object: 7'],
] as const) rejections(options, [['', call, text]]);
options('cannot be an input', () => serve(() => {}, async ({ server }) => {
  const register = (): void => server.registerEndpoint('/pet', { id: stringId, custom: { feed: { input: events(acceptAnything), run: () => 1 } } });
  assert.throws(register, /endpoint\.custom\.feed\.input must be a format with decode: this one only encodes/);
}));
