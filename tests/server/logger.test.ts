/** The user's logger gets each message, and a logger that fails breaks nothing. */
import { guardLogger } from '../../src/server/settings/logger.ts';
import { captureUnhandled } from '../support/capture-unhandled.ts';
import { assert, suite } from '../support/facts.ts';

const safe = suite('the user\'s logger');
safe('gets each message unchanged, with its own `this`', () => {
  const said: unknown[] = [];
  const own = {
    info(message: string) {
      said.push([this === own, message]);
    },
    error(error: Error) {
      said.push([this === own, error]);
    },
  };
  const failure = new Error('a failure', { cause: 'a cause' });
  guardLogger(own).info('route: GET /v1/animal/:id');
  guardLogger(own).error(failure);
  assert.equal(said, [[true, 'route: GET /v1/animal/:id'], [true, failure]]);
});
safe('can be changed while the server runs', () => {
  const said: string[] = [];
  const own = { info: (_message: string) => {}, error: () => {} };
  const logger = guardLogger(own);
  own.info = (message) => said.push(message);
  logger.info('late');
  assert.equal(said, ['late']);
});
for (const thrown of [new Error('the log is full'), 'text', null]) {
  safe(`throws ${String(thrown)}: nothing is thrown to the caller`, () => {
    let calls = 0;
    const fail = (): never => {
      calls += 1;
      throw thrown;
    };
    const logger = guardLogger({ info: fail, error: fail });
    logger.info('a route');
    logger.error(new Error('a failure'));
    assert.is(calls, 2);
  });
}
safe('rejects: the rejection is handled', async () => {
  const fail = (): Promise<never> => Promise.reject(new Error('the log is full'));
  const logger = guardLogger({ info: fail, error: fail });
  assert.equal(await captureUnhandled(() => {
    logger.info('a route');
    logger.error(new Error('a failure'));
  }), []);
});
safe('throws a promise that rejects: the rejection is handled', async () => {
  const fail = (): never => { throw Promise.reject(new Error('the log is full')); };
  assert.equal(await captureUnhandled(() => guardLogger({ info: fail, error: fail }).info('a route')), []);
});
safe('is called before the caller goes on', () => {
  const said: string[] = [];
  guardLogger({ info: (message) => said.push(message), error: () => {} }).info('a route');
  assert.equal(said, ['a route']);
});
