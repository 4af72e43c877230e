/** `headers` of a request: Node reads them first, for `Expect`, and anybody else gets all of them. */
import { channel } from 'node:diagnostics_channel';
import http, { type IncomingMessage } from 'node:http';
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { inspect } from 'node:util';
import type { ApiServer } from '../../../src/index.ts';
import { assert, RawClient, serve, suite, waitUntil } from '../../support/facts.ts';

const head = (first: string, ...lines: string[]): string => `${[first, 'Host: a', 'X-A: 1', ...lines].join('\r\n')}\r\n\r\n`;
const GET = head('GET /seen HTTP/1.1');
const GOT = { host: 'a', 'x-a': '1' };
const UPGRADE = { ...GOT, connection: 'Upgrade', upgrade: 'a' };

/** The entry of a request, as Node makes it. */
interface Entry {
  readonly detail: { readonly req: { readonly headers: object } };
}

/** Responds with the headers that a request has. They are no proxy, which cannot be cloned. */
const declareSeen = (server: ApiServer): void => server.mount('/seen', (request, response) => {
  response.end(JSON.stringify(structuredClone(request.headers)));
});

const seen = suite('the headers that a handler gets');
for (const [name, requests, ...expected] of [
  ['one request', GET, GOT],
  ['pipelined requests', GET + GET + GET, GOT, GOT, GOT],
  ['HTTP/1.0', head('GET /seen HTTP/1.0'), GOT],
  ['an upgrade that is not served', head('GET /seen HTTP/1.1', 'Connection: Upgrade', 'Upgrade: a'), UPGRADE],
] as const) {
  seen(name, () => serve(declareSeen, async ({ port }) => {
    const client = await RawClient.send(port, requests);
    for (const headers of expected) assert.equal(JSON.parse((await client.response()).body), headers);
  }));
}
seen('a request that expects 100-continue', () => serve(declareSeen, async ({ port }) => {
  const client = await RawClient.send(port, head('POST /seen HTTP/1.1', 'Expect: 100-continue', 'Content-Length: 1') + 'a');
  assert.is((await client.response()).status, 100);
  assert.equal(JSON.parse((await client.response()).body), { ...GOT, expect: '100-continue', 'content-length': '1' });
}));
seen('a request in memory, after one on a connection', () => serve(declareSeen, async ({ port, server }) => {
  const client = await RawClient.send(port, GET);
  await client.response();
  client.destroy();
  const response = await server.fetch(new Request('http://a/seen', { headers: { 'X-A': '1' } }));
  assert.equal(await response.json(), { ...GOT, connection: 'keep-alive' });
}));
seen('a request whose headers were replaced', () => serve((server) => {
  server.use((request, _response, next) => {
    request.headers = { b: '2' };
    next();
  });
  declareSeen(server);
}, async ({ port }) => {
  const client = await RawClient.send(port, GET);
  assert.equal(JSON.parse((await client.response()).body), { b: '2' });
}));

const traced = suite('the headers that a tracer gets, before the server gets the request');
for (const name of ['http.server.request.start', 'http.server.response.created']) {
  traced(`by the channel ${name}`, () => serve(declareSeen, async ({ port }) => {
    const got: unknown[] = [];
    const take = (message: unknown): unknown => got.push({ ...(message as { readonly request: IncomingMessage }).request.headers });
    channel(name).subscribe(take);
    try {
      const client = await RawClient.send(port, GET + GET);
      for (const _ of [1, 2]) assert.equal(JSON.parse((await client.response()).body), GOT);
      client.destroy();
    } finally {
      channel(name).unsubscribe(take);
    }
    // Node 20 does not have the second channel.
    assert.equal(got, got.length === 0 && name.endsWith('created') ? [] : [GOT, GOT]);
  }));
}
/** What the first reader does with the headers, and a second one finds. */
for (const [name, read, expected, left] of [
  ['prints', (headers) => inspect(headers), inspect(GOT), GOT],
  ['reads one', (headers) => [headers['x-a'], headers['expect'], 'host' in headers, 'expect' in headers], ['1', undefined, true, false], GOT],
  ['changes', (headers) => {
    headers['x-b'] = '2';
    delete headers['x-a'];
    return Object.defineProperty(headers, 'x-c', { value: '3', enumerable: true })['x-c'];
  }, '3', { host: 'a', 'x-b': '2', 'x-c': '3' }],
  ['compares', (headers, again) => Object.getPrototypeOf(headers) === Object.getPrototypeOf(again()), true, GOT],
] as readonly (readonly [string, (headers: Record<string, unknown>, again: () => object) => unknown, unknown, object])[]) {
  traced(`and ${name}`, () => serve(declareSeen, async ({ port }) => {
    const got: unknown[] = [];
    const take = (message: unknown): void => {
      const { request } = message as { readonly request: IncomingMessage };
      got.push(read(request.headers, () => request.headers));
    };
    channel('http.server.request.start').subscribe(take);
    try {
      const client = await RawClient.send(port, GET);
      assert.equal(JSON.parse((await client.response()).body), left);
      client.destroy();
    } finally {
      channel('http.server.request.start').unsubscribe(take);
    }
    assert.equal(got, [expected]);
  }));
}
traced('by an emit that it has replaced', () => serve(declareSeen, async ({ port }) => {
  const { emit } = http.Server.prototype;
  const got: unknown[] = [];
  http.Server.prototype.emit = function (this: http.Server, event: string, ...values: never[]): boolean {
    if (event === 'request') got.push({ ...(values[0] as unknown as IncomingMessage).headers });
    return Reflect.apply(emit, this, [event, ...values]);
  };
  try {
    const client = await RawClient.send(port, GET);
    await client.response();
    client.destroy();
  } finally {
    http.Server.prototype.emit = emit;
  }
  assert.equal(got, [GOT]);
}));
traced('by a PerformanceObserver', () => serve(declareSeen, async ({ port }) => {
  const got: unknown[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) got.push((entry as PerformanceEntry & Entry).detail.req.headers);
  });
  observer.observe({ entryTypes: ['http'] });
  try {
    const client = await RawClient.send(port, GET);
    await client.response();
    await waitUntil(() => got.length > 0, 'the entry');
    client.destroy();
  } finally {
    observer.disconnect();
  }
  assert.equal(got, [GOT]);
}));

const unmade = suite('the headers of a request that nobody reads');
unmade('are not made: Node reads only Expect, before it emits the request', () => serve(declareSeen, async ({ port }) => {
  const client = await RawClient.send(port, GET);
  await client.response();
  const { _addHeaderLine: add } = http.IncomingMessage.prototype as unknown as { _addHeaderLine: (...values: unknown[]) => void };
  let made = 0;
  Object.assign(http.IncomingMessage.prototype, {
    _addHeaderLine(this: unknown, ...values: unknown[]) {
      made += 1;
      add.apply(this, values);
    },
  });
  try {
    client.send(head('GET /other HTTP/1.1'));
    assert.is((await client.response()).status, 404);
    assert.is(made, 0);
    client.send(GET);
    await client.response();
    assert.is(made, 2);
  } finally {
    Object.assign(http.IncomingMessage.prototype, { _addHeaderLine: add });
    client.destroy();
  }
}));
