/**
 * The CPU time of a byte, for each kind of input: at most ten times that of JSON of the same size, which the same server reads. Measured as
 * time of the processor, so that other work of the machine does not count. With RESTPOINT_COSTS=1, each test prints its ratio.
 */
import { basic, bearer } from '../../src/auth/index.ts';
import { events, form, mergePatch, ndjson } from '../../src/formats/index.ts';
import { stringId, type ApiServer } from '../../src/index.ts';
import { idempotent, memoryIdempotencyStore, rateLimit } from '../../src/interceptors/index.ts';
import { mcpHandler } from '../../src/mcp/index.ts';
import { assert, message, RawClient, serve, suite } from '../support/facts.ts';

const BODY = 256 * 1024;
const HEAD = 15 * 1024;
// A round sends about so many bytes.
const ROUND = 512 * 1024;
const [ROUNDS, MAX_ROUNDS, MAX_RATIO] = [7, 41, 10];

const acceptAny = (value: unknown): unknown => value;
const deep: unknown = JSON.parse('['.repeat(BODY / 2) + ']'.repeat(BODY / 2));
const one = (): number => 1;
const count = async (items: AsyncIterable<unknown>): Promise<number> => {
  let all = 0;
  for await (const _ of items) all += 1;
  return all;
};

function declare(server: ApiServer): void {
  const it = {
    id: stringId,
    version: one,
    get: acceptAny,
    update: { input: acceptAny, run: one },
    custom: {
      json: { input: acceptAny, run: one },
      form: { input: form(acceptAny), run: one },
      lines: { input: ndjson(acceptAny), run: count },
      patch: { input: mergePatch(acceptAny), run: async (change: (current: unknown) => unknown) => void (await change({})), output: { 204: null } },
      pay: { input: acceptAny, use: idempotent(memoryIdempotencyStore()), run: one },
      fail: { input: acceptAny, run: (value: unknown) => { throw new Error(String(value)); } },
    },
  };
  for (const [path, endpoint] of Object.entries({
    '/it': it,
    '/query': { get: { query: acceptAny, run: one } },
    '/lists': { get: { query: acceptAny, lists: ['tag'], run: one } },
    '/deep': { get: () => deep },
    '/events': { get: { output: events(acceptAny), run: () => [] } },
    '/basic': { context: basic(() => 'ann'), get: one },
    '/bearer': { context: bearer(() => 'ann'), get: one },
    '/hops': { get: { use: rateLimit({ limit: 1_000_000, windowSeconds: 60 }), run: one } },
  })) server.registerEndpoint(path, endpoint as never);
  server.mount('/mcp', mcpHandler(server, { info: { name: 'zoo', version: '1' } }));
}

/** As many copies of a string as have `size` characters. */
const fill = (size: number, unit: string): string => unit.repeat(Math.ceil(size / unit.length));
const list = (size: number, unit: string): string => `[${fill(size, `${unit},`).slice(0, -1)}]`;
const formatNumbered = (size: number, make: (n: number) => string): string => {
  return Array.from({ length: Math.ceil(size / make(1000).length) }, (_, n) => make(n)).join('');
};
const post = (name: string, body: string, type = 'application/json'): string => {
  return message('POST', `/v1/it/${name}`, body, [`Content-Type: ${type}`, 'Accept: application/json']);
};
const get = (target: string, ...headers: string[]): string => message('GET', `/v1${target}`, '', headers);
const part = (n: number): string => `--b\r\nContent-Disposition: form-data; name="${n}"\r\n\r\n1\r\n`;
const multipart = (parts: string): string => post('form', `${parts}--b--\r\n`, 'multipart/form-data; boundary=b');
const call = (params: string): string => {
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  return message('POST', '/v1/mcp', body, ['Content-Type: application/json', 'Accept: application/json, text/event-stream']);
};

const costs = suite('a byte costs at most ten times a byte of JSON');
for (const [what, request, size] of [
  ['JSON that is deep', post('json', '['.repeat(BODY / 2) + ']'.repeat(BODY / 2))],
  ['JSON of objects within objects', post('json', '{"a":'.repeat(BODY / 6) + '1' + '}'.repeat(BODY / 6))],
  ['JSON that is wide', post('json', list(BODY, '{}'))],
  ['JSON of many keys', post('json', `{${formatNumbered(BODY, (n) => `"k${n}":1,`)}"z":1}`)],
  ['JSON of escapes', post('json', `"${fill(BODY, '\\u005f')}"`)],
  ['JSON of quotes', post('json', list(BODY, '"\\""'))],
  ['JSON of long numbers', post('json', list(BODY, '9007199254740990'))],
  ['JSON of numbers with exponents', post('json', list(BODY, '1e100'))],
  ['JSON with a wrong number at its end', post('json', list(BODY, '1').replace(/1]$/, '1e999]'))],
  ['JSON that is cut short', post('json', fill(BODY, '[{"a":1},'))],
  ['JSON that is not UTF-8', post('json', `"${fill(BODY, '\xff')}"`)],
  ['a form of many fields', post('form', formatNumbered(BODY, (n) => `k${n}=1&`), 'application/x-www-form-urlencoded')],
  ['a form of one field, many times', post('form', fill(BODY, 'a=1&'), 'application/x-www-form-urlencoded')],
  ['a form of escapes', post('form', `a=${fill(BODY, '%C3%A9')}`, 'application/x-www-form-urlencoded')],
  ['a form of signs', post('form', fill(BODY, '&'), 'application/x-www-form-urlencoded')],
  ['a multipart form of many parts', multipart(formatNumbered(BODY, part))],
  ['a multipart form of a part with a long head', multipart(`--b\r\nX: ${fill(BODY, 'a;')}\r\n\r\n1\r\n`)],
  ['a multipart form of a part with many headers', multipart(`--b\r\n${fill(BODY, 'a: b\r\n')}\r\n1\r\n`)],
  ['a multipart form of a name with escapes', multipart(`--b\r\nContent-Disposition: form-data; name="${fill(BODY, '\\"')}"\r\n\r\n1\r\n`)],
  ['a multipart form of almost boundaries', multipart(`${part(1)}${fill(BODY, '\r\n--')}`)],
  ['NDJSON of digits', post('lines', fill(BODY, '1\n'), 'application/x-ndjson')],
  ['NDJSON of strings', post('lines', fill(BODY, '"é"\n'.replace('é', '\xc3\xa9')), 'application/x-ndjson')],
  ['NDJSON of objects', post('lines', fill(BODY, '{}\n'), 'application/x-ndjson')],
  ['NDJSON of empty strings', post('lines', fill(BODY, '""\n\n'), 'application/x-ndjson')],
  ['NDJSON of empty lines', post('lines', fill(BODY, '\n'), 'application/x-ndjson')],
  ['NDJSON with a wrong line', post('lines', fill(BODY, '1,\n'), 'application/x-ndjson')],
  ['a merge patch of many keys', post('patch', `{${formatNumbered(BODY, (n) => `"k${n}":1,`)}"z":null}`, 'application/merge-patch+json')],
  ['a merge patch of many levels', post('patch', '{"a":'.repeat(900) + '1' + '}'.repeat(900), 'application/merge-patch+json')],
  ['a message of MCP of many keys', call(`{"name":"x","arguments":{${formatNumbered(BODY, (n) => `"k${n}":1,`)}"z":1}}`)],
  ['a message of MCP that is deep', call(`{"name":"x","arguments":{"a":${'['.repeat(BODY / 2)}${']'.repeat(BODY / 2)}}}`)],
  ['an error message of a client', post('fail', `"${fill(BODY, '\x7f')}"`)],
  ['a result that is too deep for JSON', get('/deep'), BODY],
  ['a query of many parameters', get(`/query?${formatNumbered(HEAD, (n) => `k${n}=1&`)}`)],
  ['a query of signs', get(`/query?${fill(HEAD, '&')}`)],
  ['a query of escapes', get(`/query?a=${fill(HEAD, '%C3%A9')}`)],
  ['a query of wrong escapes', get(`/query?a=${fill(HEAD, '%')}`)],
  ['a query of a list', get(`/lists?${fill(HEAD, 'tag=1&')}`)],
  ['a path of escapes', get(`/it/${fill(HEAD, '%C3%A9')}`)],
  ['a path of segments', get(fill(HEAD, '/a'))],
  ['a path of dots', get(fill(HEAD, '/..'))],
  ['cookies', get('/it/a', `Cookie: ${formatNumbered(HEAD, (n) => `k${n}=1; `)}`)],
  ['If-None-Match of many tags', get('/it/a', `If-None-Match: ${fill(HEAD, '"2",')}`)],
  ['If-None-Match of commas', get('/it/a', `If-None-Match: ${fill(HEAD, ', ')}`)],
  ['If-None-Match of escapes', get('/it/a', `If-None-Match: ${fill(HEAD, '"%C3%A9-gzip",')}`)],
  ['If-Match of many tags', message('PUT', '/v1/it/a', '1', [`If-Match: ${fill(HEAD, 'W/"2-gzip",')}`])],
  ['If-Match that is not closed', message('PUT', '/v1/it/a', '1', [`If-Match: "1"${fill(HEAD, ' ')}x`])],
  ['Range of many ranges', get('/it/a', `Range: bytes=${fill(HEAD, '0-1,')}`)],
  ['Accept of many types', get('/it/a', `Accept: ${fill(HEAD, 'a/b;q=0.1,')}`)],
  ['Accept of parameters', get('/it/a', `Accept: a/b${fill(HEAD, ';a="\\""')}`)],
  ['Content-Type of parameters', post('json', '1', `application/json${fill(HEAD, ';a="\\""')}`)],
  ['Content-Type of semicolons', post('json', '1', `application/json${fill(HEAD, '; ')}x`)],
  ['Accept-Encoding', get('/it/a', `Accept-Encoding: ${fill(HEAD, 'gzip;q=0,')}`)],
  ['X-Forwarded-For of addresses of proxies', get('/hops', `X-Forwarded-For: ${fill(HEAD, '10.0.0.1,')}1.2.3.4`)],
  ['X-Forwarded-For of short addresses', get('/hops', `X-Forwarded-For: ${fill(HEAD, '::1,')}1.2.3.4`)],
  ['Access-Control-Request-Headers', message('OPTIONS', '/v1/it/a', '', [
    'Origin: https://a.example', 'Access-Control-Request-Method: PUT', `Access-Control-Request-Headers: ${fill(HEAD, 'a,')}`,
  ])],
  ['Origin', get('/it/a', `Origin: https://${fill(HEAD, 'a.')}`)],
  ['Authorization: Basic', get('/basic', `Authorization: Basic ${fill(HEAD, 'YTph')}`)],
  ['Authorization: Basic of spaces', get('/basic', `Authorization: Basic${fill(HEAD, ' ')}=`)],
  ['Authorization: Bearer', get('/bearer', `Authorization: Bearer ${fill(HEAD, 'a.')}`)],
  ['Authorization: Bearer of spaces', get('/bearer', `Authorization: Bearer${fill(HEAD, ' ')}=`)],
  ['Idempotency-Key', message('POST', '/v1/it/pay', '1', [`Idempotency-Key: "${fill(HEAD, '\\"')}"`])],
  ['Last-Event-ID', get('/events', `Last-Event-ID: ${fill(HEAD, '%')}`)],
  ['Prefer and others that nothing reads', get('/it/a', ...Array<string>(900).fill('Prefer: a=b'))],
] as readonly (readonly [what: string, request: string, size?: number])[]) {
  costs(what, () => serve(declare, async ({ port, errors }) => {
    const bytes = size ?? request.length;
    const json = post('json', list(Math.max(bytes - 100, 100), '"ab"'));
    const times = Math.max(1, Math.round(ROUND / bytes));
    let status = 0;
    const sendAll = async (sent: string): Promise<void> => {
      for (let at = 0, client: RawClient | undefined; at < times; at += 1) {
        client ??= await RawClient.connect(port);
        client.send(sent);
        const response = await client.response();
        status = response.status;
        if (response.headers.get('connection') !== 'close' && at < times - 1) continue;
        client.destroy();
        client = undefined;
      }
    };
    await compareCosts(what, () => sendAll(request), async () => {
      const { length } = errors;
      assert.ok(status >= 400 || length === 0);
      await sendAll(json);
      assert.equal([status, errors.length], [200, length]);
    });
  }, { cors: { origins: ['https://a.example'] }, limits: { bodyBytes: 2 ** 20 } } as never));
}
for (const [what, init] of [
  ['Connection of white space', { headers: { connection: `a${fill(HEAD, '\t')}b` } }],
  ['Connection of names', { headers: { connection: `a${fill(HEAD, ',b')}` } }],
  ['many headers', { headers: Array.from({ length: 900 }, (_, n): [string, string] => [`x-header-${n}`, '1']) }],
] as readonly (readonly [string, RequestInit])[]) {
  costs(`${what}, by fetch`, () => serve(declare, async ({ server }) => {
    const send = async (path: string, sent: RequestInit): Promise<void> => {
      for (let at = 0; at < ROUND / HEAD; at += 1) {
        const { status } = await server.fetch(`/v1/it/${path}`, sent);
        assert.is(status, 200);
      }
    };
    const json = { method: 'POST', body: list(HEAD, '"ab"'), headers: { 'content-type': 'application/json' } };
    await compareCosts(what, () => send('a', init), () => send('json', json));
  }));
}

/** Asserts that the median CPU time of `spend` is less than ten times that of `ofJson`. More rounds follow while it is not. */
async function compareCosts(what: string, spend: () => Promise<void>, ofJson: () => Promise<void>): Promise<void> {
  const [its, jsons]: [number[], number[]] = [[], []];
  let ratio = Infinity;
  for (let round = 0; round < ROUNDS || (round < MAX_ROUNDS && ratio >= MAX_RATIO); round += 1) {
    its.push(await measureCpu(spend));
    jsons.push(await measureCpu(ofJson));
    ratio = median(its) / median(jsons);
  }
  if (process.env['RESTPOINT_COSTS'] !== undefined) console.log(`${ratio.toFixed(1)} ${what}`);
  assert.ok(ratio < MAX_RATIO, `${what}: ${ratio}`);
}

/** The CPU time of a call, in microseconds. */
async function measureCpu(call: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function median(all: readonly number[]): number {
  return [...all].sort((a, b) => a - b)[all.length >> 1] ?? 0;
}
