/** The checks of every request before it is dispatched: host, expectation, upgrade. */
import { ApiServer, type ApiServerOptions } from '../../src/index.ts';
import { Zoo } from '../support/zoo.ts';
import { assert, RawClient, readStatuses, requestFor, send, sendUntilClosed, serve, suite, type TestServer, toText } from '../support/facts.ts';

const NEXT = requestFor('GET', '/v1/pet/1');
// A Get, a Custom operation, a mount, an unknown path, an unknown method, and the server as a whole.
const ASKED = ['GET /v1/pet/1', 'POST /v1/pet/count', 'PUT /files/a', 'GET /nowhere', 'PATCH /v1/pet', 'OPTIONS *', 'HEAD /v1/pet/1'] as const;

/** A zoo with a handler at `/files`, which counts as one of its operations. */
async function servingZoo(use: (zoo: Zoo, port: number, served: TestServer) => Promise<void>, options: ApiServerOptions = {}): Promise<void> {
  const zoo = new Zoo();
  await serve((server) => {
    zoo.register(server);
    server.mount('/files', (_request, response) => {
      zoo.invoked += 1;
      response.end('mounted');
    });
  }, async (served) => use(zoo, served.port, served), options);
}

const badHost = suite('C8: an invalid Host');
for (const [lines, why] of [
  ['', 'missing'],
  ['Host: a\r\nHost: a\r\n', 'repeated, the same'],
  ['Host: a\r\nHost: b\r\n', 'repeated, different'],
  ['Host: a\r\nX: y\r\nhOST: a\r\n', 'repeated, apart and in another case'],
  ['Host:\r\n', 'empty'],
  ['Host: \t \r\n', 'nothing but white space'],
  ['Host:\r\nHost: a\r\n', 'empty, then named'],
  ['Host: a b\r\n', 'a space within'],
  ['Host: a\tb\r\n', 'a tab within'],
  ['Host: a, b\r\n', 'a list'],
  ['Host: a,b\r\n', 'a comma'],
  ['Host: user@a\r\n', 'userinfo'],
  ['Host: a/b\r\n', 'a path'],
  ['Host: a/\r\n', 'a slash'],
  ['Host: http://a\r\n', 'a scheme'],
  ['Host: a?b\r\n', 'a query'],
  ['Host: a#b\r\n', 'a fragment'],
  ['Host: a\\b\r\n', 'a backslash'],
  ['Host: a:b\r\n', 'a port of letters'],
  ['Host: a:-1\r\n', 'a port below zero'],
  ['Host: a:80:80\r\n', 'two ports'],
  ['Host: a:123456\r\n', 'a port of six digits'],
  ['Host: 127.0.0.1:99999\r\n', 'a port over the highest'],
  ['Host: [::1]:65536\r\n', 'a port one over the highest'],
  ['Host: :80\r\n', 'a port alone'],
  ['Host: [::1\r\n', 'half a bracket'],
  ['Host: ::1\r\n', 'IPv6 without brackets'],
  ['Host: []\r\n', 'brackets around nothing'],
  ['Host: [:::]\r\n', 'colons that are not address'],
  ['Host: [1.2.3.4]\r\n', 'IPv4 in brackets'],
  ['Host: [::1]x\r\n', 'text after an address'],
  ['Host: a%zz\r\n', 'a malformed escape'],
  ['Host: "a"\r\n', 'quotes'],
  ['Host: <a>\r\n', 'angle brackets'],
  ['Host: caf\xe9\r\n', 'a byte outside ASCII'],
] as const) {
  badHost(`${why} -> 400, closed, and nothing is invoked, for any target`, () => servingZoo(async (zoo, port) => {
    for (const asked of ASKED) {
      const received = await sendUntilClosed(port, `${asked} HTTP/1.1\r\n${lines}\r\n${NEXT}`);
      assert.equal(readStatuses(received), [400], asked);
      assert.match(received, 'application/problem+json', asked);
    }
    assert.is(zoo.invoked, 0);
  }));
}
badHost('in HTTP/1.0 -> 400, but a missing Host is allowed', () => servingZoo(async (zoo, port) => {
  assert.is((await send(port, 'POST /v1/pet/count HTTP/1.0\r\n\r\n')).status, 200);
  assert.is((await send(port, 'GET /files HTTP/1.0\r\n\r\n')).status, 200);
  for (const lines of ['Host:\r\n', 'Host: a\r\nHost: a\r\n', 'Host: user@a\r\n']) {
    assert.equal(readStatuses(await sendUntilClosed(port, `GET /files HTTP/1.0\r\n${lines}\r\n`)), [400], lines);
  }
  assert.is(zoo.invoked, 2);
}));
badHost('beside a target in absolute-form -> 400', () => servingZoo(async (zoo, port) => {
  for (const lines of ['', 'Host: a\r\nHost: a\r\n', 'Host: user@a\r\n']) {
    const received = await sendUntilClosed(port, `POST http://a/v1/pet/count HTTP/1.1\r\n${lines}\r\n${NEXT}`);
    assert.equal(readStatuses(received), [400], lines);
  }
  assert.is(zoo.invoked, 0);
}));

const goodHost = suite('a valid Host');
for (const host of [
  'a', 'zoo.example', 'zoo.example.', 'ZOO.Example', 'zoo.example:80', 'zoo.example:', 'a_b.example', 'a-b~c', 'a%2Db', '127.0.0.1',
  '127.0.0.1:8080', '127.0.0.1:65535', '[::1]', '[::1]:8080', '[2001:DB8::1]', '[::ffff:1.2.3.4]', '  zoo.example\t ',
]) {
  goodHost(`${JSON.stringify(host)} is accepted`, () => servingZoo(async (_zoo, port) => {
    assert.is((await send(port, `POST /v1/pet/count HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status, 200);
  }));
}

const allowedHosts = ['zoo.example', 'LOCALHOST', '127.0.0.1', '::1', '[2001:db8::2]'] as const;
const rebinding = suite('C8: a list of allowed hosts');
for (const [target, line, status, why] of [
  ['', 'Host: zoo.example', 200, 'a name of the list'],
  ['', 'Host: zoo.example:8080', 200, 'with a port'],
  ['', 'Host: zoo.example:', 200, 'with an empty port'],
  ['', 'Host: Zoo.EXAMPLE', 200, 'in another case'],
  ['', 'Host: localhost:1', 200, 'listed in another case'],
  ['', 'Host: 127.0.0.1:8080', 200, 'an IPv4 address'],
  ['', 'Host: [::1]', 200, 'an IPv6 address that is listed without brackets'],
  ['', 'Host: [::1]:8080', 200, 'an IPv6 address with a port'],
  ['', 'Host: [2001:DB8::2]:8080', 200, 'an IPv6 address that is listed with brackets, in another case'],
  ['', 'Host: evil.example', 421, 'a different name'],
  ['', 'Host: zoo.example.evil.example', 421, 'a name that begins like one of the list'],
  ['', 'Host: evil.zoo.example', 421, 'a name that ends like one of the list'],
  ['', 'Host: zoo.example.', 421, 'a name with a trailing dot'],
  ['', 'Host: 127.0.0.2', 421, 'another address'],
  ['', 'Host: [::2]', 421, 'another IPv6 address'],
  ['', 'Host: __proto__', 421, 'a name that objects have by themselves'],
  ['http://zoo.example', 'Host: evil.example', 200, 'absolute-form with a name of the list, and another in Host'],
  ['http://ZOO.example:8080', 'Host: zoo.example', 200, 'absolute-form with case and port'],
  ['http://[::1]:8080', 'Host: zoo.example', 200, 'absolute-form with an IPv6 address'],
  ['http://evil.example', 'Host: zoo.example', 421, 'absolute-form with a different name, and one of the list in Host'],
] as const) {
  rebinding(`${why} -> ${status}: ${target} ${line}`, () => servingZoo(async (zoo, port, { errors }) => {
    for (const path of ['/v1/pet/count', '/files']) {
      const request = `POST ${target}${path} HTTP/1.1\r\n${line}\r\nConnection: close\r\n\r\n`;
      assert.equal(readStatuses(await sendUntilClosed(port, request)), [status], path);
    }
    assert.equal([zoo.invoked, errors.length], status === 200 ? [2, 0] : [0, 1]);
  }, { allowedHosts }));
}
const declarePet = (server: ApiServer): void => server.registerEndpoint('/pet', { get: () => 1 });
const hostLine = (host: string, more = ''): string => `requests for the host "${host}" get 421: if clients use it, add it to the option allowedHosts${more}`;
rebinding('the first request for each host is logged, with the option to set, and no other', () => serve(declarePet, async ({ port, errors }) => {
  for (const host of ['api.example:8080', 'API.example', '10.0.0.7', 'zoo.example', '[2001:db8::3]:80', '10.0.0.7:80']) {
    await send(port, `GET /v1/pet HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  }
  await send(port, 'GET http://absolute.example/v1/pet HTTP/1.1\r\nHost: zoo.example\r\n\r\n');
  assert.equal(errors.map(({ message }) => message), ['api.example', '10.0.0.7', '2001:db8::3', 'absolute.example'].map((host) => hostLine(host)));
}, { allowedHosts }));
rebinding('20 hosts are logged, and none that is longer than a name can be', () => serve(declarePet, async ({ port, errors }) => {
  const ask = (host: string): Promise<unknown> => send(port, `GET /v1/pet HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await ask('a'.repeat(256));
  for (let at = 1; at <= 25; at += 1) await ask(`${at}.example`);
  const expected = Array.from({ length: 20 }, (_, at) => hostLine(`${at + 1}.example`, at === 19 ? '. No further host is logged' : ''));
  assert.equal(errors.map(({ message }) => message), expected);
}, { allowedHosts }));
rebinding('HTTP/1.0 without Host is accepted, and with a different host it is a 421', () => servingZoo(async (zoo, port, { errors }) => {
  assert.equal(readStatuses(await sendUntilClosed(port, 'POST /v1/pet/count HTTP/1.0\r\n\r\n')), [200]);
  assert.equal(readStatuses(await sendUntilClosed(port, 'POST /v1/pet/count HTTP/1.0\r\nHost: evil.example\r\n\r\n')), [421]);
  assert.equal(readStatuses(await sendUntilClosed(port, 'POST http://evil.example/files HTTP/1.0\r\n\r\n')), [421]);
  assert.equal([zoo.invoked, errors.length], [1, 1]);
}, { allowedHosts }));
rebinding('a 421 is a problem that does not repeat the name, for any target', () => servingZoo(async (zoo, port, { errors }) => {
  for (const asked of ASKED.filter((each) => !each.startsWith('HEAD'))) {
    assert.is(toText(await send(port, `${asked} HTTP/1.1\r\nHost: evil.example\r\n\r\n`)),
      '421 This server does not serve that host. | Connection: close', asked);
  }
  assert.equal([zoo.invoked, errors.length], [0, 1]);
}, { allowedHosts }));
for (const list of [[], ['zoo.example:80'], ['[::1]:80'], ['http://zoo.example'], ['a b'], [''], [7], 'zoo.example', {}] as const) {
  rebinding(`the option ${JSON.stringify(list)} -> TypeError that names it`, () => {
    assert.throws(() => Reflect.construct(ApiServer, ['', { allowedHosts: list }]), /^allowedHosts must /);
  });
}

const upgrade = suite('C10: an upgrade');
const SWITCH = 'Connection: Upgrade\r\nUpgrade';
for (const [version, lines, status, why] of [
  ['1.1', `${SWITCH}: websocket\r\nSec-WebSocket-Version: 13\r\n`, 200, 'to WebSocket 13 is ignored'],
  ['1.1', `${SWITCH}: websocket\r\n`, 200, 'to a WebSocket of no version is ignored'],
  ['1.1', `${SWITCH}: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n`, 200, 'to h2c is ignored'],
  ['1.1', `${SWITCH}: h2c\r\nSec-WebSocket-Version: 8\r\n`, 200, 'to something else than WebSocket is ignored'],
  ['1.0', `${SWITCH}: websocket\r\nSec-WebSocket-Version: 8\r\n`, 200, 'in HTTP/1.0, which has none, is ignored'],
  ['1.1', `${SWITCH}: websocket\r\nSec-WebSocket-Version: 8\r\n`, 426, 'to WebSocket 8 gets 13 in the response'],
  ['1.1', `${SWITCH}: WebSocket\r\nsec-websocket-version: 99\r\n`, 426, 'to WebSocket 99, in another case, gets 13 in the response'],
] as const) {
  upgrade(`${why} -> ${status}`, () => servingZoo(async (zoo, port) => {
    for (const path of ['/v1/pet/count', '/files']) {
      const text = toText(await send(port, `POST ${path} HTTP/${version}\r\nHost: a\r\n${lines}\r\n`));
      if (status === 426) assert.is(text, '426 The only version of the WebSocket protocol is 13. | Upgrade: websocket | Connection: Upgrade | Sec-WebSocket-Version: 13 | Connection: close');
      else assert.is(text, `200 ${path === '/files' ? 'mounted' : '0'} | Connection: close`);
    }
    assert.is(zoo.invoked, status === 200 ? 2 : 0);
  }));
}
for (const asked of ['POST /v1/pet/count', 'POST /files', 'GET /nowhere'] as const) {
  upgrade(`${asked} closes the connection, and later bytes are not read as a request`, () => servingZoo(async (zoo, port) => {
    const client = await RawClient.connect(port);
    const next = `POST /v1/pet HTTP/1.1\r\nHost: a\r\nContent-Length: ${NEXT.length}\r\n\r\n`;
    client.send(`${asked} HTTP/1.1\r\nHost: a\r\n${SWITCH}: h2c\r\n\r\n${next}`);
    const { headers } = await client.response();
    client.send(NEXT);
    assert.is(await client.closed(), '');
    assert.is(headers.get('connection'), 'close');
    assert.is(zoo.invoked, asked === 'GET /nowhere' ? 0 : 1);
  }));
}
upgrade('a mounted handler cannot keep the connection open', () => serve((server) => server.mount('/', (_request, response) => {
  response.writeHead(200, { Connection: 'keep-alive' });
  response.end('kept');
}), async ({ port }) => {
  assert.equal(readStatuses(await sendUntilClosed(port, `GET / HTTP/1.1\r\nHost: a\r\n${SWITCH}: h2c\r\n\r\n${NEXT}`)), [200]);
}));
