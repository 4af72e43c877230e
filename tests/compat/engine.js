/** The checks of an engine that runs the built package: the common requests over a real socket, and `stop()`. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Program } from './program.js';
import { formatRequest, checkRequests, WireClient } from './wire.js';
import { WAITED_FOR } from './zoo.js';

const SERVED = fileURLToPath(new URL('served.js', import.meta.url));

/** `served.js`, or another program, in an engine. */
export class Engine extends Program {
  /** Starts the engine's program, with the engine's options. `served` is the path of another program than `served.js`, and its arguments. */
  constructor(program, options, environment = {}, served = [SERVED]) {
    super(program, [...options, ...served], { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...environment } });
  }

  async port() {
    return Number((await this.printed(/^listening (\d+)$/m))[1]);
  }
}

/** Starts an engine, uses it, and ends it. */
export async function withEngine(start, use) {
  const engine = start();
  try {
    await use(engine);
  } catch (error) {
    throw new Error(`it printed: ${engine.output}`, { cause: error });
  } finally {
    await engine.end('SIGKILL');
  }
}

/** Makes all checks; `start` starts the engine. */
export async function checkEngine(check, start, { isV8 = true } = {}) {
  for (const delivery of [{ how: 'at once', inPieces: false }, { how: 'in pieces', inPieces: true }]) {
    await check(`the zoo opens, for requests ${delivery.how}`, () => withEngine(start, async (engine) => {
      await checkRequests(check, await engine.port(), { ...delivery, isV8 });
    }));
  }
  await check('a request that is in flight when the server stops', () => withEngine(start, checkDrain));
  await check('connections without a request when the server stops', () => withEngine(start, checkIdle));
}

async function checkDrain(engine) {
  const port = await engine.port();
  const client = await WireClient.connect(port);
  client.write(formatRequest({ method: 'POST', path: '/v1/pet/wait' }));
  await engine.printed(/^waiting$/m);
  engine.write('stop\n');
  await engine.printed(/^stopping$/m);
  await rejected(port);
  assert.ok(!/^stopped$/m.test(engine.output), 'stop() waits for the response');
  engine.write('open\n');
  const { status, headers, body } = await client.response('POST');
  assert.deepEqual({ status, connection: headers.connection }, { status: 200, connection: 'close' });
  assert.ok(body === JSON.stringify(WAITED_FOR), 'the response is complete');
  assert.equal(await client.closed(), '');
  await engine.printed(/^stopped$/m);
  await rejected(port);
  assert.equal(await engine.ended(), 0);
}

async function checkIdle(engine) {
  const port = await engine.port();
  // Some servers do not see a connection on which nothing was sent (TCP_DEFER_ACCEPT).
  const begun = await WireClient.connect(port);
  begun.write('GET /v1/pet/1 HTTP/1.1\r\nHost:');
  const kept = await WireClient.connect(port);
  kept.write(formatRequest({ method: 'POST', path: '/v1/pet/count' }));
  assert.equal((await kept.response('POST')).body, '0');
  engine.write('stop\n');
  await engine.printed(/^stopped$/m);
  assert.equal(await begun.closed(), '');
  assert.equal(await kept.closed(), '');
  await rejected(port);
  assert.equal(await engine.ended(), 0);
}

async function rejected(port) {
  await assert.rejects(WireClient.connect(port), { code: 'ECONNREFUSED' });
}
