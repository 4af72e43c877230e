/**
 * The configurations of docs/deployment.md in the real proxies: clients speak HTTP/2 with TLS, and the server HTTP/1.1 over kept connections.
 * The proxies compress events, unless they are told not to.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ApiServer, stringId } from '../../dist/index.js';
import { checking } from './checks.js';
import { findFreePort } from './free-port.js';
import { need } from './programs.js';
import { checkProxiedEvents } from './proxied-events.js';
import { PATIENCE_MS } from './until.js';

for (const [program, option] of [['nginx', '-v'], ['haproxy', '-v'], ['openssl', 'version'], ['curl', '--version']]) need(program, program, option);

const DOCUMENT = readFileSync(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
const REQUESTS = 20;
const SILENCE_SECONDS = 35;
// Debian has these programs in /usr/sbin, which is not on the path of every user.
const ENVIRONMENT = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` };
const run = promisify(execFile);
const scratch = mkdtempSync(join(tmpdir(), 'restpoint-proxies-'));
const certificate = join(scratch, 'api.crt');
const key = join(scratch, 'api.key');

/** A code block of the document. Throws if a string that must be replaced is missing. */
function shown(language, replacements) {
  const [, block] = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(DOCUMENT);
  return replacements.reduce((text, [found, ours]) => {
    assert.ok(text.includes(found), `docs/deployment.md has no ${found}`);
    return text.replaceAll(found, ours);
  }, block);
}

async function accepts(port, proxy) {
  for (const end = Date.now() + PATIENCE_MS; ; await after(20)) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (Date.now() > end || proxy.exitCode !== null) throw error;
    } finally {
      socket.destroy();
    }
  }
}

function curl(port, path, ...options) {
  const format = '\\n%{http_version} %{http_code}';
  const args = ['-s', '--cacert', certificate, '--max-time', '10', '-w', format, ...options, `https://localhost:${port}${path}`];
  return run('curl', args, { env: ENVIRONMENT }).then(({ stdout }) => stdout);
}

/** Starts a proxy before the server at a port, uses it, and ends it. It closes connections to the server after so many seconds of silence. */
async function withProxy({ command, argumentsFor }, backend, silenceSeconds, use) {
  const port = await findFreePort();
  const proxy = spawn(command, argumentsFor(port, backend, silenceSeconds), { stdio: ['ignore', 'inherit', 'inherit'], env: ENVIRONMENT });
  const exited = once(proxy, 'exit');
  try {
    await accepts(port, proxy);
    await use(port);
  } finally {
    proxy.kill('SIGTERM');
    await exited;
  }
}

/** Checks the responses to clients, and the number of connections. */
async function checkProxy(check, kind) {
  const server = new ApiServer('/v1', { logger: { info() {}, error: console.error } });
  const versions = new Set();
  const hosts = new Set();
  const sockets = new Set();
  server.registerEndpoint('/animal', {
    id: stringId,
    schema: (json) => json,
    create: (animal) => animal.name,
    get: (id, { raw }) => {
      versions.add(raw.httpVersion);
      hosts.add(raw.headers.host);
      sockets.add(raw.socket);
      return { name: id };
    },
  });
  server.registerEndpoint('/pet', { id: stringId, schema: (json) => json, get: (name) => ({ name }), version: () => 1, update: () => {} });
  const { address } = await server.start('127.0.0.1:0');
  try {
    await withProxy(kind, address.port, SILENCE_SECONDS, async (port) => {
      await check('clients get HTTP/2', async () => assert.equal(await curl(port, '/v1/animal/ant'), '{"name":"ant"}\n2 200'));
      await check('and HTTP/1.1 if they ask for it', async () => {
        assert.equal(await curl(port, '/v1/animal/ant', '--http1.1'), '{"name":"ant"}\n1.1 200');
      });
      await check('bodies arrive', async () => {
        const body = JSON.stringify({ name: 'asp', text: 'x'.repeat(100_000) });
        const file = join(scratch, 'body.json');
        writeFileSync(file, body);
        assert.equal(await curl(port, '/v1/animal', '-H', 'Content-Type: application/json', '--data-binary', `@${file}`), 'asp\n2 201');
      });
      await check('the tag of an item that is compressed is weak, and its If-Match names the version', async () => {
        const compressed = ['-H', 'Accept-Encoding: gzip', '-D', '-', '-o', '/dev/null'];
        assert.match(await curl(port, '/v1/pet/rex', ...compressed), /^etag: W\/"1"\r$/im);
        assert.match(await curl(port, '/v1/pet/rex', '-D', '-'), /^etag: "1"\r$/im);
        for (const [tag, status] of [['W/"1"', 204], ['"1"', 204], ['W/"2"', 412]]) {
          assert.match(await curl(port, '/v1/pet/rex', '-X', 'PUT', '-H', `If-Match: ${tag}`, '-H', 'Content-Type: application/json', '-d', '{}'), new RegExp(`\n2 ${status}$`));
        }
      });
      await check('rejections come through', async () => assert.match(await curl(port, '/nowhere'), /\n2 404$/));
      await check(`${REQUESTS} requests reach the server by HTTP/1.1, over few connections, with their Host`, async () => {
        sockets.clear();
        for (let turn = 0; turn < REQUESTS; turn += 1) await curl(port, '/v1/animal/ant');
        assert.deepEqual([...versions], ['1.1']);
        assert.ok(sockets.size <= 4, `${sockets.size} connections`);
        for (const host of hosts) assert.match(host, /^localhost(?::\d+)?$/);
      });
    });
  } finally {
    await server.stop();
  }
}

function haproxyArguments(port, backend, silenceSeconds) {
  const file = join(scratch, 'haproxy.cfg');
  const both = join(scratch, 'api.pem');
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  const frontend = shown('haproxy', [[':443', `127.0.0.1:${port}`], ['/etc/haproxy/api.pem', both]]);
  const timeouts = `timeout connect 2s\n    timeout client ${silenceSeconds}s\n    timeout server ${silenceSeconds}s`;
  const compression = 'compression algo gzip\n    compression type text/event-stream application/json';
  const defaults = `defaults\n    mode http\n    ${timeouts}\n    ${compression}\n`;
  writeFileSync(file, `${defaults}${frontend}\nbackend api\n    server one 127.0.0.1:${backend}\n`);
  return ['-db', '-q', '-f', file];
}

/** `isOld`: before 1.25.1, `http2` is a word in the line `listen`. */
function nginxArguments(port, backend, silenceSeconds, isOld) {
  const file = join(scratch, 'nginx.conf');
  const block = shown('nginx', [
    ['listen 443 ssl;', `listen 127.0.0.1:${port} ssl${isOld ? ' http2' : ''};`],
    ['    http2 on;\n', isOld ? '' : '    http2 on;\n'],
    ['/etc/nginx/api.crt', certificate],
    ['/etc/nginx/api.key', key],
    ['127.0.0.1:8080', `127.0.0.1:${backend}`],
  ]);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${join(scratch, each)};`).join('\n');
  const compression = 'gzip on;\ngzip_types text/event-stream application/json;\ngzip_min_length 1;\ngzip_proxied any;\n';
  const settings = `access_log off;\nerror_log stderr crit;\n${compression}proxy_read_timeout ${silenceSeconds}s;`;
  const user = process.getuid() === 0 ? 'user root;\n' : '';
  writeFileSync(file, `${user}daemon off;\npid ${join(scratch, 'nginx.pid')};\nevents {}\nhttp {\n${settings}\n${paths}\n${block}}\n`);
  return ['-c', file, '-e', 'stderr', '-p', scratch];
}

async function isOldNginx() {
  const { stderr } = await run('nginx', ['-v'], { env: ENVIRONMENT });
  const [, major, minor, patch] = /nginx\/(\d+)\.(\d+)\.(\d+)/.exec(stderr).map(Number);
  return major === 1 && (minor < 25 || (minor === 25 && patch === 0));
}

await checking('proxies', async (check) => {
  try {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '1'];
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject]);
    const isOld = await isOldNginx();
    for (const [name, kind] of [
      ['HAProxy', { command: 'haproxy', argumentsFor: haproxyArguments }],
      ['nginx', { command: 'nginx', argumentsFor: (...settings) => nginxArguments(...settings, isOld) }],
    ]) {
      const checkBehind = (what, holds) => check(`${name}: ${what}`, holds);
      await checkProxy(checkBehind, kind);
      await checkProxiedEvents(checkBehind, certificate, (...settings) => withProxy(kind, ...settings));
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
