/** D5: The option `requestId`: what a logger gets with the error of a request. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { ApiError, ApiServer, type ApiServerOptions, type LoggedRequest, type MountRequest, problem, stringId } from '../../src/index.ts';
import { SWITCH_HEADERS, makeUpgrade } from '../support/upgrades.ts';
import { assert, message, send, sendUntilClosed, suite } from '../support/facts.ts';

const HEADER = 'x-request-id';
const full = (): never => { throw new Error('disk is full'); };

function declare(server: ApiServer): void {
  server.registerEndpoint('/item', { id: stringId, get: full });
  server.mount('/files', full);
  server.use(function reject(request, _response, next) {
    next(request.url === '/rejected' ? new Error('disk is full') : undefined);
  });
}

const logged = suite('the request of a logged error');
/** Serves with a logger, and sends requests that fail. Returns the ids of the responses. */
async function fail(logger: object, targets: readonly (readonly [method: string, target: string])[], options: ApiServerOptions = {}): Promise<unknown[]> {
  const ids: unknown[] = [];
  const server = new ApiServer('/v1', { logger: logger as never, requestId: true, ...options });
  declare(server);
  server.registerUpgrade('/chat', full);
  const started = await server.start('127.0.0.1:0');
  if (!started.ok) throw new Error(started.error);
  const { port } = started.address as AddressInfo;
  for (const [method, target] of targets) {
    if (method === 'UPGRADE') await sendUntilClosed(port, makeUpgrade(target, SWITCH_HEADERS));
    else ids.push((await send(port, message(method, target))).headers.get(HEADER));
  }
  await server.stop();
  return ids;
}

const FAILING = [['GET', '/v1/item/full'], ['GET', '/files/full'], ['GET', '/rejected']] as const;
logged('has its id and Node\'s own request, which JSON leaves out', async () => {
  const calls: [Error, LoggedRequest][] = [];
  const ids = await fail({ info: () => {}, error: (...call: [Error, LoggedRequest]) => calls.push(call) }, FAILING);
  assert.equal(calls.map(([, { id }]) => id), ids);
  assert.equal(calls.map(([{ message }, { id }]) => message.includes(`(request ${id})`)), [true, true, true]);
  assert.equal(calls.map(([, about]) => [about.request?.method, (about.request as MountRequest).id === about.id]), Array(3).fill(['GET', true]));
  assert.equal(calls.map(([, about]) => JSON.parse(JSON.stringify(about))), ids.map((id, at) => (at === 0 ? { id, status: 500 } : { id })));
});
logged('of an upgrade has its id too', async () => {
  const calls: [Error, LoggedRequest][] = [];
  await fail({ info: () => {}, error: (...call: [Error, LoggedRequest]) => calls.push(call) }, [['UPGRADE', '/chat']]);
  assert.equal(calls.map(([{ message }, { request }]) => [message, request?.method]), [[`UPGRADE /chat (request ${calls[0]?.[1].id}): disk is full`, 'GET']]);
});
logged('of formatProblem has its id too', async () => {
  const calls: [Error, LoggedRequest][] = [];
  const ids = await fail({ info: () => {}, error: (...call: [Error, LoggedRequest]) => calls.push(call) }, [['GET', '/nowhere']], { formatProblem: full });
  assert.equal(calls.map(([{ message }, { id }]) => [message, id]), [[`formatProblem (request ${ids[0]}): disk is full`, ids[0]]]);
});
logged('has no id without the option, whatever request.id an app has set', async () => {
  const calls: unknown[][] = [];
  const api = new ApiServer('/v1', { logger: { info: () => {}, error: (...call: unknown[]) => void calls.push(call) } as never, formatProblem: full });
  const app = createServer((request, response) => api.requestListener(Object.assign(request, { id: 7 }), response));
  app.listen(0, '127.0.0.1');
  await once(app, 'listening');
  await send((app.address() as AddressInfo).port, message('GET', '/v1/nowhere', '', ['Connection: close']));
  app.close();
  assert.equal(calls.map(([error, ...about]) => [(error as Error).message, about]), [['formatProblem: disk is full', []]]);
});
logged('is a field of the line of a logger with bindings and children, as pino has', async () => {
  const lines: unknown[] = [];
  const log = (fields: object): object => ({
    info: () => {}, error: (...call: unknown[]) => lines.push([fields, call.length]), bindings: () => fields, child: (more: object) => log({ ...fields, ...more }),
  });
  const ids = await fail(log({ level: 'info' }), FAILING);
  assert.equal(lines, ids.map((requestId) => [{ level: 'info', requestId }, 1]));
});
logged('is not printed by console, since the message has the id', async () => {
  const calls: unknown[][] = [];
  const { error, info } = console;
  console.error = (...call) => void calls.push(call);
  console.info = () => {};
  try {
    const ids = await fail(console, FAILING);
    await fail({ info: () => {}, error: console.error }, FAILING);
    assert.equal(calls.map(({ length }) => length), Array(6).fill(1));
    assert.match((calls[0]?.[0] as Error).message, `(request ${ids[0]})`);
  } finally {
    Object.assign(console, { error, info });
  }
});
logged('is empty for a failure that is not a request\'s, and without the option, if the function has two parameters', async () => {
  const ids: unknown[] = [];
  const logger = { info: () => {}, error: (_error: Error, { id }: LoggedRequest) => ids.push(id) };
  const started = await new ApiServer('/v1', { logger, requestId: true }).start('256.0.0.1:0');
  assert.is(started.ok, false);
  await fail(logger, FAILING, { requestId: undefined } as unknown as ApiServerOptions);
  assert.equal(ids, [undefined, undefined, undefined, undefined]);
});

const guard = { errors: { 409: null }, around: (): never => { throw ApiError.status(409, 'guarded'); } };
const rethrow = { errors: { 409: null }, around: (_call: unknown, next: () => Promise<unknown>) => next() };
const conflict = (): never => { throw ApiError.status(409, 'taken'); };
const status = suite('E4: the status of a logged error');
for (const [what, endpoint, logged] of [
  ['a 4xx of a Custom operation', { custom: { feed: conflict } }, [['taken', 409]]],
  ['a 4xx of a Custom operation in an interceptor that declares it too', { custom: { feed: { use: rethrow, run: conflict } } }, [['taken', 409]]],
  ['a 4xx that an interceptor throws, and does not declare', { custom: { feed: { use: { around: guard.around }, run: conflict } } }, [['guarded', 409]]],
  ['a 4xx that an interceptor throws, and declares', { custom: { feed: { use: guard, run: conflict } } }, []],
  ['a 5xx', { custom: { feed: () => { throw ApiError.status(503, 'closed'); } } }, [['closed', 503]]],
  ['a 5xx that is returned', { custom: { feed: () => problem(503, 'closed') } }, [['closed', 503]]],
  ['any other error', { custom: { feed: full } }, [['Internal error: disk is full', 500]]],
  ['a result that cannot be sent', { custom: { feed: () => 1n } }, [[/Internal error: the result cannot be written/, 500]]],
  ['a decoder with a bug', { custom: { feed: { input: (json: { a: { b: unknown } }) => json.a.b, run: () => 1 } } }, [[/a decoder failed: /, undefined]]],
  ['an operation that takes too long', { custom: { feed: { limits: { operationMs: 5 }, run: () => setTimeout(50) } } },
    [['the operation took longer than 5 ms', 503]]],
  ['an error that is not the response', { id: stringId, schema: Object, create: () => '..' }, [['no Location is sent: no path can have the id ".."', undefined]]],
] as const) {
  status(`${what}: ${logged.map(([text, code]) => `${text} ${code}`)}`, async () => {
    const lines: [message: string, status: number | undefined][] = [];
    const server = new ApiServer('', { logger: { info: () => {}, error: ({ message }, { status: code }: LoggedRequest) => lines.push([message, code]) } });
    server.registerEndpoint('/pet', endpoint as never);
    const path = 'create' in endpoint ? '/pet' : '/pet/feed';
    await (await server.fetch(path, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })).text();
    assert.is(lines.length, logged.length);
    for (const [at, [message, code]] of logged.entries()) {
      assert.match(lines[at]?.[0] ?? '', message);
      assert.is(lines[at]?.[1], code);
    }
  });
}
