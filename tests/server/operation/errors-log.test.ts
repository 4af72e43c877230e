/** Which failures are logged: every 500, every failing Custom operation, and nothing else. */
import { inspect } from 'node:util';
import { ApiError, stringId, type Logger } from '../../../src/index.ts';
import { checkFailing, declareFailing, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { Zoo } from '../../support/zoo.ts';
import { assert, check, facts, message, send, serve, suite, type TestServer } from '../../support/facts.ts';

const gone = Object.assign(new Error('gone'), { code: 'P2025' });
const full = new Error('disk is full');

const lines = suite('E4: a failing operation');
for (const [why, thrown, response, logged] of [
  ['an Argument error', ApiError.argument('legs must be even'), '400 Bad arguments: legs must be even', { custom: 'Bad arguments: legs must be even' }],
  ['a NotFound error', ApiError.notFound(), '404 Not found.', { custom: 'Not found.' }],
  ["a store's own not found", gone, '404 Not found.', { custom: 'Not found.' }],
  ['an Internal error', ApiError.internal('disk is full'), '500', { all: 'Internal error: disk is full' }],
  ['an Error', full, '500', { all: 'Internal error: disk is full' }],
  ['a string', 'disk is full', '500', { all: 'Internal error: disk is full' }],
  ['null', null, '500', { all: 'Internal error: null' }],
] as const) {
  const is500 = 'all' in logged;
  const after = ({ errors }: TestServer): void => assert.ok(errors.every((error) => error instanceof Error && Object.hasOwn(error, 'cause') === is500));
  for (const [way, failWith] of WAYS_TO_FAIL) {
    lines(`${why} ${way}: ${is500 ? 'its cause is the value, of each operation' : 'one line without a cause, of a Custom operation only'}`, () => (
      checkFailing(declareFailing(failWith(thrown)), response, { ...logged, cause: is500 ? thrown : undefined, after })
    ));
  }
}
facts(lines, declareFailing(() => { throw full; }), [
  ['is logged with its pattern, not with the path of the request',
    'GET /v1/thing/marker-in-the-id?marker=1', '500', 'GET /v1/thing/:id: Internal error: disk is full'],
  ['of a HEAD request is logged as a Get', 'HEAD /v1/thing/1', '500 length 67', 'GET /v1/thing/:id: Internal error: disk is full'],
]);

function find(id: string): never {
  throw id === 'object' ? { code: 42, text: 'no\ndisk' } : new Error('disk is full', { cause: new Error('ENOSPC') });
}

const HERE = /^    at .*errors-log\.test\.js:\d+:\d+\)?$/;
const shown = suite('E4: a failing operation, as console shows it');
for (const [what, method, target, first, isBrief] of [
  ['a 4xx of a Custom operation', 'POST', '/v1/pet/feed', 'Error: POST /v1/pet/feed: Not found.', true],
  ['a 4xx of a Custom operation of an item', 'POST', '/v1/pet/1/feed', 'Error: POST /v1/pet/:id/feed: busy', true],
  ['a 500', 'GET', '/v1/pet/1', 'Error: GET /v1/pet/:id: Internal error: disk is full', false],
  ['a 500 of a Custom operation', 'POST', '/v1/pet/wash', 'Error: POST /v1/pet/wash: Internal error: soap', false],
  ['an object that is thrown', 'GET', '/v1/pet/object', 'Error: GET /v1/pet/:id: Internal error: {"code":42,"text":"no\\ndisk"}', true],
  ['an operation that takes too long', 'DELETE', '/v1/pet/1', 'Error: DELETE /v1/pet/:id: the operation took longer than 20 ms', true],
] as const) {
  shown(`${what}: ${isBrief ? 'one line' : 'at most twelve lines, the first frame is that of the operation'}`, () => serve((server) => server.registerEndpoint('/pet', {
    id: stringId,
    get: find,
    delete: { limits: { operationMs: 20 }, run: () => new Promise(() => {}) },
    custom: {
      feed: { run: () => { throw ApiError.notFound({ cause: new Error('lost') }); } },
      wash: { run: async () => { throw ApiError.internal('soap'); } },
    },
    itemCustom: { feed: { run: () => { throw ApiError.status(409, 'busy'); } } },
  }), async ({ port, errors }) => {
    await send(port, message(method, target));
    const text = inspect(errors[0]).split('\n');
    assert.is(text[0], first);
    assert.is(errors[0]?.stack, inspect(errors[0]));
    // Loggers such as pino print the stack of a cause too.
    if (what !== 'an object that is thrown') assert.is(Object.hasOwn(errors[0] as Error, 'cause'), !isBrief);
    assert.ok(isBrief ? text.length === 1 : text.length <= 12 && HERE.test(text[1] ?? ''), inspect(errors[0]));
  }));
}

const silent = suite('a request that reaches no operation');
silent('is not logged', () => serve(new Zoo().register, async ({ port, errors }) => {
  for (const [why, sent, status] of [
    ['an unknown path', message('GET', '/v1/nowhere'), 404],
    ['a method that the path lacks', message('PATCH', '/v1/pet/1'), 405],
    ['a rejected id', message('GET', '/v1/pet/one'), 400],
    ['a body that is not JSON', message('POST', '/v1/pet', '{'), 400],
    ['a body that the decoder rejects', message('POST', '/v1/pet', '{}'), 400],
    ['an input of a Custom operation that its decoder rejects', message('POST', '/v1/pet/feed', '{}'), 400],
    ['an unsupported type', message('POST', '/v1/pet', '{}', ['Content-Type: text/plain']), 415],
    ['a malformed request', 'GET\r\n\r\n', 400],
  ] as const) {
    assert.is((await send(port, sent)).status, status, why);
    assert.equal(errors, [], why);
  }
}));

const throwing = suite('a logger that fails');
for (const [why, complain] of [
  ['throws', () => { throw new Error('the log is full'); }],
  ['throws null', () => { throw null; }],
  ['rejects', async () => { throw new Error('the log is full'); }],
] as const) {
  const logger: Logger = { info: complain, error: complain };
  throwing(`one that ${why}: routes are registered, failures get their responses, and the connection stays open`, async () => {
    await checkFailing(declareFailing(() => { throw full; }), '500', { logger, after: ({ server }) => assert.is(server.routes.length, 10) });
  });
}
throwing('one whose methods need their `this` gets it', async () => {
  class Keeper implements Logger {
    readonly #kept: string[] = [];
    info(): void {}
    error(error: Error): void { this.#kept.push(error.message); }
    get kept(): readonly string[] { return this.#kept; }
  }
  const logger = new Keeper();
  await check(declareFailing(() => { throw full; }), 'GET /v1/thing/1', '500', [], { logger });
  assert.equal(logger.kept, ['GET /v1/thing/:id: Internal error: disk is full']);
});
