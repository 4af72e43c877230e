/** The `EventSource` of Node, which is behind an option. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { checking } from './checks.js';
import { checkEventSource, IDS } from './event-source.js';
import { NOT_RUN } from './programs.js';
import { waitUntil } from './until.js';

const OPTION = '--experimental-eventsource';
const PROBE_MS = 1000;

/** Whether it sends an id when it reconnects to a hand-written server. Older versions send only Latin-1, or ignore an empty one. */
async function sends([id, expected]) {
  const got = [];
  const server = createServer(({ headers }, response) => {
    got.push(headers['last-event-id']);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(`retry: 1\nid: before\ndata:\n\nid: ${id}\ndata:\n\n`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const source = new EventSource(`http://127.0.0.1:${server.address().port}`);
  await waitUntil(() => got.length > 1, undefined, PROBE_MS).catch(() => {});
  source.close();
  server.closeAllConnections();
  server.close();
  return got.length > 1 && (got[1] === undefined ? undefined : Buffer.from(got[1], 'latin1').toString()) === expected;
}

async function checkReader(check) {
  const spared = [];
  for (const id of IDS) if (!(await sends(id))) spared.push(id[0]);
  if (spared.length > 0) console.log(`      this version does not send the ids ${JSON.stringify(spared)}`);
  await check('it sends some ids', () => assert.ok(spared.length < IDS.length - 1));
  await checkEventSource(check, (_url, use) => use(async (call, ...values) => call(...values)), spared);
}

if (typeof EventSource === 'function') {
  await checking('EventSource of Node', checkReader);
} else if (process.allowedNodeEnvironmentFlags.has(OPTION) && !process.execArgv.includes(OPTION)) {
  const child = spawn(process.execPath, [OPTION, '--no-warnings', fileURLToPath(import.meta.url)], { stdio: 'inherit' });
  [process.exitCode] = await once(child, 'exit');
} else {
  console.log('this Node has no EventSource');
  process.exitCode = NOT_RUN;
}
