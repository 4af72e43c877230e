/** OpenTelemetry with the user's span for each operation, by the recipe of docs/logging.md. */
import assert from 'node:assert/strict';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { checking } from './checks.js';
import { findChains, loadInstrumented, NAMES, REQUESTS, WAYS } from './instrumented.js';
import { recipe } from './observers.js';

const { StorageContextManager } = await recipe('Custom spans');
const zoo = await loadInstrumented(new StorageContextManager());

const ROUTES = [
  'get /v1/pet/:id', 'update /v1/pet/:id', 'create /v1/pet', 'custom.stream /v1/pet/stream', 'custom.fail /v1/pet/fail', 'get /v1/pet/:id',
];

await checking('OpenTelemetry, spans of the user', async (check) => {
  for (const [how, write, listeners] of WAYS) {
    await check(`${how}: each is between that of the request and those that the operation makes`, async () => {
      const spans = await zoo.spansOf(REQUESTS, write, { listeners });
      const chains = findChains(spans);
      assert.deepEqual(chains.map(([work]) => work.attributes.name), NAMES);
      assert.deepEqual(chains.map(([, own]) => own.name), ROUTES);
      assert.deepEqual(chains.map(([, , server]) => server.attributes['url.query']), NAMES.map((name) => `name=${name}`));
      assert.deepEqual(chains.map(([, own, server]) => own.attributes['http.route'] === server.attributes['http.route']), NAMES.map(() => true));
      assert.deepEqual(chains.map(({ length }) => length), NAMES.map(() => 3));
      // In the order in which they ended.
      assert.ok(chains.every(([work, own, server]) => spans.indexOf(work) < spans.indexOf(own) && spans.indexOf(own) < spans.indexOf(server)));
    });
  }
  await check('the span of an operation that fails has the failure, and the log is written in its context', async () => {
    const logged = [];
    const onError = () => logged.push(trace.getSpan(context.active())?.name);
    const spans = await zoo.spansOf(REQUESTS, (client, bytes) => client.write(bytes), { onError });
    const [failed] = spans.filter(({ name }) => name === 'custom.fail /v1/pet/fail');
    assert.equal(failed.status.code, SpanStatusCode.ERROR);
    assert.deepEqual(failed.events.map(({ attributes }) => attributes['exception.message']), ['the keeper is ill']);
    assert.deepEqual(logged, ['custom.fail /v1/pet/fail']);
  });
});
