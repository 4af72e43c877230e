/** The values that the option `tls` and `setSecureContext` reject. Node would accept them, and then fail each handshake. */
import { ApiServer } from '../../src/index.ts';
import { makeCertificate } from '../support/certificate.ts';
import { readCommonName } from '../support/tls-client.ts';
import { assert, isTypeError, serve, suite } from '../support/facts.ts';

const SILENT = { info: () => {}, error: () => {} };
const OLD = makeCertificate('old');
const NEW = makeCertificate('new');
// Node takes each of these for no certificate, or for one without its key.
const KEYLESS = [
  { cert: OLD.cert }, { key: OLD.key }, { ...OLD, key: '' }, { ...OLD, cert: '' }, { ...OLD, key: [] }, { cert: null, key: null }, { pfx: [] },
  { SNICallback: null },
];

const options = suite('L7 C15: the option tls');
for (const [tls, text] of [
  ['cert', 'tls must be an object: cert'],
  [null, 'tls must be an object: null'],
  [{}, 'tls must have a certificate: cert and key, pfx, or SNICallback'],
  [{ ...OLD, maxHeaderSize: 1 }, 'unknown option in tls: "maxHeaderSize"'],
  [{ ...OLD, insecureHTTPParser: true }, 'unknown option in tls: "insecureHTTPParser"'],
  [{ ...OLD, ALPNProtocols: ['http/1.1', 'h2'] }, 'tls.ALPNProtocols must not have "h2": the server has no HTTP/2'],
  [{ ...OLD, ALPNProtocols: [Buffer.from('h2')] }, 'tls.ALPNProtocols must not have "h2": the server has no HTTP/2'],
  [{ ...OLD, ALPNProtocols: Buffer.from('\x08http/1.1\x02h2') }, 'tls.ALPNProtocols must not have "h2": the server has no HTTP/2'],
  ...KEYLESS.map((tls) => [tls, 'tls must have a certificate: cert and key, pfx, or SNICallback'] as const),
  [{ ...OLD, ALPNCallback: 'http/1.1' }, 'tls.ALPNCallback must be a function: http/1.1'],
  [{ ...OLD, SNICallback: {} }, 'tls.SNICallback must be a function: [object Object]'],
  [{ ...OLD, handshakeTimeout: 0 }, 'tls.handshakeTimeout must be more than 0: 0'],
  [{ ...OLD, handshakeTimeout: NaN }, 'tls.handshakeTimeout must be more than 0: NaN'],
] as const) {
  options(`${text} -> TypeError`, () => assert.throws(() => new ApiServer('/v1', { tls } as never), isTypeError(text)));
}
options('an invalid certificate: start() resolves to an error string, and works after setSecureContext', async () => {
  const server = new ApiServer('/v1', { logger: SILENT, tls: { cert: 'no certificate', key: OLD.key } });
  const failed = await server.start('127.0.0.1:0');
  assert.not(failed.ok);
  server.setSecureContext(OLD);
  const started = await server.start('127.0.0.1:0');
  assert.ok(started.ok);
  await server.stop();
});
options('SNICallback and pskCallback need no certificate', () => {
  for (const tls of [{ SNICallback: () => {} }, { pskCallback: () => null }]) assert.not.throws(() => new ApiServer('/v1', { tls }));
});

const renewal = suite('L7: a renewal that cannot work');
for (const [changes, text] of [
  [undefined, 'the options of setSecureContext must be an object: undefined'],
  ['cert.pem', 'the options of setSecureContext must be an object: cert.pem'],
  [{ cert: NEW.cert }, 'tls must have a certificate: cert and key, pfx, or SNICallback'],
  [{ cert: '', key: '' }, 'tls must have a certificate: cert and key, pfx, or SNICallback'],
  [{ ...NEW, SNICallback: () => {} }, 'setSecureContext cannot change tls.SNICallback: set it in new ApiServer(root, { tls })'],
  [{ ...NEW, requestCert: true }, 'setSecureContext cannot change tls.requestCert: set it in new ApiServer(root, { tls })'],
  [{ ...NEW, ALPNProtocols: ['http/1.0'] }, 'setSecureContext cannot change tls.ALPNProtocols: set it in new ApiServer(root, { tls })'],
] as const) {
  renewal(`${text} -> TypeError, and the old certificate stays`, () => serve(() => {}, async ({ server, port }) => {
    assert.throws(() => server.setSecureContext(changes as never), isTypeError(text));
    assert.is(await readCommonName(port), 'old');
  }, { tls: OLD }));
}
