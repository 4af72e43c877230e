/** The option `tls`: how the server listens with it, its certificates, and handshakes that do not end. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { ApiServer, stringId, type ApiServerOptions } from '../../src/index.ts';
import { makeCertificate } from '../support/certificate.ts';
import { delay, waitUntil, withTimeout } from '../support/wait.ts';
import { message } from '../support/messages.ts';
import { RawClient } from '../support/raw-client.ts';
import { serve } from '../support/serve.ts';
import { connectOverTls, readCommonName } from '../support/tls-client.ts';

const SILENT = { info: () => {}, error: () => {} };
const OLD = makeCertificate('old');
const NEW = makeCertificate('new');
const GET = message('GET', '/v1/item/1');

function declare(server: ApiServer): void {
  server.registerEndpoint('/item', { id: stringId, get: (id) => id });
}

async function respondOver(socket: TLSSocket): Promise<string> {
  socket.write(GET);
  const [chunk] = await once(socket, 'data') as [Buffer];
  return chunk.toString().slice(0, 12);
}

const listening = suite('C14 C15: a server with TLS');
listening('its URL begins with https:', () => serve(declare, async ({ url, port }) => {
  assert.is(url, `https://127.0.0.1:${port}`);
  const socket = await connectOverTls(port);
  assert.is(await respondOver(socket), 'HTTP/1.1 200');
  socket.destroy();
}, { tls: OLD }));
for (const [offered, chosen] of [
  [['h2', 'http/1.1'], 'http/1.1'],
  [['http/1.1'], 'http/1.1'],
  [undefined, false],
] as const) {
  listening(`a client that offers ${offered?.join(' and ') ?? 'no protocol'} gets ${chosen || 'HTTP/1.1 all the same'}`, async () => {
    await serve(declare, async ({ port }) => {
      const socket = await connectOverTls(port, offered === undefined ? {} : { ALPNProtocols: [...offered] });
      assert.is(socket.alpnProtocol, chosen);
      assert.is(await respondOver(socket), 'HTTP/1.1 200');
      socket.destroy();
    }, { tls: OLD });
  });
}
listening('a client that offers h2 alone is rejected in its handshake', () => serve(declare, async ({ port }) => {
  assert.match(await connectOverTls(port, { ALPNProtocols: ['h2'] }).then(() => 'accepted', (error) => error.message), /no application protocol/);
}, { tls: OLD }));
listening('ALPNCallback can choose', () => serve(declare, async ({ port }) => {
  const socket = await connectOverTls(port, { ALPNProtocols: ['http/1.0', 'http/1.1'] });
  assert.is(socket.alpnProtocol, 'http/1.0');
  socket.destroy();
}, { tls: { ...OLD, ALPNCallback: () => 'http/1.0' } }));
listening('ALPNCallback that chooses h2: the handshake is rejected, logged; it can choose HTTP/1.1 for the same client', async () => {
  let chosen = 'h2';
  await serve(declare, async ({ port, errors }) => {
    const offered = { ALPNProtocols: ['h2', 'http/1.1'] };
    assert.match(await connectOverTls(port, offered).then(() => 'accepted', (error) => error.message), /no application protocol/);
    assert.equal(errors.map((error) => error.message), ['tls.ALPNCallback must not choose "h2": the server has no HTTP/2']);
    chosen = 'http/1.1';
    const socket = await connectOverTls(port, offered);
    assert.is(await respondOver(socket), 'HTTP/1.1 200');
    socket.destroy();
  }, { tls: { ...OLD, ALPNCallback: () => chosen } });
});
listening('text on its port closes the connection, without a response and without a log', async () => {
  await serve(declare, async ({ port, received }) => {
    const client = await RawClient.connect(port, false, false);
    client.send(GET);
    assert.not.match(await client.closed(), /HTTP/);
    assert.is(received(), 0);
  }, { tls: OLD });
});
listening('a client certificate is there for an operation', async () => {
  const names: string[] = [];
  await serve((server) => {
    server.registerEndpoint('/item', { id: stringId, get: (id, { raw }) => (names.push((raw.socket as TLSSocket).getPeerCertificate().subject.CN as string), id) });
  }, async ({ port }) => {
    const socket = await connectOverTls(port, NEW);
    assert.is(await respondOver(socket), 'HTTP/1.1 200');
    socket.destroy();
    assert.equal(names, ['new']);
  }, { tls: { ...OLD, requestCert: true, ca: NEW.cert } });
});
listening.run();

const reload = suite('L7: setSecureContext');
reload('new connections get the new certificate, and open ones go on', () => serve(declare, async ({ server, port }) => {
  const open = await connectOverTls(port);
  assert.is(await readCommonName(port), 'old');
  server.setSecureContext(NEW);
  assert.is(await readCommonName(port), 'new');
  assert.is(await respondOver(open), 'HTTP/1.1 200');
  open.destroy();
  await server.stop();
  const again = await server.start('127.0.0.1:0');
  assert.ok(again.ok);
  assert.is(await readCommonName(Number(new URL(again.url).port)), 'new');
}, { tls: OLD }));
reload('options that it leaves out stay as they are', () => serve(declare, async ({ server, port }) => {
  server.setSecureContext(NEW);
  const rejected = await connectOverTls(port, { maxVersion: 'TLSv1.2' }).then(() => 'accepted', () => 'rejected');
  assert.is(rejected, 'rejected');
  assert.is(await readCommonName(port), 'new');
}, { tls: { ...OLD, minVersion: 'TLSv1.3' } }));
reload('an invalid certificate throws, and the old one stays', () => serve(declare, async ({ server, port }) => {
  assert.throws(() => server.setSecureContext({ cert: 'no certificate', key: NEW.key }));
  assert.throws(() => server.setSecureContext({ cert: NEW.cert, key: OLD.key }));
  assert.is(await readCommonName(port), 'old');
}, { tls: OLD }));
reload('a server without TLS -> TypeError', () => {
  const server = new ApiServer('/v1', { logger: SILENT });
  assert.throws(() => server.setSecureContext(NEW), (error: unknown) => error instanceof TypeError && error.message === 'setSecureContext needs the option tls: new ApiServer(root, { tls })');
});
reload.run();

const LONG = { stopGraceMs: 3_600_000 };
// The begin of a ClientHello: a handshake record of 512 bytes, of which few follow.
const HALF_HELLO = Buffer.from('16030102000100', 'hex');

const handshakes = suite('C14: a handshake that does not end');
for (const [sent, why] of [[Buffer.alloc(0), 'not begun'], [HALF_HELLO, 'half sent']] as const) {
  handshakes(`${why}: the connection ends after limits.headersMs`, () => serve(declare, async ({ port }) => {
    const client = await RawClient.connect(port, false, false);
    client.send(sent);
    await withTimeout(client.closed());
  }, { tls: OLD, limits: { headersMs: 200 } }));
  for (const stopLingerMs of [0, 50]) {
    handshakes(`${why}: stop() does not wait for it, with stopLingerMs: ${stopLingerMs}`, async () => {
      await serve(declare, async ({ server, port }) => {
        const client = await RawClient.connect(port, false, false);
        client.send(sent);
        await delay(20);
        await withTimeout(server.stop());
        await client.closed();
      }, { ...LONG, tls: OLD, stopLingerMs });
    });
  }
}
handshakes('however slowly its bytes arrive: the connection ends after limits.headersMs', () => serve(declare, async ({ port }) => {
  const client = await RawClient.connect(port, false, false);
  client.send(HALF_HELLO);
  const sending = setInterval(() => client.send('x'), 50);
  try {
    await withTimeout(client.closed());
  } finally {
    clearInterval(sending);
  }
}, { tls: OLD, limits: { headersMs: 300 } }));
handshakes('when stopGraceMs is over: it ends, however long stopLingerMs is', () => serve(declare, async ({ server, port }) => {
  const client = await RawClient.connect(port, false, false);
  await delay(20);
  await withTimeout(server.stop());
  await client.closed();
}, { tls: OLD, stopLingerMs: 3_600_000, stopGraceMs: 100 }));
handshakes('that ends while the server stops: its request gets a response with Connection: close', async () => {
  const options: ApiServerOptions = { ...LONG, stopLingerMs: 3_600_000, tls: OLD };
  await serve(declare, async ({ server, port, received }) => {
    const transport = await RawClient.connect(port, false, false);
    await delay(20);
    const stopped = server.stop();
    transport.socket.removeAllListeners('data');
    const socket = connectTls({ socket: transport.socket, rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    socket.write(GET);
    const [chunk] = await once(socket, 'data') as [Buffer];
    assert.match(chunk.toString(), /^HTTP\/1\.1 200 .*\r\nConnection: close\r\n/s);
    await withTimeout(stopped);
    assert.is(received(), 1);
    await waitUntil(() => socket.destroyed, 'the end');
  }, options);
});
handshakes.run();

const unix = suite('TLS over a Unix socket');
unix('its URL begins with https+unix:', async () => {
  const server = new ApiServer('/v1', { logger: SILENT, tls: OLD });
  const path = `/tmp/restpoint-tls-${process.pid}.sock`;
  const started = await server.start({ path });
  try {
    assert.is(started.ok && started.url, `https+unix://${encodeURIComponent(path)}`);
    assert.is((started.ok ? started.address : undefined) as AddressInfo | string | undefined, path);
  } finally {
    await server.stop();
  }
});
unix.run();

const limited = suite('the time for a handshake');
for (const [handshakeTimeout, headersMs] of [[60_000, 200], [200, 60_000]] as const) {
  limited(`is the shorter of tls.handshakeTimeout: ${handshakeTimeout} and limits.headersMs: ${headersMs}`, async () => {
    await serve(declare, async ({ port }) => {
      const client = await RawClient.connect(port, false, false);
      assert.is(await client.closed(), '');
    }, { tls: { ...OLD, handshakeTimeout }, limits: { headersMs } });
  });
}
limited.run();
