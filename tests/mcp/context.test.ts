/** The option `context`: callers are authenticated before a message is read. */
import { setTimeout } from 'node:timers/promises';
import { anyone, bearer } from '../../src/auth/index.ts';
import { ApiError, ApiServer, type ContextRequest, integerId, reply } from '../../src/index.ts';
import { type ListedTool, mcpHandler, type McpOptions } from '../../src/mcp/index.ts';
import { serveListener } from '../support/serve-listener.ts';
import { call, callTool, INFO, serveTools } from './serve-tools.ts';
import { assert, Gate, message, RawClient, readProblem, runFor, send, serve, suite, waitTwoTurns, waitUntil } from '../support/facts.ts';

const head = (length: number, ...lines: readonly string[]): string =>
  ['POST /mcp?a=1 HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: application/json', `Content-Length: ${length}`, ...lines, '', ''].join('\r\n');
const user = bearer((token) => (token === 'ann' ? { name: token } : undefined));
const CHALLENGE = 'Bearer realm="api"';
const INVALID = `${CHALLENGE}, error="invalid_token"`;
const NOT_ALLOWED = 'The caller is not allowed to do this.';

const Users = { ann: { name: 'ann', scopes: ['pet:feed'], isAdmin: false }, bob: { name: 'bob', scopes: [], isAdmin: true } };
const signedIn = bearer((token) => Users[token as 'ann'], { getScopes: ({ scopes }) => scopes });
const authorizeAs = (name: string): Record<string, string> => ({ authorization: `Bearer ${name}` });
/** Serves a tool for everyone, a tool with a scope, a tool with a tag, and 250 others; `tools` lists them by scopes and tags. */
async function servingByCaller(use: (url: string, asked: ListedTool[], called: unknown[], errors: readonly Error[]) => Promise<void>, tools: unknown = undefined): Promise<void> {
  const asked: ListedTool[] = [];
  const called: unknown[] = [];
  const byDefault = (tool: ListedTool, { scopes, isAdmin }: typeof Users.ann): boolean => {
    asked.push(tool);
    return tool.scopes.every((scope) => scopes.includes(scope)) && (isAdmin || !tool.tags.includes('admin'));
  };
  const run = (id: number): object => ({ called: called.push(id) });
  await serve((server) => {
    server.registerEndpoint('/pet', { id: integerId, context: signedIn, get: { tool: true, run }, itemCustom: { feed: { tool: true, scopes: ['pet:feed'], run } }, delete: { tool: true, tags: ['admin'], run } } as never);
    for (let at = 100; at < 350; at += 1) server.registerEndpoint(`/t${at}`, { id: integerId, get: { tool: true, tags: at < 340 ? ['admin'] : [], run } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO, context: signedIn, tools: (tools ?? byDefault) as typeof byDefault }));
  }, ({ url, errors }) => use(url, asked, called, errors));
}

const byCaller = suite('the option tools of mcpHandler');
byCaller('lists for each caller the tools that it gives the caller', () => servingByCaller(async (url, asked) => {
  const list = async (name: string, params = {}): Promise<any> => (await call(url, 'tools/list', params, authorizeAs(name))).json.result;
  const few = Array.from({ length: 10 }, (_, at) => `t${340 + at}Get`);
  const ofAnn = await list('ann');
  assert.equal([ofAnn.tools.map(({ name }: any) => name), ofAnn.nextCursor], [['petGet', 'petItemFeed', ...few], undefined]);
  const first = await list('bob');
  const second = await list('bob', { cursor: first.nextCursor });
  const names = [...first.tools, ...second.tools].map(({ name }: any) => name);
  assert.equal([first.tools.length, names.length, new Set(names).size, second.nextCursor], [200, 252, 252, undefined]);
  assert.equal([names.slice(0, 2), names.includes('petItemFeed')], [['petDelete', 'petGet'], false]);
  const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false };
  assert.equal(asked.find(({ name }) => name === 'petItemFeed'), { name: 'petItemFeed', scopes: ['pet:feed'], tags: [], annotations });
}));
byCaller('calls no tool for a caller who does not have it, and does not say that it is there', () => servingByCaller(async (url, _, called) => {
  const unknown = await callTool(url, 'petNone', {}, authorizeAs('ann'));
  for (const [name, tool] of [['ann', 'petDelete'], ['ann', 't100Get'], ['bob', 'petItemFeed']] as const) {
    const { status, json } = await callTool(url, tool, { id: 7 }, authorizeAs(name));
    assert.equal([status, json, called], [unknown.status, unknown.json, []]);
  }
  for (const [name, tool] of [['ann', 'petGet'], ['ann', 'petItemFeed'], ['bob', 'petDelete']] as const) {
    assert.is((await callTool(url, tool, { id: 7 }, authorizeAs(name))).json.result.isError, false);
  }
  assert.equal(called, [7, 7, 7]);
}));
byCaller('takes no cursor of a list that has a tool which the caller does not have', () => servingByCaller(async (url) => {
  for (const [name, tool, code] of [['ann', 'petGet', undefined], ['ann', 'petDelete', -32602], ['ann', 'petNone', -32602]] as const) {
    const { json } = await call(url, 'tools/list', { cursor: Buffer.from(tool).toString('base64url') }, authorizeAs(name));
    assert.is(json.error?.code, code);
  }
}));
for (const [what, tools, message] of [
  ['a promise', async () => true, 'a promise, which is not awaited'],
  ['a promise that rejects', async () => { throw new Error('away'); }, 'a promise, which is not awaited'],
  ['nothing', () => {}, 'undefined'],
] as const) {
  byCaller(`that returns ${what} is a logged 500, and nothing is called`, () => servingByCaller(async (url, _, called, errors) => {
    assert.is((await call(url, 'tools/list', {}, authorizeAs('ann'))).status, 500);
    assert.is((await callTool(url, 'petGet', { id: 7 }, authorizeAs('ann'))).status, 500);
    assert.equal([called, errors.length], [[], 2]);
    for (const { message: logged } of errors) assert.is(logged, `* /mcp: options.tools must return true or false: it returned ${message}`);
  }, tools));
}
byCaller('gets undefined as the context if there is no option context', () => serveTools(async ({ url }) => {
  assert.equal((await call(url, 'tools/list')).json.result.tools.map(({ name }: any) => name), ['byGet']);
}, { tools: ({ name }, context) => name === 'byGet' && context === undefined }));

const rejected = suite('a caller whom the context of mcpHandler rejects');
for (const [what, context, lines, status, challenge, detail, logged] of [
  ['without credentials', user, [], 401, CHALLENGE, 'The request needs a bearer token.', 0],
  ['with a wrong token', user, ['Authorization: Bearer eve'], 401, INVALID, 'The token is not valid.', 0],
  ['with two tokens', user, ['Authorization: Bearer ann', 'Authorization: Bearer ann'], 400,
    `${CHALLENGE}, error="invalid_request"`, 'The Authorization header is malformed.', 0],
  ['by a promise', async (request: ContextRequest) => user(request), [], 401, CHALLENGE, 'The request needs a bearer token.', 0],
  ['by false', () => false, [], 403, undefined, NOT_ALLOWED, 0],
  ['by a promise of false', async () => false, [], 403, undefined, NOT_ALLOWED, 0],
  ['by undefined', () => undefined, [], 403, undefined, NOT_ALLOWED, 0],
  ['by a promise of null', async () => null, [], 403, undefined, NOT_ALLOWED, 0],
  ['by false, where there is a challenge', Object.assign(() => false, { unauthorized: user.unauthorized }),
    [], 401, CHALLENGE, 'The request needs a bearer token.', 0],
  ['by an error that it returns', () => ApiError.status(403, 'no'), [], 403, undefined, 'no', 0],
  ['by a 503', () => { throw ApiError.status(503, 'the users are away'); }, [], 503, undefined, 'the users are away', 1],
  ['by another error', () => { throw new Error('disk'); }, [], 500, undefined, undefined, 1],
  ['by a reply', () => reply(302, undefined, { Location: '/login' }), [], 500, undefined, undefined, 1],
] as const) {
  rejected(`${what} -> ${status}, and no byte of the message is read`, () => serveTools(async ({ port, errors }, calls) => {
    const client = await RawClient.send(port, head(1_000_000, ...lines));
    const response = await client.response();
    assert.equal([response.status, response.headers.get('www-authenticate'), readProblem(response).detail], [status, challenge, detail]);
    assert.equal([calls, errors.length], [[], logged]);
    client.destroy();
  }, { context: context as NonNullable<McpOptions['context']> }));
}
rejected('and who sends the message all the same can read the 401, and send another message', () => serveTools(async ({ port }) => {
  const client = await RawClient.connect(port);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  client.send(head(body.length) + body);
  assert.is((await client.response()).status, 401);
  client.send(head(body.length, 'Authorization: Bearer ann') + body);
  assert.is((await client.response()).body, '{"jsonrpc":"2.0","id":1,"result":{}}');
  client.destroy();
}, { context: user }));
rejected('by its origin, its path, its method, its type or its length is not asked for', async () => {
  let asked = 0;
  await serveTools(async ({ port }) => {
    for (const bytes of [
      head(2, 'Origin: http://evil.example'), message('POST', '/mcp/x', '{}'), message('GET', '/mcp'), message('POST', '/mcp', '{}').replace('application/json', 'text/plain'), head(2 ** 20 + 1),
    ]) {
      const client = await RawClient.send(port, bytes);
      assert.ok((await client.response()).status >= 400);
      client.destroy();
    }
  }, { context: () => { asked += 1; } });
  assert.is(asked, 0);
});

const admitted = suite('a caller whom the context of mcpHandler admits');
for (const [what, result] of [['0', 0], ['a user', { name: 'ann' }], ['a promise', Promise.resolve('ann')]] as const) {
  admitted(`by ${what} gets a response`, () => serveTools(async ({ url }) => {
    assert.equal((await callTool(url, 'petGet', { id: 7 })).json.result.structuredContent, { name: 'Rex' });
  }, { context: () => result }));
}
admitted('by anyone gets a response', () => serveTools(async ({ url }) => {
  assert.equal((await callTool(url, 'petGet', { id: 7 })).json.result.structuredContent, { name: 'Rex' });
}, { context: anyone }));
admitted('is authenticated by the tool too', () => serveTools(async ({ url }) => {
  assert.equal((await callTool(url, 'petItemFeed', { id: 7 })).json.result.structuredContent.status, 401);
  assert.equal((await callTool(url, 'petItemFeed', { id: 7 }, { authorization: 'Bearer ann' })).json.result.structuredContent, { id: 7, by: 'ann' });
}, { context: () => 'anyone' }));
admitted('is asked for with a request of the mount', async () => {
  const seen: unknown[] = [];
  await serveTools(async ({ port }) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.is((await send(port, head(body.length, 'X-Name: ann') + body)).status, 200);
  }, { context: ({ raw, route, params, query, signal, itemId }) => {
    seen.push(raw.headers['x-name'], route, params, query.get('a'), signal.aborted, itemId);
    return true;
  } });
  assert.equal(seen, ['ann', { method: 'POST', path: '/mcp' }, {}, '1', false, undefined]);
});
admitted('who leaves meanwhile aborts its signal, and nothing is called', async () => {
  const [begun, left] = [new Gate(), new Gate()];
  await serveTools(async ({ port }, calls) => {
    const client = await RawClient.connect(port);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'petGet', arguments: { id: 7 } } });
    client.send(head(body.length) + body);
    await begun.passed;
    client.destroy();
    await left.passed;
    assert.equal(calls, []);
  }, { context: async ({ signal }) => {
    begun.open();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    left.open();
    return true;
  } });
});

/** Waits until a signal aborts, and rejects because of it. */
const waitForever = (signal: AbortSignal): Promise<unknown> => setTimeout(600_000, undefined, { signal });
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

const timed = suite('C5: a context of mcpHandler that does not end');
for (const [what, fail, later] of [
  ['and passes its signal on', waitForever, undefined],
  ['and fails later', (signal: AbortSignal) => waitForever(signal).catch(() => { throw new Error('disk'); }), 'disk'],
  ['and rejects the caller later', (signal: AbortSignal) => waitForever(signal).catch(() => { throw ApiError.status(403, 'no'); }), undefined],
  ['and admits the caller later', (signal: AbortSignal) => waitForever(signal).catch(() => 'ann'), undefined],
] as const) {
  timed(`${what}: 503 after limits.operationMs, logged once, and its place in limits.inFlight is free`, async () => {
    let reason: unknown;
    let isFirst = true;
    const ended = new Gate();
    await serveTools(async ({ port, errors }) => {
      const client = await RawClient.send(port, head(PING.length) + PING);
      const response = await client.response();
      assert.equal([response.status, readProblem(response).detail], [503, 'The operation took too long.']);
      await ended.passed;
      await waitTwoTurns();
      assert.equal((reason as Error).name, 'TimeoutError');
      assert.match(errors[0]?.message ?? '', /The operation took too long\.$/);
      assert.equal(errors.slice(1).map(({ message: text }) => /disk$/.exec(text)?.[0]), later === undefined ? [] : [later]);
      client.send(head(PING.length) + PING);
      assert.is((await client.response()).status, 200);
    }, { context: async ({ signal }) => {
      if (!isFirst) return 'ann';
      isFirst = false;
      try {
        return await fail(signal);
      } finally {
        ({ reason } = signal);
        ended.open();
      }
    } }, { limits: { operationMs: 50, inFlight: 1 } });
  });
}
timed('and passes its signal on, and whose client leaves: nothing is logged, and its place in limits.inFlight is free', async () => {
  let reason: unknown;
  let isFirst = true;
  const [begun, ended] = [new Gate(), new Gate()];
  await serveTools(async ({ port, errors }) => {
    const client = await RawClient.send(port, head(PING.length) + PING);
    await begun.passed;
    client.destroy();
    await ended.passed;
    await waitTwoTurns();
    assert.equal((reason as Error).message, 'the client left');
    assert.equal(errors, []);
    assert.is((await send(port, head(PING.length) + PING)).status, 200);
  }, { context: async ({ signal }) => {
    if (!isFirst) return 'ann';
    isFirst = false;
    begun.open();
    return waitForever(signal).finally(() => {
      ({ reason } = signal);
      ended.open();
    });
  } }, { limits: { inFlight: 1 } });
});
timed('with an operationMs of 0: it may take any time', async () => {
  const gate = new Gate();
  await serveTools(async ({ port }) => {
    const client = await RawClient.send(port, head(PING.length) + PING);
    await runFor(200);
    gate.open();
    assert.is((await client.response()).status, 200);
  }, { context: () => gate.passed.then(() => 'ann') }, { limits: { operationMs: 0 } });
});
timed('until the message has arrived, but has admitted the caller: its signal does not abort, even if the message takes longer', async () => {
  let signal: AbortSignal | undefined;
  await serveTools(async ({ port }) => {
    const client = await RawClient.send(port, head(PING.length));
    await waitUntil(() => signal !== undefined, 'the context');
    await runFor(300);
    client.send(PING);
    assert.is((await client.response()).status, 200);
    client.destroy();
    await runFor(20);
    assert.is(signal?.aborted, false);
  }, { context: (request) => (({ signal } = request), 'ann') }, { limits: { operationMs: 100 } });
});

const mounted = suite('mcpHandler as a listener of a server of the user');
const serveOwn = (options: Partial<McpOptions>, use: (port: number) => Promise<void>): Promise<void> => {
  const handler = mcpHandler(new ApiServer('', { logger: { info: () => {}, error: console.error }, limits: { operationMs: 50 } }), { info: INFO, ...options });
  return serveListener((request, response) => {
    request.url = (request.url ?? '').replace('/mcp', '/');
    void handler(request, response, (error) => response.writeHead((error as ApiError).status).end());
  }, use);
};
mounted('rejects a message by its head, and drops its body: the connection stays usable', () => serveOwn({}, async (port) => {
  const client = await RawClient.send(port, head(PING.length).replace('application/json', 'text/plain') + PING);
  assert.is((await client.response()).status, 415);
  client.send(head(PING.length) + PING);
  assert.is((await client.response()).status, 200);
}));
mounted('passes the 503 of a context that takes too long on, and its late failure is a warning', async () => {
  const failed = new Gate();
  const warnings: string[] = [];
  const warn = ({ message: text }: Error): void => void warnings.push(text);
  process.on('warning', warn);
  try {
    await serveOwn({ context: () => failed.passed.then(() => Promise.reject(new Error('the disk is full'))) }, async (port) => {
      assert.is((await send(port, head(PING.length) + PING)).status, 503);
      failed.open();
      await waitUntil(() => warnings.length > 0, 'the warning');
      assert.equal(warnings, ['the disk is full']);
    });
  } finally {
    process.off('warning', warn);
  }
});

const lengths = suite('the length of a message');
for (const [what, bytes, framing] of [
  ['that its head states, before it is sent', '', 'Content-Length: 101'],
  ['in chunks', `65\r\n${' '.repeat(101)}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked'],
] as const) {
  lengths(`above bodyBytes, ${what} -> 413`, () => serveTools(async ({ port }) => {
    const client = await RawClient.send(port, `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${framing}\r\n\r\n${bytes}`);
    const { status, body } = await client.response();
    assert.equal([status, JSON.parse(body).error.message], [413, 'The message is too long.']);
    client.destroy();
  }, { bodyBytes: 100 }));
}
lengths('of bodyBytes is read, also above the default', () => serve((server) => {
  server.registerEndpoint('/pet', { id: integerId, create: { tool: true, input: (json: unknown) => json, limits: { bodyBytes: 2 ** 22 }, run: () => 1 } });
  server.mount('/mcp', mcpHandler(server, { info: INFO, bodyBytes: 2 ** 21 }));
}, async ({ url }) => {
  assert.is((await callTool(url, 'petCreate', { body: 'x'.repeat(2 ** 21 - 200) })).json.result.isError, false);
  assert.is((await call(url, 'ping', { a: 'x'.repeat(2 ** 21) })).status, 413);
}));
