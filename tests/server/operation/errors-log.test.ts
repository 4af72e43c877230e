/** Which failures are logged: every 500, every failing Custom operation, and nothing else. */
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, stringId, type Logger } from '../../../src/index.ts';
import { declareFailing, FAILING_OPERATIONS, WAYS_TO_FAIL } from '../../support/failing-operations.ts';
import { message } from '../../support/messages.ts';
import { RawClient, send } from '../../support/raw-client.ts';
import { serve } from '../../support/serve.ts';
import { Zoo } from '../../support/zoo.ts';

const gone = Object.assign(new Error('gone'), { code: 'P2025' });
const full = new Error('disk is full');

const lines = suite('E4: a failing operation');
for (const [why, thrown, displayText, is500] of [
  ['an Argument error', ApiError.argument('legs must be even'), 'Bad arguments: legs must be even', false],
  ['a NotFound error', ApiError.notFound(), 'Not found.', false],
  ["a store's own not found", gone, 'Not found.', false],
  ['an Internal error', ApiError.internal('disk is full'), 'Internal error: disk is full', true],
  ['an Error', full, 'Internal error: disk is full', true],
  ['a string', 'disk is full', 'Internal error: disk is full', true],
  ['null', null, 'Internal error: null', true],
] as const) {
  for (const [way, failWith] of WAYS_TO_FAIL) {
    lines(`${why} ${way}: ${is500 ? 'its cause is the value, of each operation' : 'one line without a cause, of a Custom operation only'}`, async () => {
      await serve(declareFailing(failWith(thrown)), async ({ port, errors }) => {
        for (const { method, target, sent, route, isCustom } of FAILING_OPERATIONS) {
          const before = errors.length;
          await send(port, message(method, target, sent));
          const logged = errors.slice(before);
          assert.equal(logged.map((error) => error.message), is500 || isCustom ? [`${route}: ${displayText}`] : []);
          for (const error of logged) {
            assert.instance(error, Error);
            assert.is(Object.hasOwn(error, 'cause'), is500);
            assert.is(error.cause, is500 ? thrown : undefined);
          }
        }
      });
    });
  }
}
lines('is logged with its pattern, not with the path of the request', async () => {
  await serve(declareFailing(() => { throw full; }), async ({ port, errors }) => {
    await send(port, message('GET', '/v1/thing/marker-in-the-id?marker=1'));
    assert.equal(errors.map((error) => error.message), ['GET /v1/thing/:id: Internal error: disk is full']);
  });
});
lines('of a HEAD request is logged as a Get', async () => {
  await serve(declareFailing(() => { throw full; }), async ({ port, errors }) => {
    await send(port, message('HEAD', '/v1/thing/1'));
    assert.equal(errors.map((error) => error.message), ['GET /v1/thing/:id: Internal error: disk is full']);
  });
});
lines.run();

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
  shown(`${what}: ${isBrief ? 'one line' : 'at most twelve lines, the first frame is that of the operation'}`, async () => {
    await serve((server) => server.registerEndpoint('/pet', {
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
    });
  });
}
shown.run();

const silent = suite('a request that reaches no operation');
silent('is not logged', async () => {
  await serve(new Zoo().register, async ({ port, errors }) => {
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
  });
});
silent.run();

const throwing = suite('a logger that fails');
for (const [why, complain] of [
  ['throws', () => { throw new Error('the log is full'); }],
  ['throws null', () => { throw null; }],
  ['rejects', async () => { throw new Error('the log is full'); }],
] as const) {
  const logger: Logger = { info: complain, error: complain };
  throwing(`one that ${why}: routes are registered, failures get their responses, and the connection stays open`, async () => {
    await serve(declareFailing(() => { throw full; }), async ({ port, server }) => {
      assert.is(server.routes.length, 10);
      const client = await RawClient.connect(port);
      try {
        for (const { method, target, sent } of FAILING_OPERATIONS) {
          client.send(message(method, target, sent));
          assert.is((await client.response()).status, 500);
        }
      } finally {
        client.destroy();
      }
    }, { logger });
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
  await serve(declareFailing(() => { throw full; }), async ({ port }) => {
    await send(port, message('GET', '/v1/thing/1'));
  }, { logger });
  assert.equal(logger.kept, ['GET /v1/thing/:id: Internal error: disk is full']);
});
throwing.run();
