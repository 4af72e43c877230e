/** The responses that the server writes as one string have the bytes that Node's `writeHead` would write. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { ServerResponse } from 'node:http';
import { ApiError, type ApiServer, type ApiServerOptions, type Interceptor, reply, stringId } from '../../src/index.ts';
import { assert, head, message, RawClient, serve, suite } from '../support/facts.ts';

const acceptAny = (json: unknown): unknown => json;
const NAMES = ['a', 'b'];
const limited: Interceptor = {
  around: (call, run) => {
    call.addHeaders({ Vary: 'Cookie', 'X-Left': '9', 'Set-Cookie': ['a=1', 'b=2'] });
    return run({});
  },
};

function declare(server: ApiServer): void {
  server.registerEndpoint('/pet', {
    id: stringId, schema: acceptAny, version: () => 'v1',
    create: () => 'a', list: () => NAMES, get: (id) => (id === 'a' ? { id } : undefined), update: () => true, delete: () => true,
    custom: {
      respond: { input: acceptAny, run: (input) => reply((input as { status: number }).status, 'x', { 'Content-Type': 'text/plain' }) },
      empty: { input: acceptAny, run: (input) => reply((input as { status: 205 }).status) },
      cookies: { run: () => reply(200, 'x', { 'Content-Type': 'text/plain', 'Set-Cookie': ['a=1', 'b=2'], Vary: ['Accept', 'Origin'] }) },
      own: { run: () => reply(200, 1, { 'x-content-type-options': 'NoSniff', 'X-Empty': '', 'x-odd!': 'a\tb' }) },
      dated: { run: () => reply(200, 1, { Date: 'Thu, 01 Jan 1970 00:00:00 GMT' }) },
      expected: { run: () => reply(200, 1, { Expect: 'x' }) },
      invalid: { run: () => reply(200, 1, { 'X-Line': 'a\r\nb' }) },
      unicode: { run: () => 'é' },
      bytes: { run: () => reply(200, Buffer.from('bytes'), { 'Content-Type': 'application/octet-stream' }) },
      limited: { use: [limited], run: () => 1 },
      fail: { run: () => { throw new Error('disk'); } },
      reject: { run: () => { throw ApiError.status(409, 'no', { headers: { 'Retry-After': '1' } }); } },
    },
  });
  server.registerEndpoint('/mine', { context: () => 'ann', get: () => 1, update: { input: acceptAny, run: () => reply(200, 1, { 'cache-control': 'no-store' }) } });
}

const post = (name: string, body = ''): string => message('POST', `/v1/pet/${name}`, body);

/** The bytes that a connection gets, without dates, and how many of its responses were one string for Node. */
async function converse(requests: string, options: ApiServerOptions): Promise<{ readonly bytes: string; readonly whole: number }> {
  let whole = 0;
  let bytes = '';
  const count = (published: unknown): void => {
    const { _header: written } = (published as { response: { _header: string } }).response;
    if (!written.endsWith('\r\n\r\n')) whole += 1;
  };
  subscribe('http.server.response.finish', count);
  try {
    await serve(declare, async (served) => {
      const client = await RawClient.send(served.port, requests + head('GET', '/v1/pet/a', ['Connection: close']));
      bytes = (await client.closed()).replaceAll(/^Date: .* GMT\r$/gm, 'Date\r');
      // Looked at, since some operations fail.
      void served.errors;
    }, options);
  } finally {
    unsubscribe('http.server.response.finish', count);
  }
  return { bytes, whole };
}

/** Makes Node write all heads during a call: a response with a `_storeHeader` of its own is not written as one string. */
async function withNodesHeads<T>(call: () => Promise<T>): Promise<T> {
  const prototype = ServerResponse.prototype as { _storeHeader?: (...args: unknown[]) => void };
  const { _storeHeader: store } = prototype;
  prototype._storeHeader = function (...args) {
    store?.apply(this, args);
  };
  try {
    return await call();
  } finally {
    delete prototype._storeHeader;
  }
}

interface Row {
  readonly what: string;
  readonly requests: string;
  /** How many of the responses were one string. */
  readonly whole: number;
  readonly options?: ApiServerOptions;
}

const ROWS: readonly Row[] = [
  { what: 'an item', requests: message('GET', '/v1/pet/a'), whole: 1 },
  { what: 'the head of an item', requests: message('HEAD', '/v1/pet/a'), whole: 0 },
  { what: 'a list', requests: message('GET', '/v1/pet'), whole: 1 },
  { what: 'a new id', requests: message('POST', '/v1/pet', '{}'), whole: 1 },
  { what: 'an update', requests: message('PUT', '/v1/pet/a', '{}'), whole: 0 },
  { what: 'an item that has not changed', requests: message('GET', '/v1/pet/a', '', ['If-None-Match: "v1"']), whole: 0 },
  { what: 'a missing item', requests: message('GET', '/v1/pet/b'), whole: 1 },
  { what: 'a missing path', requests: message('GET', '/v1/none'), whole: 1 },
  { what: 'a method that is not allowed', requests: message('PATCH', '/v1/pet/a'), whole: 0 },
  { what: 'OPTIONS', requests: message('OPTIONS', '/v1/pet/a') + message('OPTIONS', '*'), whole: 0 },
  { what: 'a malformed body', requests: message('POST', '/v1/pet', '{'), whole: 1 },
  ...[200, 201, 202, 203, 299, 300, 307, 400, 404, 418, 422, 429, 499, 500, 503, 599].map((status) => {
    return { what: `status ${status}`, requests: post('respond', `{"status":${status}}`), whole: 1 };
  }),
  ...[200, 204, 205, 303, 304].map((status) => {
    return { what: `status ${status} without a body`, requests: post('empty', `{"status":${status}}`), whole: 0 };
  }),
  { what: 'lists of cookies and Vary', requests: post('cookies'), whole: 1 },
  { what: 'a default header that is replaced, and odd headers', requests: post('own'), whole: 1 },
  { what: 'a Date of the user', requests: post('dated'), whole: 0 },
  { what: 'a header that Node reads', requests: post('expected'), whole: 0 },
  { what: 'a header that is not valid', requests: post('invalid'), whole: 1 },
  { what: 'a body that is not ASCII', requests: post('unicode'), whole: 0 },
  { what: 'a body of bytes', requests: post('bytes'), whole: 0 },
  { what: 'headers that an interceptor adds', requests: post('limited'), whole: 1 },
  { what: 'an operation that fails', requests: post('fail'), whole: 1 },
  { what: 'an error with headers', requests: post('reject'), whole: 1 },
  { what: 'a caller', requests: message('GET', '/v1/mine'), whole: 1 },
  { what: 'a caller, and a Cache-Control of the user', requests: message('PUT', '/v1/mine', '1'), whole: 1 },
  { what: 'HTTP/1.0', requests: 'GET /v1/pet/a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', whole: 0 },
  { what: 'a client that does not wait for 100 Continue', requests: head('POST', '/v1/pet', ['Content-Length: 2', 'Expect: 100-continue']) + '{}', whole: 1 },
  { what: 'a rejected body behind Expect', requests: head('POST', '/v1/none', ['Content-Length: 2', 'Expect: 100-continue']), whole: 0 },
  { what: 'a body that is too long', requests: head('POST', '/v1/pet', ['Content-Length: 99999999']), whole: 0 },
  { what: 'pipelined requests',
    requests: message('GET', '/v1/pet/a') + message('POST', '/v1/pet', '{}') + message('DELETE', '/v1/pet/a') + message('GET', '/v1/pet'), whole: 3 },
  ...[1, 999, 1000, 1999, 60_000].map((keepAliveMs) => {
    return { what: `limits.keepAliveMs ${keepAliveMs}`, requests: message('GET', '/v1/pet/a'), whole: 1, options: { limits: { keepAliveMs } } };
  }),
  { what: 'cors', requests: message('GET', '/v1/pet/a', '', ['Origin: http://b']), whole: 1, options: { cors: { origins: '*' as const } } },
];
const equal = suite('the bytes that writeHead sends for');
for (const { what, requests, whole, options = {} } of ROWS) {
  equal(what, async () => {
    const direct = await converse(requests, options);
    const byNode = await withNodesHeads(async () => converse(requests, options));
    assert.is(direct.bytes, byNode.bytes);
    assert.is(byNode.whole, 0);
    assert.is(direct.whole, whole);
  });
}
