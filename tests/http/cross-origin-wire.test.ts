/** How the host of a request is compared with the origin of a page, which requests are not checked, and the rejection on the wire. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ANT } from '../support/deliveries.ts';
import { head, message, readProblem } from '../support/messages.ts';
import { RawClient, send, sendUntilClosed } from '../support/raw-client.ts';
import { serveZoo } from '../support/serve-zoo.ts';
import { serve } from '../support/serve.ts';
import { readStatuses } from '../support/statuses.ts';
import { Zoo } from '../support/zoo.ts';

const CROSS_SITE = 'Sec-Fetch-Site: cross-site';
const EXPECT = 'Expect: 100-continue';

const hosts = suite('B12: Origin compared with the host');
for (const [version, authority, host, origin, status, why] of [
  ['1.1', '', 'a:8080', 'http://a:8080', 200, 'the same port'],
  ['1.1', '', 'A.Example:8080', 'http://a.example:8080', 200, 'the same name in other letters'],
  ['1.1', '', 'a:8080', 'http://a', 415, 'a port in Host alone'],
  ['1.1', '', 'a:8080', 'http://a:8081', 415, 'two ports'],
  ['1.1', '', 'a:80', 'http://a', 200, "the scheme's own port in Host"],
  ['1.1', '', 'a', 'http://a:80', 200, "the scheme's own port in Origin"],
  ['1.1', '', 'a:443', 'https://a', 200, "the other scheme's own port in Host"],
  ['1.1', '', 'a', 'HTTPS://a:443', 200, "the other scheme's own port in Origin"],
  ['1.1', '', 'a:443', 'http://a', 415, "the port of a scheme that is not Origin's"],
  ['1.1', '', 'a:80', 'https://a', 415, "the port of a scheme that is not Origin's either"],
  ['1.1', '', 'a:8080', 'http://a:80', 415, "the default port of the scheme, compared with another"],
  ['1.1', '', 'a:', 'http://a', 200, 'an empty port in Host'],
  ['1.1', '', '[::1]', 'http://[::1]', 200, 'an IPv6 address'],
  ['1.1', '', '[::1]:8080', 'http://[::1]:8080', 200, 'an IPv6 address with a port'],
  ['1.1', '', '[::1]:80', 'http://[::1]', 200, "an IPv6 address with the scheme's own port"],
  ['1.1', '', '[::80]', 'http://[::80]', 200, 'an IPv6 address that ends like a port'],
  ['1.1', '', '[::80]', 'http://[::]', 415, 'two IPv6 addresses'],
  ['1.1', '', '127.0.0.1:8080', 'http://localhost:8080', 415, 'two names of one address'],
  ['1.1', '', 'null', 'null', 415, 'a host with the name of an opaque origin'],
  ['1.1', 'http://b:8080', 'a', 'http://b:8080', 200, 'absolute-form, whose authority stands in for Host'],
  ['1.1', 'HTTP://B', 'a', 'http://b', 200, 'absolute-form in other letters'],
  ['1.1', 'http://b', 'a', 'http://a', 415, 'absolute-form, whose Host does not count'],
  ['1.1', 'http://a', 'a', 'http://b', 415, 'absolute-form of a different host'],
  ['1.0', '', 'a', 'http://a', 200, 'HTTP/1.0'],
  ['1.0', '', 'a', 'http://b', 415, 'HTTP/1.0 of a different host'],
  ['1.0', '', undefined, 'http://a', 415, 'HTTP/1.0 without a host'],
  ['1.0', '', undefined, undefined, 200, 'HTTP/1.0 that names neither'],
  ['1.0', 'http://a', undefined, 'http://a', 200, 'HTTP/1.0 with a host in its target'],
] as const) {
  hosts(`${why} -> ${status}: ${authority} Host: ${host}, Origin: ${origin}`, async () => {
    await serveZoo(async (port, zoo) => {
      const lines = [...(host === undefined ? [] : [`Host: ${host}`]), ...(origin === undefined ? [] : [`Origin: ${origin}`])];
      const sent = [`POST ${authority}/v1/pet/count HTTP/${version}`, ...lines, 'Connection: close', '', ''].join('\r\n');
      assert.equal(readStatuses(await sendUntilClosed(port, sent)), [status]);
      assert.is(zoo.invoked, status === 200 ? 1 : 0);
    });
  });
}
hosts.run();

const others = suite('B12: other requests than a POST of an endpoint, from a page of a different origin');
for (const [why, method, target, body, status, invoked] of [
  ['Get', 'GET', '/v1/pet/1', '', 200, 1],
  ['HEAD', 'HEAD', '/v1/pet/1', '', 200, 1],
  ['Update, which browsers ask for', 'PUT', '/v1/pet/1', ANT, 204, 1],
  ['Delete, which browsers ask for', 'DELETE', '/v1/pet/1', '', 204, 1],
  ['discovery', 'OPTIONS', '/v1/pet', '', 200, 0],
  ['an unknown path', 'POST', '/v1/nowhere', ANT, 404, 0],
  ['a path without a POST', 'POST', '/v1/pet/1', ANT, 405, 0],
  ["a mount, which is the user's own", 'POST', '/files', ANT, 200, 1],
] as const) {
  others(`${why} -> ${status}, not rejected`, async () => {
    for (const sender of [CROSS_SITE, 'Origin: null']) {
      await serveZoo(async (port, zoo) => {
        assert.is((await send(port, message(method, target, body, [sender]))).status, status, sender);
        assert.is(zoo.invoked, invoked);
      });
    }
  });
}
others.run();

const wire = suite('B12: the rejection of a page of a different origin');
wire('says which type would be read, repeats nothing of the request, and leaves the connection open', async () => {
  await serveZoo(async (port, zoo) => {
    const client = await RawClient.connect(port);
    try {
      client.send(message('POST', '/v1/pet', ANT, ['Origin: http://evil.example', CROSS_SITE]));
      const response = await client.response();
      assert.equal(readProblem(response), {
        type: 'about:blank',
        title: 'Unsupported Media Type',
        status: 415,
        detail: 'From a page of a different origin, a POST must have the Content-Type application/json.',
      });
      assert.is(response.headers.get('connection'), 'keep-alive');
      assert.is(zoo.invoked, 0);
      client.send(message('POST', '/v1/pet', ANT));
      assert.is((await client.response()).status, 201);
    } finally {
      client.destroy();
    }
  });
});
for (const [what, target, headers] of [
  ['Create', '/v1/pet', [`Content-Length: ${ANT.length}`]],
  ['Create, chunked', '/v1/pet', ['Transfer-Encoding: chunked']],
  ['Custom without an input', '/v1/pet/count', ['Content-Length: 4']],
] as const) {
  wire(`is sent without a 100, and closes, if the client waits for one: ${what}`, async () => {
    await serveZoo(async (port, zoo) => {
      const received = await sendUntilClosed(port, head('POST', target, [EXPECT, 'Origin: null', ...headers]));
      assert.equal(readStatuses(received), [415]);
      assert.match(received, '\r\nConnection: close\r\n');
      assert.is(zoo.invoked, 0);
    });
  });
}
wire('is sent in its turn among pipelined responses, and no byte of the body is read as a request', async () => {
  await serveZoo(async (port, zoo) => {
    const disguised = message('POST', '/v1/pet/count');
    const last = message('GET', '/v1/pet/1', '', ['Connection: close']);
    const sent = message('POST', '/v1/pet/feed', '12') + message('POST', '/v1/pet', disguised, [CROSS_SITE]) + last;
    assert.equal(readStatuses(await sendUntilClosed(port, sent)), [200, 415, 200]);
    assert.is(zoo.invoked, 2);
  });
});
wire('is sent by a server of the user too', async () => {
  await serve(() => {}, async ({ server }) => {
    const zoo = new Zoo();
    zoo.register(server);
    const own = createServer(server.requestListener);
    await new Promise<void>((resolve) => void own.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = own.address() as AddressInfo;
      assert.is((await send(port, message('POST', '/v1/pet/count', '', [CROSS_SITE]))).status, 415);
      assert.is((await send(port, message('POST', '/v1/pet/count'))).status, 200);
      assert.is(zoo.invoked, 1);
    } finally {
      own.closeAllConnections();
      await new Promise((resolve) => own.close(resolve));
    }
  });
});
wire("does not affect Node's fetch, which sends no such header", async () => {
  await serveZoo(async (port, zoo) => {
    const url = `http://127.0.0.1:${port}/v1/pet`;
    const created = await fetch(url, { method: 'POST', body: new Blob([ANT]) });
    const counted = await fetch(`${url}/count`, { method: 'POST' });
    assert.equal([created.status, await counted.text()], [201, '1']);
    assert.is(zoo.invoked, 2);
  });
});
wire.run();
