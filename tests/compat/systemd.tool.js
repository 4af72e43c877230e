/**
 * The units in examples/deploy: systemd finds no error with them, and its listener outlives a restart of the service, so that no connection
 * is rejected.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { findFreePort } from './free-port.js';
import { need } from './programs.js';
import { Program } from './program.js';
import { PATIENCE_MS, waitUntil } from './until.js';

need('systemd-analyze', 'systemd');

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DEPLOY = join(ROOT, 'examples', 'deploy');
const SUPERVISOR = fileURLToPath(new URL('systemd-supervisor.js', import.meta.url));
const CLIENTS = 8;
const RESTARTS = 5;

const scratch = mkdtempSync(join(tmpdir(), 'restpoint-systemd-'));

/** Writes a unit with the path of this Node. Returns its path. */
function unit(name, change = (text) => text) {
  const path = join(scratch, name);
  writeFileSync(path, change(readFileSync(join(DEPLOY, name.replace('@8081', '@')), 'utf8').replace('/usr/bin/node', process.execPath)));
  return path;
}

/** The complaints of systemd. It exits with 0 at a misspelt key, so any output is a complaint. */
function complaints(...units) {
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' });
  return `${stderr}${status === 0 ? '' : `exit status ${status}`}`;
}

/** The service in a separate folder, where it finds the package. */
function installed() {
  const folder = join(scratch, 'api');
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, join(folder, 'node_modules', 'restpoint'));
  copyFileSync(join(DEPLOY, 'main.js'), join(folder, 'main.js'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  return join(folder, 'main.js');
}

/** Starts a program with a listener of systemd's, at a port. */
function activated(port, ...args) {
  return new Program('systemd-socket-activate', ['-l', `127.0.0.1:${port}`, '-E', 'DRAIN_MS=0', process.execPath, ...args], { detached: true });
}

/** Sends one request over a new connection. Resolves to the body. */
function ask(port) {
  return new Promise((resolve, reject) => {
    const asking = request({ port, host: '127.0.0.1', path: '/v1/animal/ant', agent: false, timeout: PATIENCE_MS }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve(body);
    });
    asking.on('timeout', () => asking.destroy(new Error('no response in time')));
    asking.on('error', reject);
    asking.end();
  });
}

/** Waits for the first response. */
async function reached(port) {
  let body;
  await waitUntil(() => ask(port).then((text) => ((body = text), true), () => false));
  return body;
}

/** Sends requests from all clients until `done`. Resolves to the number of responses, and the failures. */
async function load(port, isDone) {
  let responses = 0;
  const wrong = [];
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    while (!isDone() && wrong.length === 0) {
      try {
        assert.equal(await ask(port), '{"name":"ant","legs":4}');
        responses += 1;
      } catch (error) {
        wrong.push(error);
      }
    }
  }));
  return { responses, wrong };
}

await checking('systemd', async (check) => {
  try {
    await check('it finds no error with the units', () => {
      assert.equal(complaints(unit('restpoint.socket'), unit('restpoint.service'), unit('restpoint@8081.service')), '');
    });
    await check('it would find a misspelt key', () => {
      unit('restpoint.socket');
      assert.match(complaints(unit('restpoint.service', (text) => text.replace('Restart=', 'Restarts='))), /Restarts/);
    });

    const main = installed();
    await check('it starts the service at the first connection, with its listener', async () => {
      const port = await findFreePort();
      const service = activated(port, main);
      try {
        assert.equal(await reached(port), '{"name":"ant","legs":4}');
        service.killAlone('SIGTERM');
        assert.equal(await service.ended(), 0, service.output);
      } finally {
        service.kill();
      }
    });

    await check(`${RESTARTS} restarts under load reject no connection`, async () => {
      const port = await findFreePort();
      const service = activated(port, SUPERVISOR, main);
      try {
        await reached(port);
        let isDone = false;
        const loading = load(port, () => isDone);
        for (let restart = 1; restart <= RESTARTS; restart += 1) {
          await after(200);
          service.killAlone('SIGHUP');
          // A service that does not listen yet would be ended by a signal, without a status.
          await service.printed(new RegExp(`(?:listening on [^]*){${restart + 1}}`));
        }
        isDone = true;
        const { responses, wrong } = await loading;
        assert.deepEqual(wrong, []);
        assert.ok(responses > CLIENTS);
        console.log(`      ${responses} requests got their responses`);
        service.killAlone('SIGTERM');
        assert.equal(await service.ended(), 0, service.output);
      } finally {
        service.kill();
      }
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
