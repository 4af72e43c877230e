/** The checks of an operation's properties when its endpoint is registered. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Endpoint } from '../../src/endpoint/endpoint.ts';
import { stringId } from '../../src/index.ts';
import { checkServerOptions } from '../../src/server/options.ts';

const run = (): string => 'done';

function endpointOf(declared: object): Endpoint {
  return new Endpoint('', '/pet', declared, checkServerOptions({ logger: { info: () => {}, error: () => {} } }));
}

// A decoder for a status that no reply can have would never be called, and a secret that it should drop would be sent.
const statuses = suite('the statuses of an output');
for (const status of ['200', '201', '304', '399']) {
  statuses(`${status} is one`, () => {
    const { operations } = endpointOf({ id: stringId, get: { run, output: { [status]: String } } });
    const outputs = operations[0]?.outputs;
    assert.type(outputs?.find(Number(status)), 'function');
    assert.is(outputs?.find(Number(status) + 1), undefined);
  });
}
for (const status of ['2OO', '2xx', 'default', '', '20', '0200', '200.5', '-200', '199', '600', '2e2']) {
  statuses(`${JSON.stringify(status)} is not a status -> TypeError`, () => {
    for (const decoder of [String, null]) {
      assert.throws(
        () => endpointOf({ id: stringId, get: { run, output: { [status]: decoder } } }),
        (thrown: unknown) => thrown instanceof TypeError && thrown.message === `endpoint.get.output must only have statuses from 200 to 399: ${JSON.stringify(status)}`,
      );
    }
  });
}
statuses.run();
