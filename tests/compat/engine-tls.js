/** The checks of an engine that listens with TLS: requests, renewal, and `stop()` with a handshake that does not end. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { withEngine } from './engine.js';

const SERVED = fileURLToPath(new URL('served-tls.js', import.meta.url));
// The begin of a ClientHello, of which the rest never comes.
const HALF_HELLO = Buffer.from('16030102000100', 'hex');

/** A certificate and its key, in PEM. `undefined` if there is no `openssl` to make them. */
function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'restpoint-tls-'));
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  try {
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-subj', '/CN=localhost', '-days', '1'];
    execFileSync('openssl', args, { stdio: 'ignore' });
    return [readFileSync(cert, 'utf8'), readFileSync(key, 'utf8')];
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes all checks. `start` starts the engine with a program and its arguments; `renewal` is the output for `renew`. */
export async function checkTls(check, start, renewal) {
  const certificate = makeCertificate();
  if (certificate === undefined) return console.log('no openssl: TLS is not checked');
  await check('TLS: a request, a renewal, and stop() with half a handshake', () => withEngine(() => start([SERVED, ...certificate]), async (engine) => {
    const port = await engine.port();
    assert.equal(await ask(port), '{"name":"ant"}');
    engine.write('renew\n');
    await engine.printed(renewal);
    assert.equal(await ask(port), '{"name":"ant"}');
    const half = connect(port, '127.0.0.1').on('error', () => {});
    await once(half, 'connect');
    half.write(HALF_HELLO);
    // The engine has accepted that connection before this one.
    assert.equal(await ask(port), '{"name":"ant"}');
    engine.write('stop\n');
    await engine.printed(/^stopped$/m);
    assert.equal(await engine.ended(), 0);
    half.destroy();
  }));
}

async function ask(port) {
  const request = get({ port, host: '127.0.0.1', path: '/v1/animal/ant', agent: false, rejectUnauthorized: false });
  const [response] = await once(request, 'response');
  return text(response);
}
