/** What a page, a model or a neighbour may try with the tools of a server. */
import { apiKey, basic, bearer, firstOf } from '../../src/auth/index.ts';
import { integerId, reply, stringId } from '../../src/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { makeJsonSchema, run } from '../support/make-document.ts';
import { call, callTool, INFO, post, serveTools } from './serve-tools.ts';
import { assert, Gate, RawClient, send, serve, suite } from '../support/facts.ts';

const MEGABYTE = 2 ** 20;
const message = (name: string, given: string): string => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${given}}}`;
const head = (allHeaders: string, length: number): string => `POST /mcp HTTP/1.1\r\n${allHeaders}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const pages = suite('a page');
for (const [what, allHeaders] of [
  ['whose own name leads to the server, so that Origin is as Host', 'Host: evil.example\r\nOrigin: http://evil.example\r\n'],
  ['in a sandbox, whose Origin is null', 'Host: evil.example\r\nOrigin: null\r\n'],
  ['with the origin of the server itself', 'Host: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n'],
] as const) {
  pages(`${what} -> 403, and nothing is called`, () => serveTools(async ({ port }, calls) => {
    const body = message('petGet', '{"id":7}');
    const client = await RawClient.send(port, head(allHeaders, body.length) + body);
    assert.is((await client.response()).status, 403);
    assert.equal(calls, []);
    client.destroy();
  }));
}

const names = suite('a name that objects inherit');
for (const given of ['{"__proto__":{"id":7}}', '{"\\u005f_proto__":{"id":7}}', '{"id":7,"query":{"__proto__":1}}']) {
  names(`__proto__ in the arguments ${given} -> 400, -32700`, () => serveTools(async ({ url }, calls) => {
    const { status, json } = await post(url, message('petGet', given));
    assert.equal([status, json.error.code, calls], [400, -32700, []]);
  }));
}
for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
  names(`${name} as an argument is unknown, and as a tool too`, () => serveTools(async ({ url }, calls) => {
    assert.match((await callTool(url, 'petGet', { id: 7, [name]: 1 })).json.result.content[0].text, /There is no such argument/);
    assert.is((await callTool(url, name)).json.error.code, -32602);
    assert.equal(calls, []);
  }));
}
names('constructor as a parameter must be given', () => serve((server) => {
  server.registerEndpoint('/x/:constructor' as never, { params: { constructor: stringId }, get: { tool: true, run } } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url }) => {
  assert.match((await callTool(url, 'xGet')).json.result.content[0].text, /The argument constructor must be/);
}));

const depths = suite('B5: an argument nested over 1,000 deep');
for (const [name, argument] of [['petCreate', 'body'], ['petList', 'query'], ['petGet', 'id']] as const) {
  for (const [what, opening, closing] of [['lists', '[', ']'], ['objects', '{"a":', '}']] as const) {
    depths(`of ${what} -> 400, -32700: ${argument}`, () => serveTools(async ({ url }, calls) => {
      const { status, json: { error } } = await post(url, message(name, `{"${argument}":${opening.repeat(1000)}1${closing.repeat(1000)}}`));
      assert.equal([status, error, calls], [400, { code: -32700, message: 'Bad arguments: the body is nested too deeply' }, []]);
    }));
  }
}

const credentials = suite('the credentials of a call');
for (const [what, context] of [
  ['that are declared to be in a cookie',
    Object.assign(() => 'anyone', { security: { name: 'session', scheme: { type: 'apiKey', in: 'cookie', name: 'session' } } })],
  ['that are declared to be in the field Cookie', apiKey('Cookie', () => 'ann').optional],
] as const) {
  credentials(`${what} are not passed on`, () => serve((server) => {
    server.registerEndpoint('/me', { context, get: { tool: true, run: ({ raw }: any) => ({ sent: Object.keys(raw.headers) }) } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url }) => {
    const { json } = await callTool(url, 'meGet', {}, { cookie: 'session=1' });
    assert.equal(json.result.structuredContent, { sent: ['host'] });
  }));
}
credentials('are not what a model says', () => serve((server) => {
  const headers = Object.assign((allHeaders: unknown) => allHeaders, { '~standard': {
    version: 1, vendor: 'tests', validate: (value: unknown) => ({ value }),
    jsonSchema: { input: () => ({ type: 'object', properties: { authorization: {}, cookie: {}, host: {}, 'x-key': {}, 'x-note': {}, 'x-user': {} } }), output: () => ({}) },
  } });
  const context = apiKey('X-Key', (key) => (key === 'secret' ? 'ann' : undefined)).optional;
  server.registerEndpoint('/me', { context, get: { tool: { headers: ['X-Note'] }, headers, run: ({ raw, context: user }: any) => ({ user: user ?? null, sent: raw.headers }) } } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url }) => {
  const [tool] = (await call(url, 'tools/list')).json.result.tools;
  assert.equal(Object.keys(tool.inputSchema.properties.headers.properties), ['x-note']);
  assert.equal((await callTool(url, 'meGet', { headers: { 'x-note': 'a' } })).json.result.structuredContent.sent['x-note'], 'a');
  for (const given of [{ 'x-key': 'secret' }, { 'x-user': 'admin' }, { authorization: 'Bearer a' }, { cookie: 'a=b' }, { 'x-note': 'a\r\nX-Key: secret' }, { 'x-note': {} }, 'x-note: a']) {
    const { json: { result } } = await callTool(url, 'meGet', { headers: given });
    assert.equal([result.isError, result.structuredContent.detail], [true, 'The argument headers must be an object of strings, with x-note.']);
  }
  // A proxy has set them for the request with the call.
  for (const [sent, given, expected] of [
    [{ 'X-User': 'eve' }, { 'x-note': 'a' }, ['eve', 'a']],
    [{ 'x-user': 'eve', 'x-note': 'b' }, { 'x-note': 'a' }, ['eve', 'b']],
    [{ 'x-other': 'c', cookie: 'a=b' }, { 'x-note': 'a' }, [undefined, 'a']],
  ] as const) {
    const { sent: got } = (await callTool(url, 'meGet', { headers: given }, sent)).json.result.structuredContent;
    assert.equal([got['x-user'], got['x-note'], got['x-other'], got.cookie], [...expected, undefined, undefined]);
  }
}));
for (const name of ['x-none', 'authorization', 'X-Key', 'X-Forwarded-For', 'Content-Type', 'Proxy-A', 'host']) {
  credentials(`are not offered by tool.headers: ${name}`, () => serve((server) => {
    const declared = name === 'x-none' ? {} : { [name]: {} };
    const headers = makeJsonSchema({ type: 'object', properties: declared });
    const context = apiKey('X-Key', () => 'ann');
    server.registerEndpoint('/me', { context, get: { tool: { headers: [name] }, headers, run: () => 1 } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url, errors }) => {
    assert.is((await call(url, 'tools/list')).status, 500);
    assert.match(errors.map(({ message }) => message).join(), `tool.headers of meGet must be headers that it declares, without credentials: "${name}"`);
  }));
}
const byToken = bearer((token) => (token === 'ann' ? token : undefined));
const either = firstOf(byToken, basic((user, password) => (password === 'secret' ? user : undefined)));
for (const [scheme, signedIn, what, lines, status, detail] of [
  ['firstOf(bearer, basic)', either, 'a token', ['Authorization: Bearer ann'], undefined, undefined],
  ['firstOf(bearer, basic)', either, 'a password', [`Authorization: Basic ${btoa('bob:secret')}`], undefined, undefined],
  ['firstOf(bearer, basic)', either, 'nothing', [], 401, 'The request needs a bearer token.'],
  ['firstOf(bearer, basic)', either, 'a wrong token', ['Authorization: Bearer eve'], 401, 'The token is not valid.'],
  ['firstOf(bearer, basic)', either, 'two tokens', ['Authorization: Bearer ann', 'Authorization: Bearer ann'], 400, 'The Authorization header is malformed.'],
  ['bearer', byToken, 'two tokens', ['Authorization: Bearer ann', 'Authorization: Bearer ann'], 400, 'The Authorization header is malformed.'],
  ['bearer', byToken, 'a token, and another one behind it',
    ['Authorization: Bearer ann', 'Authorization: Bearer eve'], 400, 'The Authorization header is malformed.'],
] as const) {
  credentials(`of ${scheme} are read as over HTTP: ${what} -> ${status ?? 200}`, () => serve((server) => {
    server.registerEndpoint('/me', { context: signedIn, get: { tool: true, run: ({ context, raw }) => ({ user: context, lines: raw.rawHeaders.length / 2 }) } });
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ port }) => {
    const allHeaders = ['Host: 127.0.0.1', ...lines, ''].join('\r\n');
    const body = message('meGet', '{}');
    const { result } = JSON.parse((await send(port, head(allHeaders, body.length) + body)).body);
    const direct = await send(port, `GET /v1/me HTTP/1.1\r\n${allHeaders}\r\n`);
    assert.equal([direct.status, result.isError], [status ?? 200, status !== undefined]);
    if (status === undefined) assert.equal(result.structuredContent, JSON.parse(direct.body));
    else assert.equal([result.structuredContent, result.structuredContent.detail], [JSON.parse(direct.body), detail]);
  }));
}

const lengths = suite('the limit of a head, for arguments');
const LONG = 'x'.repeat(MEGABYTE - 1000);
const READ = { tool: { headers: ['x-note'] }, query: (query: unknown) => query, headers: makeJsonSchema({ type: 'object', properties: { 'x-note': {} } }) };
for (const [what, given] of [
  ['an id', { id: LONG }],
  ['an id whose characters are escaped', { id: 'é'.repeat(6000) }],
  ['a value of the query', { id: 'a', query: { a: LONG } }],
  ['a name of the query', { id: 'a', query: { [LONG]: 1 } }],
  ['a list of the query', { id: 'a', query: { a: Array.from({ length: 100_000 }, () => 1) } }],
  ['many names of the query', { id: 'a', query: Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`name${at}`, 1])) }],
  ['a header', { id: 'a', headers: { 'x-note': LONG } }],
  ['a header that is too long beside the query', { id: 'a', query: { a: 'x'.repeat(9000) }, headers: { 'x-note': 'x'.repeat(9000) } }],
] as const) {
  lengths(`holds for ${what}: an error that a model can read, and nothing is called`, async () => {
    const called: unknown[] = [];
    await serve((server) => {
      server.registerEndpoint('/pet', { id: stringId, get: { ...READ, run: (id: string) => void called.push(id) } } as never);
      server.mount('/mcp', mcpHandler(server, { info: INFO }));
    }, async ({ url }) => {
      const { json: { result } } = await callTool(url, 'petGet', given);
      const text = 'The arguments for the path, the query and the headers are too long: with the credentials, they must be shorter than 16384 bytes.';
      assert.equal([result.isError, result.structuredContent.status, result.structuredContent.detail, called], [true, 400, text, []]);
    });
  });
}
for (const [what, bytes, isError] of [['just below limits.headerBytes', 30, false], ['of limits.headerBytes', 31, true]] as const) {
  lengths(`holds for the head as a whole: one ${what}`, () => serve((server) => {
    server.registerEndpoint('/pet', { id: stringId, get: { tool: true, run: (id: string, { raw }: any) => ({ id, head: raw.url.length + raw.rawHeaders.join('').length }) } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url, port }) => {
    const around = '/v1/pet/'.length + `host127.0.0.1:${port}`.length;
    const { json: { result } } = await callTool(url, 'petGet', { id: 'x'.repeat(300 - around + bytes - 31) });
    assert.is(result.isError, isError);
    if (!isError) assert.is(result.structuredContent.head, 299);
  }, { limits: { headerBytes: 300 } }));
}

const large = suite('a large response');
large('of 2 MB is an error that a model can read', () => serve((server) => {
  server.registerEndpoint('/pet', { id: integerId, list: { tool: true, run: () => ['x'.repeat(MEGABYTE), 'x'.repeat(MEGABYTE)] } } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url }) => {
  const { json } = await callTool(url, 'petList');
  assert.equal(json.result, { content: [{ type: 'text', text: 'The response has more than 1048576 bytes. Ask for less.' }], isError: true });
}));
large('of 50 MB that is a stream is not read to its end', async () => {
  let pieces = 0;
  const stream = async function* () {
    for (; pieces < 800; pieces += 1) yield Buffer.alloc(64 * 1024);
  };
  await serve((server) => {
    server.registerEndpoint('/pet', { id: integerId, list: { tool: true, run: () => reply(200, stream()) } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url }) => {
    assert.is((await callTool(url, 'petList')).json.result.isError, true);
  });
  assert.ok(pieces < 100, `${pieces} pieces`);
});
large('of 1,000 tools is on 5 pages, and the last tool can be called', () => serve((server) => {
  for (let at = 1000; at < 2000; at += 1) server.registerEndpoint(`/t${at}`, { get: { tool: true, run: () => at } } as never);
  server.mount('/mcp', mcpHandler(server, { info: INFO }));
}, async ({ url }) => {
  const listed = new Set<string>();
  let count = 0;
  for (let cursor: string | undefined; count === 0 || cursor !== undefined; count += 1) {
    const { result } = (await call(url, 'tools/list', cursor === undefined ? {} : { cursor })).json;
    for (const { name } of result.tools) listed.add(name);
    cursor = result.nextCursor;
  }
  assert.equal([count, listed.size], [5, 1000]);
  assert.equal((await callTool(url, 't1999Get')).json.result.structuredContent, { value: 1999 });
}));

const limits = suite('a call');
limits('needs one place in flight, where there is one', async () => {
  const [begun, gate] = [new Gate(), new Gate()];
  await serve((server) => {
    server.registerEndpoint('/pet', { id: integerId, get: { tool: true, run: async (id: number) => {
      if (id === 2) begun.open();
      if (id === 2) await gate.passed;
      return { id };
    } } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url }) => {
    assert.equal((await callTool(url, 'petGet', { id: 1 })).json.result.structuredContent, { id: 1 });
    const waiting = callTool(url, 'petGet', { id: 2 });
    await begun.passed;
    assert.is((await fetch(`${url}/v1/pet/1`)).status, 503);
    gate.open();
    assert.equal((await waiting).json.result.structuredContent, { id: 2 });
  }, { limits: { inFlight: 1 } });
});
limits('passes the middleware once', async () => {
  const passed: unknown[] = [];
  await serveTools(async ({ url, server }) => {
    server.use((request, _, next) => {
      passed.push(request.url);
      next();
    });
    await callTool(url, 'petGet', { id: 7 });
  });
  assert.equal(passed, ['/mcp']);
});
limits('that arrives while the server stops gets its response', async () => {
  const body = message('petGet', '{"id":7}');
  await serveTools(async ({ port, server }) => {
    const client = await RawClient.connect(port);
    const begun = new Promise<void>((resolve) => server.use((_, __, next) => {
      resolve();
      next();
    }));
    client.send(head('Host: 127.0.0.1\r\n', body.length) + body.slice(0, 10));
    await begun;
    const stopped = server.stop();
    client.send(body.slice(10));
    const { status, body: response } = await client.response();
    assert.equal([status, JSON.parse(response).result.structuredContent], [200, { name: 'Rex' }]);
    client.destroy();
    await stopped;
  });
});
limits('whose operation runs when the server stops gets its response', async () => {
  const gate = new Gate();
  await serve((server) => {
    server.registerEndpoint('/pet', { get: { tool: true, run: async () => {
      gate.open();
      await new Promise((resolve) => server.stopping.addEventListener('abort', resolve));
      return { done: true };
    } } } as never);
    server.mount('/mcp', mcpHandler(server, { info: INFO }));
  }, async ({ url, server }) => {
    const called = callTool(url, 'petGet');
    await gate.passed;
    const stopped = server.stop();
    assert.equal((await called).json.result.structuredContent, { done: true });
    await stopped;
  });
});
