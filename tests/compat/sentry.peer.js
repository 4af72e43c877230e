/** Sentry, by the recipe of docs/logging.md: failures of the server are reported with their routes. Nothing is sent: the transport keeps it. */
import assert from 'node:assert/strict';
import * as Sentry from '@sentry/node';
import { checking } from './checks.js';
import { recipe } from './observers.js';
import { PATIENCE_MS } from './until.js';


const events = [];
const transport = (options) => Sentry.createTransport(options, async ({ body }) => {
  // An envelope is lines of JSON: its head, and for each item the head and the item.
  const lines = String(typeof body === 'string' ? body : new TextDecoder().decode(body)).split('\n').filter(Boolean).map((line) => JSON.parse(line));
  for (const [at, line] of lines.entries()) if (line.type === 'event') events.push(lines[at + 1]);
  return { statusCode: 200 };
});
Sentry.init({ dsn: 'https://key@sentry.invalid/1', transport, release: 'zoo@1' });
await recipe('Sentry');
const { ApiError, ApiServer, integerId, reply } = await import('../../dist/index.js');

async function* broken() {
  yield 'a';
  throw new SyntaxError('the tape is torn');
}

const PETS = {
  1: () => ({ name: 'Rex' }),
  2: () => { throw new RangeError('the keeper is ill', { cause: new Error('too much cake') }); },
  3: () => { throw ApiError.status(409, 'it sleeps'); },
  4: () => undefined,
  5: () => reply(200, broken()),
  6: () => { throw 'only a string'; },
};

await checking('Sentry', async (check) => {
  const server = new ApiServer('/v1', { requestId: true, proxy: { trusted: ['127.0.0.1'] }, logger: { info() {}, error() {} } });
  server.registerEndpoint('/pet', { id: integerId, get: (id) => PETS[id]() });
  const { url } = await server.start('127.0.0.1:0');
  const reported = async (id, headers = {}) => {
    events.length = 0;
    await (await fetch(`${url}/v1/pet/${id}`, { headers })).text().catch(() => {});
    assert.ok(await Sentry.flush(PATIENCE_MS));
    return [...events];
  };
  const summary = ({ transaction, tags, exception }) => [transaction, tags, exception.values.map(({ type, value }) => `${type}: ${value}`)];
  await check('a failure has its route as the transaction, its operation and status as tags, and its cause', async () => {
    const [event, ...others] = await reported(2, { 'X-Request-Id': '7f3c' });
    assert.deepEqual(others, []);
    assert.deepEqual(summary(event), ['GET /v1/pet/:id', { operation: 'get', status: 500 }, ['Error: too much cake', 'RangeError: the keeper is ill']]);
    assert.deepEqual(event.contexts.request, { method: 'GET', id: '7f3c' });
    assert.ok(event.exception.values[1].stacktrace.frames.some(({ filename }) => filename.endsWith('sentry.peer.js')));
  });
  await check('a response that breaks is reported too', async () => {
    assert.deepEqual((await reported(5)).map(summary), [['GET /v1/pet/:id', { operation: 'get', status: 200 }, ['SyntaxError: the tape is torn']]]);
  });
  await check('a string that was thrown is reported as an error', async () => {
    assert.deepEqual((await reported(6)).map(({ exception: { values: [{ type }] } }) => type), ['ApiError']);
  });
  for (const [what, id] of [['a result', 1], ['a 409', 3], ['a 404', 4], ['a 400', 'one']]) {
    await check(`${what} is not reported`, async () => assert.deepEqual(await reported(id), []));
  }
  await server.stop();
  await Sentry.close(PATIENCE_MS);
});
