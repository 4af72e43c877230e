/** Which failures are logged: every 500, every failing Custom operation, and nothing else. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type Logger } from '../../../src/index.ts';
import { failing, FAILING, WAYS_TO_FAIL } from '../../support/failing.ts';
import { message } from '../../support/messages.ts';
import { RawClient, rawRequest } from '../../support/raw-client.ts';
import { serving } from '../../support/serving.ts';
import { Zoo } from '../../support/zoo.ts';

const gone = Object.assign(new Error('gone'), { code: 'P2025' });
const full = new Error('disk is full');

const lines = suite('a failing operation');
for (const [way, failWith] of WAYS_TO_FAIL) {
  for (const { method, target, sent, route, isCustom } of FAILING) {
    for (const [why, thrown, displayText, is500] of [
      ['an Argument error', ApiError.argument('legs must be even'), 'Bad arguments: legs must be even', false],
      ['a NotFound error', ApiError.notFound(), 'Not found.', false],
      ["a store's own not found", gone, 'Not found.', false],
      ['an Internal error', ApiError.internal('disk is full'), 'Internal error: disk is full', true],
      ['an Error', full, 'Internal error: disk is full', true],
      ['a string', 'disk is full', 'Internal error: disk is full', true],
      ['null', null, 'Internal error: null', true],
    ] as const) {
      const isLogged = is500 || isCustom;
      lines(`${route}, ${why} ${way}: ${isLogged ? 'one line, with the thrown value as its cause' : 'no line'}`, async () => {
        await serving(failing(failWith(thrown)), async ({ port, errors }) => {
          await rawRequest(port, message(method, target, sent));
          assert.equal(errors.map((error) => error.message), isLogged ? [`${route}: ${displayText}`] : []);
          if (!isLogged) return;
          assert.instance(errors[0], Error);
          assert.ok(Object.hasOwn(errors[0] ?? {}, 'cause'));
          assert.is(errors[0]?.cause, thrown);
        });
      });
    }
  }
}
lines('is logged with its pattern, not with the path of the request', async () => {
  await serving(failing(() => { throw full; }), async ({ port, errors }) => {
    await rawRequest(port, message('GET', '/v1/thing/marker-in-the-id?marker=1'));
    assert.equal(errors.map((error) => error.message), ['GET /v1/thing/:id: Internal error: disk is full']);
  });
});
lines('of a HEAD request is logged as a Get', async () => {
  await serving(failing(() => { throw full; }), async ({ port, errors }) => {
    await rawRequest(port, message('HEAD', '/v1/thing/1'));
    assert.equal(errors.map((error) => error.message), ['GET /v1/thing/:id: Internal error: disk is full']);
  });
});
lines.run();

const silent = suite('a request that reaches no operation');
for (const [why, sent, status] of [
  ['an unknown path', message('GET', '/v1/nowhere'), 404],
  ['a method that the path lacks', message('PATCH', '/v1/pet/1'), 405],
  ['a refused id', message('GET', '/v1/pet/one'), 400],
  ['a body that is not JSON', message('POST', '/v1/pet', '{'), 400],
  ['a body that the decoder refuses', message('POST', '/v1/pet', '{}'), 400],
  ['an input of a Custom operation that its decoder refuses', message('POST', '/v1/pet/feed', '{}'), 400],
  ['an unsupported type', message('POST', '/v1/pet', '{}', ['Content-Type: text/plain']), 415],
  ['a malformed request', 'GET\r\n\r\n', 400],
] as const) {
  silent(`${why} -> ${status}, and no line`, async () => {
    await serving(new Zoo().register, async ({ port, errors }) => {
      assert.is((await rawRequest(port, sent)).status, status);
      assert.equal(errors, []);
    });
  });
}
silent.run();

const throwing = suite('a logger that fails');
for (const [why, complain] of [
  ['throws', () => { throw new Error('the log is full'); }],
  ['throws null', () => { throw null; }],
  ['rejects', async () => { throw new Error('the log is full'); }],
] as const) {
  const logger: Logger = { info: complain, error: complain };
  throwing(`one that ${why}: routes are registered, failures are answered, and the connection stays open`, async () => {
    await serving(failing(() => { throw full; }), async ({ port, server }) => {
      assert.is(server.routes.length, 10);
      const client = await RawClient.connect(port);
      try {
        for (const { method, target, sent } of FAILING) {
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
  await serving(failing(() => { throw full; }), async ({ port }) => {
    await rawRequest(port, message('GET', '/v1/thing/1'));
  }, { logger });
  assert.equal(logger.kept, ['GET /v1/thing/:id: Internal error: disk is full']);
});
throwing.run();
