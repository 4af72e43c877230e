/** The messages that no other test asserts. `tests/messages.test.ts` holds them against `docs/messages.md`. */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { bearer } from '../src/auth/index.ts';
import { wildcardId } from '../src/codecs/index.ts';
import { events, ndjson, ranges } from '../src/formats/index.ts';
import { ApiError, ApiServer, bytes, created, integerId, reply, stringId, type Interceptor } from '../src/index.ts';
import { idempotent, memoryIdempotencyStore } from '../src/interceptors/index.ts';
import { openApi } from '../src/openapi/index.ts';
import { connected, creating } from './support/creating.ts';
import { until } from './support/gate.ts';
import { listening } from './support/hosting.ts';
import { head, message, problemIn } from './support/messages.ts';
import { rawRequest } from './support/raw-client.ts';
import { ServerLog } from './support/server-log.ts';
import { serving } from './support/serving.ts';

const run = (): string => 'ran';
const schema = (json: unknown): unknown => json;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const PUT = { method: 'PUT', headers: JSON_TYPE, body: '{}' };

interface Called {
  readonly status: number;
  readonly detail: string | undefined;
  readonly log: string;
}

/** Registers an endpoint at `/v1/pet`, sends it a request, and reads its response and the log. */
async function called(endpoint: object, init: RequestInit = {}, path = '/v1/pet'): Promise<Called> {
  const log = new ServerLog();
  const server = new ApiServer('/v1', { logger: log.logger });
  server.registerEndpoint('/pet', endpoint as never);
  const response = await server.fetch(path, init);
  const text = await response.text().catch(() => '');
  const { detail } = response.status >= 400 ? JSON.parse(text) as { detail?: string } : {};
  await server.stop();
  return { status: response.status, detail, log: log.errors.map((error) => error.message).join('\n') };
}

const twice: Interceptor = {
  around: async (_call, next) => {
    await next();
    return next();
  },
};
const adding = { around: (_call: unknown, next: (added: unknown) => unknown) => next(7) };

const logged = suite('a rare failure that is logged');
for (const [text, endpoint, init] of [
  ['the result of getScopes must be a list of strings: 7', { scopes: ['a'], context: bearer(() => 1, { getScopes: (() => 7) as never }), get: run },
    { headers: { Authorization: 'Bearer a' } }],
  ['the schema returned neither a value nor issues', { update: { input: { '~standard': { version: 1, vendor: 'a', validate: () => ({}) } }, run } }, PUT],
  ['the message of a schema issue must be a string: number',
    { update: { input: { '~standard': { version: 1, vendor: 'a', validate: () => ({ issues: [{ message: 7 }] }) } }, run } }, PUT],
  ['an event has a name that events() does not have: "dnoe"',
    { get: { output: events({ done: schema }), run: () => [{ event: 'dnoe', data: 1 }] } }, {}],
  ['a sequence must be an iterable or an async iterable: number', { get: { output: ndjson(schema), run: () => 7 } }, {}],
  ['idempotent: a stream cannot be stored: reply with a string or bytes',
    { custom: { pay: { use: idempotent(memoryIdempotencyStore()), run: () => reply(200, Readable.from(['a'])) } } },
    { method: 'POST', headers: { 'Idempotency-Key': 'a-key' } }],
  ['run() must not be called again: the input is a stream, and has been read', { update: { input: bytes(), use: twice, run: () => {} } }, PUT],
  ['the properties that an interceptor adds must be an object: 7', { get: { use: adding, run } }, {}],
  ['only create of an endpoint with ids can return created()', { get: () => created(1, {}) }, {}],
  ['the error does not match errors.409', {
    get: {
      errors: { 409: () => { throw new Error('balance: expected a number'); } },
      run: () => { throw ApiError.status(409, 'no', { extensions: { balance: 'x' } }); },
    },
  }, {}],
] as readonly (readonly [text: string, endpoint: object, init: RequestInit])[]) {
  logged(`${text} -> 500`, async () => {
    const { status, log } = await called(endpoint, init, 'custom' in endpoint ? '/v1/pet/pay' : '/v1/pet');
    assert.match(log, text);
    assert.ok(status === 500 || 'output' in ((endpoint as { get?: object }).get ?? {}), `${status}`);
  });
}
logged('no Location is sent: the path of the mount is not valid -> 201', async () => {
  const log = new ServerLog();
  const server = new ApiServer('/v1', { logger: log.logger });
  server.registerEndpoint('/pet', { id: integerId, schema, create: () => 1 });
  const host = createServer((request, response) => {
    server.requestListener(Object.assign(request, { originalUrl: '//evil.example/v1/pet' }), response);
  });
  const response = await rawRequest(await listening(host), message('POST', '/v1/pet', '{}', ['Content-Type: application/json', 'Connection: close']));
  assert.equal([response.status, response.headers.get('location')], [201, undefined]);
  assert.match(log.errors.map((error) => error.message).join('\n'), 'no Location is sent: the path of the mount is not valid');
  host.close();
});
logged('the request was over before the operation ran -> to the interceptor', async () => {
  let thrown: unknown;
  const late: Interceptor = {
    around: async ({ request }, next) => {
      await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
      try {
        return await next();
      } catch (error) {
        thrown = error;
        throw error;
      }
    },
  };
  const server = new ApiServer('/v1', { logger: new ServerLog().logger });
  server.registerEndpoint('/pet', { get: { use: late, run } });
  const aborting = new AbortController();
  const response = server.fetch('/v1/pet', { signal: aborting.signal }).catch(() => {});
  setTimeout(() => aborting.abort(), 10);
  await response;
  await until(() => thrown !== undefined, 'the error');
  assert.match(String(thrown), 'the request was over before the operation ran');
  await server.stop();
});
logged('a socket of createServer: a listener fails when an upgrade closes', async () => {
  await creating(async ({ port, errors }) => {
    const client = await connected(port);
    client.send(head('GET', '/theirs', ['Connection: Upgrade', 'Upgrade: chat']));
    await client.closed();
    client.destroy();
    await until(() => errors.length > 0, 'the log');
    assert.match(errors.map((error) => error.message).join('\n'), 'a socket of createServer: the app failed');
  }, {
    prepare: (server) => server.on('upgrade', (request, socket) => {
      request.on('close', () => { throw new Error('the app failed'); });
      socket.end();
    }),
  });
});
logged.run();

const thrown = suite('a rare TypeError');
for (const [text, act] of [
  ['options.schemes must be names of schemes, such as Bearer: "Bearer "', () => bearer(run, { schemes: ['Bearer '] })],
  ['options.protocol must be a token, such as chat: a b', () => new ApiServer('').registerUpgrade('/chat', () => {}, { protocol: 'a b' })],
  ['endpoint.context.security must be { name, scheme }, with a name of A-Z a-z 0-9 . _ -: ', () => {
    const server = new ApiServer('', { logger: new ServerLog().logger });
    server.registerEndpoint('/pet', { context: Object.assign(() => 1, { security: { name: 'a b', scheme: {} } }), get: run } as never);
    openApi(server, { info: { title: 'a', version: '1' } });
  }],
] as const) {
  thrown(text, () => assert.throws(act, (error: unknown) => error instanceof TypeError && error.message.startsWith(text)));
}
for (const [text, url] of [['fetch takes a path, or a URL with http or https: "file:///pet"', 'file:///pet']] as const) {
  thrown(text, async () => {
    const error = await new ApiServer('').fetch(url).then(() => undefined, (reason: unknown) => reason as Error);
    assert.instance(error, TypeError);
    assert.is(error?.message, text);
  });
}
thrown('a JSON Schema must not be deeper than 500 levels -> to onWarning', () => {
  const server = new ApiServer('', { logger: new ServerLog().logger });
  const deep = JSON.parse('{"not":'.repeat(501) + 'true' + '}'.repeat(501)) as object;
  server.registerEndpoint('/pet', { update: { input: schema, run: () => {} } });
  const problems: string[] = [];
  openApi(server, { info: { title: 'a', version: '1' }, jsonSchema: () => deep, onWarning: (problem) => problems.push(problem) });
  assert.match(problems.join('\n'), 'a JSON Schema must not be deeper than 500 levels');
});
thrown.run();

const rare = suite('a rare problem');
for (const [detail, status, endpoint, init, path] of [
  ['the id has an empty segment, ".", ".." or a backslash', 400, { id: wildcardId, get: run }, {}, '/v1/pet/a//b'],
  ['the id has ".", ".." or a backslash', 400, { id: { ...wildcardId, emptySegments: true }, get: run }, {}, '/v1/pet/a/%5C'],
  ['The range begins after the end: there are 3 bytes.', 416,
    { get: () => reply(200, ranges({ size: 3, read: () => Readable.from(['abc']) }), { 'Content-Type': 'text/plain' }) },
    { headers: { Range: 'bytes=9-' } }],
  ['The body must have no Content-Encoding.', 415, { schema, update: run }, { ...PUT, headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' } }],
  ['From a page of a different origin, a POST needs a Content-Type that requires a preflight.', 415,
    { custom: { send: { input: bytes({ types: ['text/plain', 'image/png'] }), run } } },
    { method: 'POST', body: 'a', headers: { 'Content-Type': 'text/plain', 'Sec-Fetch-Site': 'cross-site' } }, '/v1/pet/send'],
  ['The request must have If-Match, with the version of the item that it changes.', 428,
    { schema, get: run, version: () => 1, requireIfMatch: true, update: () => {} }, PUT],
] as readonly (readonly [detail: string, status: number, endpoint: object, init: RequestInit, path?: string])[]) {
  rare(`${detail} -> ${status}`, async () => {
    const response = await called(endpoint, init, path);
    assert.is(response.status, status);
    assert.match(response.detail ?? '', detail);
  });
}
for (const [detail, status, keys, caller] of [
  ['Too many requests with idempotency keys are running.', 503, memoryIdempotencyStore({ max: 1 }), undefined],
  ['Too many requests of this caller with idempotency keys are running.', 429, memoryIdempotencyStore({ maxPerCaller: 1 }), () => 'ann'],
] as const) {
  rare(`${detail} -> ${status}`, async () => {
    let end = (): void => {};
    const use = idempotent(keys, caller === undefined ? {} : ({ caller } as never));
    const pay = { custom: { pay: { use, run: () => new Promise<number>((resolve) => (end = () => resolve(1))) } } };
    const first = called(pay, { method: 'POST', headers: { 'Idempotency-Key': 'one' } }, '/v1/pet/pay');
    const second = await called(pay, { method: 'POST', headers: { 'Idempotency-Key': 'two' } }, '/v1/pet/pay');
    assert.equal([second.status, second.detail], [status, detail]);
    end();
    assert.is((await first).status, 200);
  });
}
for (const [detail, status, request] of [
  ['The only version of the WebSocket protocol is 13.', 426,
    head('GET', '/chat', ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 8', 'Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA=='])],
  ['The request must be HTTP/1.1 or HTTP/1.0.', 400, message('GET', '/v1/pet').replace('HTTP/1.1', 'HTTP/2.0')],
  ['This server has no such method.', 501, message('BREW', '/v1/pet')],
  ['The header section is too long.', 431, message('GET', '/v1/pet', '', [`X-Long: ${'a'.repeat(20_000)}`])],
] as const) {
  rare(`${detail} -> ${status}`, () => serving((server) => {
    server.registerEndpoint('/pet', { id: stringId, get: run });
    server.registerUpgrade('/chat', (_request, socket) => socket.end());
  }, async ({ port }) => {
    const response = await rawRequest(port, request);
    assert.is(response.status, status);
    assert.is(problemIn(response).detail, detail);
  }));
}
rare.run();
