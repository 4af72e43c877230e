/** Request targets: the forms that are accepted, and those that get 400 before the route is looked up. */
import { channel } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { defineEndpoint, stringId, type ApiServer, type MountRequest } from '../../src/index.ts';
import { serveListener } from '../support/serve-listener.ts';
import { assert, readStatuses, requestFor, send, sendUntilClosed, serve, suite } from '../support/facts.ts';

/** A Get that returns its id, and a mount for all other paths. `seen` records the calls. */
function mirror(seen: string[]): (server: ApiServer) => void {
  return (server) => {
    server.registerEndpoint('/pet', defineEndpoint({
      id: stringId,
      get: (id, { query }) => {
        seen.push(`get ${id}`);
        return [id, query.get('full')];
      },
    }));
    server.mount('/', (request, response) => {
      seen.push(`mount ${request.url}`);
      response.end('mounted');
    });
  };
}

const read = suite('P6: an accepted target');
for (const [target, response, why] of [
  ['/v1/pet/1', ['1', null], 'origin-form'],
  ['/v1/pet/1?full=yes', ['1', 'yes'], 'origin-form with a query'],
  ['/v1/pet/1?', ['1', null], 'an empty query'],
  ['/v1/pet/1?full=a/../b', ['1', 'a/../b'], 'slashes and dots in the query'],
  ['/v1/pet/1?full=%00%0d%0A', ['1', '\0\r\n'], 'encoded controls in the query'],
  ['/v1/pet/1?full=\\', ['1', '\\'], 'a backslash in the query'],
  ['http://zoo.example/v1/pet/1', ['1', null], 'absolute-form'],
  ['http://zoo.example/v1/pet/1?full=yes', ['1', 'yes'], 'absolute-form with a query'],
  ['http://zoo.example:8080/v1/pet/1', ['1', null], 'absolute-form with a port'],
  ['http://[::1]:8080/v1/pet/1', ['1', null], 'absolute-form with an IPv6 address'],
  ['HTTP://zoo.example/v1/pet/1', ['1', null], 'absolute-form, its scheme in upper case'],
  ['https://zoo.example/v1/pet/1', ['1', null], 'absolute-form of the other scheme'],
  ['/v1/pet/a%20b', ['a b', null], 'an encoded space in the id'],
  ['/v1/pet/%09', ['\t', null], 'an encoded tab in the id'],
  ['/v1/pet/%C3%A9', ['\u00e9', null], 'an encoded letter in the id'],
  ['/v1/pet/%5c%23', ['\\#', null], 'an encoded backslash and hash in the id'],
  ['/v1/pet/http://x', 'mounted', 'a scheme within the path'],
  ['http://zoo.example', 'mounted', 'absolute-form without a path'],
  ['http://zoo.example?a=b', 'mounted', 'absolute-form with a query and no path'],
  ['/*', 'mounted', 'an asterisk in a path'],
  ['//zoo.example/v1/pet/1', 'mounted', 'a path that begins like an authority'],
] as const) {
  read(`${why}: ${target}`, () => serve(mirror([]), async ({ port }) => {
    const { status, body } = await send(port, requestFor('GET', target));
    assert.is(status, 200);
    assert.equal(body === 'mounted' ? body : JSON.parse(Buffer.from(body, 'latin1').toString()), response);
  }));
}
read('absolute-form reaches a mount with its query and in its own case', async () => {
  const seen: string[] = [];
  await serve(mirror(seen), async ({ port }) => {
    await send(port, requestFor('GET', 'hTTp://Zoo.Example/A/b?C=d?e'));
    await send(port, requestFor('GET', 'http://zoo.example?C=d'));
    assert.equal(seen, ['mount /A/b?C=d?e', 'mount /?C=d']);
  });
});

/** Records the target and the host of each request, as code of the user finds them, in all ways that a request has them. */
function recordTargets(seen: string[]): (server: ApiServer) => void {
  const record = (who: string, { url, originalUrl = url, headers, rawHeaders }: MountRequest): void => {
    const hosts = rawHeaders.filter((_, at) => rawHeaders[at - 1]?.toLowerCase() === 'host' && at % 2 === 1);
    seen.push([who, originalUrl, ...new Set([...hosts, headers.host])].join(' '));
  };
  return (server) => {
    server.use((request, _response, next) => (record('middleware', request), next()));
    server.registerEndpoint('/pet', { id: stringId, get: (_id, { raw }) => (record('operation', raw), 1) });
    server.mount('/files', (request, response) => (record('mount', request), response.end()));
    server.registerUpgrade('/chat', (request, socket) => (record('upgrade', request), socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')));
    server.registerUpgrade('/', (request, socket) => (record('upgrade', request), socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n')));
  };
}

const CHAT = 'Host: evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
const TARGETS = [
  ['GET http://a.example/v1/pet/1?b=http://c HTTP/1.1', 'Host: evil.example', 200, '/v1/pet/1?b=http://c a.example', ['middleware', 'operation']],
  ['GET HTTPS://A.example:80/files/b HTTP/1.1', 'X-A: Host\r\nhOST: evil.example', 200, '/files/b A.example:80', ['middleware', 'mount']],
  ['GET http://a.example/v1/pet/1 HTTP/1.0', 'X-A: 1', 200, '/v1/pet/1 a.example', ['middleware', 'operation']],
  ['GET http://a.example/v1/pet/1 HTTP/1.0', 'Host: evil.example', 200, '/v1/pet/1 a.example', ['middleware', 'operation']],
  ['GET http://a.example?b HTTP/1.1', 'Host: evil.example', 404, '/?b a.example', ['middleware']],
  ['GET http://a.example HTTP/1.1', 'Host: evil.example', 404, '/ a.example', ['middleware']],
  ['OPTIONS http://a.example HTTP/1.1', 'Host: evil.example', 200, '* a.example', ['middleware']],
  ['OPTIONS http://a.example?b HTTP/1.1', 'Host: evil.example', 404, '/?b a.example', ['middleware']],
] as const;
const seenBy = suite('P6: the target and the host of an absolute-form, as everyone finds them');
for (const [line, lines, status, found, readers] of TARGETS) {
  const bytes = `${line}\r\n${lines}\r\nConnection: close\r\n\r\n`;
  seenBy(`${line}, ${lines}: ${found}`, async () => {
    const seen: string[] = [];
    await serve(recordTargets(seen), async ({ port }) => assert.equal(readStatuses(await sendUntilClosed(port, bytes)), [status]), { allowedHosts: ['a.example'] });
    assert.equal(seen, readers.map((who) => `${who} ${found}`));
  });
  seenBy(`${line}, ${lines}, by requestListener: ${found}`, async () => {
    const seen: string[] = [];
    let api: ApiServer | undefined;
    await serve((server) => (api = server, recordTargets(seen)(server)), () => serveListener((request, response) => {
      // A router of the user has read it.
      assert.is(request.headers.host === undefined, lines === 'X-A: 1');
      api?.requestListener(request, response);
    }, async (port) => assert.equal(readStatuses(await sendUntilClosed(port, bytes)), [status])), { allowedHosts: ['a.example'] });
    assert.equal(seen, readers.map((who) => `${who} ${found}`));
  });
}
for (const [line, found] of [
  ['GET http://a.example/chat/b HTTP/1.1', '/chat/b a.example'],
  ['GET http://a.example HTTP/1.1', '/ a.example'],
] as const) {
  seenBy(`an upgrade, ${line}: ${found}`, async () => {
    const seen: string[] = [];
    await serve(recordTargets(seen), async ({ port }) => void await sendUntilClosed(port, `${line}\r\n${CHAT}\r\n\r\n`), { allowedHosts: ['a.example'] });
    assert.equal(seen, [`upgrade ${found}`]);
  });
}
seenBy('by a tracer, before anyone else gets the request', () => serve(mirror([]), async ({ port }) => {
  const seen: unknown[] = [];
  const take = (message: unknown): void => {
    const { request: { url, headers, rawHeaders } } = message as { readonly request: IncomingMessage };
    seen.push([url, { ...headers }, rawHeaders]);
  };
  channel('http.server.request.start').subscribe(take);
  try {
    await sendUntilClosed(port, 'GET http://a/v1/pet/1 HTTP/1.0\r\n\r\n');
    await sendUntilClosed(port, `POST http://a/other HTTP/1.1\r\nHost: b\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX-B: 1\r\n\r\n`);
    await sendUntilClosed(port, 'GET http://a/v1/pet/1 HTTP/1.1\r\nHost: b@c\r\n\r\n');
  } finally {
    channel('http.server.request.start').unsubscribe(take);
  }
  const CHUNKED = { host: 'a', connection: 'close', 'transfer-encoding': 'chunked' };
  assert.equal(seen, [
    ['/v1/pet/1', { host: 'a' }, ['Host', 'a']],
    ['/other', CHUNKED, ['Host', 'a', 'Connection', 'close', 'Transfer-Encoding', 'chunked']],
    ['http://a/v1/pet/1', { host: 'b@c' }, ['Host', 'b@c']],
  ]);
}));
seenBy('after middleware has replaced the target', async () => {
  const seen: string[] = [];
  await serve((server) => {
    server.use((request, _response, next) => (request.url = String(request.headers['x-url']), next()));
    server.registerEndpoint('/pet', { id: stringId, get: (id, { raw }) => (seen.push(`${raw.url} ${raw.headers.host}`), id) });
  }, async ({ port, errors }) => {
    for (const [url, status] of [['http://a.example/v1/pet/1', 200], ['http://evil.example/v1/pet/1', 421]] as const) {
      assert.is((await send(port, `GET / HTTP/1.1\r\nHost: b.example\r\nX-Url: ${url}\r\n\r\n`)).status, status);
    }
    assert.equal([seen, errors.length], [['/v1/pet/1 a.example'], 1]);
  }, { allowedHosts: ['a.example', 'b.example'] });
});
seenBy('by fetch, whose Host can differ from the URL', async () => {
  const seen: string[] = [];
  await serve(recordTargets(seen), async ({ server, errors }) => {
    assert.is((await server.fetch('http://evil.example/v1/pet/1', { headers: { host: 'a.example' } })).status, 200);
    assert.is((await server.fetch('http://a.example/v1/pet/1', { headers: { host: 'evil.example' } })).status, 421);
    assert.equal([seen, errors.length], [['middleware /v1/pet/1 a.example', 'operation /v1/pet/1 a.example'], 1]);
  }, { allowedHosts: ['a.example'] });
});

const rejected = suite('P6 C17: a rejected target');
for (const [target, why] of [
  ['/v1/pet/1#top', 'a fragment'],
  ['/v1/pet/1?a#top', 'a fragment after the query'],
  ['http://zoo.example/v1/pet/1#top', 'a fragment in absolute-form'],
  ['/v1\\pet\\1', 'backslashes for slashes'],
  ['/v1/pet/\\1', 'a backslash in the id'],
  ['http://zoo.example\\v1/pet/1', 'a backslash after the authority'],
  ['/v1/pet/%00', 'an encoded NUL'],
  ['/v1/pet/a%00b', 'an encoded NUL within the id'],
  ['/v1/pet/%0d', 'an encoded CR'],
  ['/v1/pet/%0D', 'an encoded CR in upper case'],
  ['/v1/pet/%0a', 'an encoded LF'],
  ['/v1/pet/%0A', 'an encoded LF in upper case'],
  ['/other%0A', 'an encoded LF below a mount'],
  ['http://zoo.example/v1/pet/%00', 'an encoded NUL in absolute-form'],
  ['/v1/pet/\x00', 'a raw NUL'],
  ['/v1/pet/\x01', 'a raw control character'],
  ['/v1/pet/a\tb', 'a raw tab'],
  ['/v1/pet/\x7f', 'a raw DEL'],
  ['/v1/pet/1?a=\x01', 'a raw control character in the query'],
  ['/v1/pet/a b', 'a raw space'],
  ['/v1/pet/caf\xc3\xa9', 'bytes outside ASCII'],
  ['/v1/pet/1?a=\xe9', 'a byte outside ASCII in the query'],
  ['/\xff', 'a byte that is not UTF-8 either'],
  ['v1/pet/1', 'no slash in front'],
  ['pet', 'a mere word'],
  ['?full=yes', 'a query alone'],
  ['*', 'an asterisk with GET'],
  ['*/v1/pet/1', 'an asterisk in front of a path'],
  ['zoo.example:80', 'authority-form'],
  ['zoo.example:80/v1/pet/1', 'authority-form and a path'],
  ['http:/v1/pet/1', 'absolute-form with one slash'],
  ['http:///v1/pet/1', 'absolute-form without an authority'],
  ['http://?a', 'absolute-form with a query and no authority'],
  ['http://user@zoo.example/v1/pet/1', 'userinfo'],
  ['http://user:word@zoo.example/v1/pet/1', 'userinfo with a password'],
  ['http://zoo.example:8x/v1/pet/1', 'absolute-form with a bad port'],
  ['http://127.0.0.1:99999/v1/pet/1', 'absolute-form with a port over the highest'],
  ['http://zoo.example,evil.example/v1/pet/1', 'absolute-form with two names'],
  ['http://[::1/v1/pet/1', 'absolute-form with half a bracket'],
  ['ftp://zoo.example/v1/pet/1', 'another scheme'],
  ['file:///v1/pet/1', 'a file'],
] as const) {
  rejected(`${why} -> 400, closed, and nothing is called: ${JSON.stringify(target)}`, async () => {
    const seen: string[] = [];
    await serve(mirror(seen), async ({ port }) => {
      const received = await sendUntilClosed(port, requestFor('GET', target) + requestFor('GET', '/v1/pet/next'));
      assert.equal(readStatuses(received), [400]);
      assert.match(received, 'Content-Type: application/problem+json\r\n');
      assert.equal(seen, []);
    });
  });
}
for (const [method, target] of [
  ['HEAD', '*'],
  ['POST', '*'],
  ['OPTIONS', '**'],
  ['OPTIONS', '*?a'],
  ['OPTIONS', 'zoo.example:80'],
  ['HEAD', '/v1/pet/%00'],
  ['OPTIONS', '/v1/pet/%00'],
] as const) {
  rejected(`${method} ${target} -> 400, closed, and nothing is called`, async () => {
    const seen: string[] = [];
    await serve(mirror(seen), async ({ port }) => {
      const received = await sendUntilClosed(port, requestFor(method, target) + requestFor('GET', '/v1/pet/next'));
      assert.equal(readStatuses(received), [400]);
      assert.equal(seen, []);
    });
  });
}
for (const target of ['zoo.example:80', '/v1/pet/1', '*', 'http://zoo.example/'] as const) {
  rejected(`CONNECT ${target} -> a 501 that can be read, and closed`, async () => {
    const seen: string[] = [];
    await serve(mirror(seen), async ({ port }) => {
      const received = await sendUntilClosed(port, requestFor('CONNECT', target) + requestFor('GET', '/v1/pet/next'));
      assert.equal(readStatuses(received), [501]);
      const [head = '', body = ''] = received.split('\r\n\r\n');
      assert.match(head, 'Content-Type: application/problem+json\r\n');
      assert.match(head, `Content-Length: ${body.length}\r\n`);
      assert.is((JSON.parse(body) as { status: number }).status, 501);
      assert.equal(seen, []);
    });
  });
}
