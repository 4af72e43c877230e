/** OpenTelemetry's http instrumentation with its own context manager: the route of its spans, by the recipe of docs/logging.md. */
import assert from 'node:assert/strict';
import { checking } from './checks.js';
import { findChains, loadInstrumented, NAMES, REQUESTS, serversOf, WAYS } from './instrumented.js';

// `SpanStatusCode.ERROR`.
const FAILED = 2;
const zoo = await loadInstrumented();

await checking('OpenTelemetry', async (check) => {
  await check('the span of a request has its route, also where the operation was not reached', async () => {
    const requests = [
      ...REQUESTS,
      { method: 'GET', path: '/v1/pet/one' },
      { method: 'HEAD', path: '/v1/pet/1?name=g' },
      { method: 'OPTIONS', path: '/v1/pet/1' },
      { method: 'GET', path: '/files/a' },
      { method: 'GET', path: '/nowhere' },
      { method: 'PATCH', path: '/v1/pet/1' },
    ];
    const spans = serversOf(await zoo.spansOf(requests, (client, bytes) => client.write(bytes)));
    const describe = ({ name, attributes, status }) => (
      [name, attributes['http.route'], attributes['http.response.status_code'], ...(status.code === FAILED ? ['error'] : [])]
    );
    assert.deepEqual(spans.map(describe), [
      ['GET /v1/pet/:id', '/v1/pet/:id', 200],
      ['PUT /v1/pet/:id', '/v1/pet/:id', 204],
      ['POST /v1/pet', '/v1/pet', 201],
      ['POST /v1/pet/stream', '/v1/pet/stream', 200],
      ['POST /v1/pet/fail', '/v1/pet/fail', 500, 'error'],
      ['GET /v1/pet/:id', '/v1/pet/:id', 200],
      ['GET /v1/pet/:id', '/v1/pet/:id', 400],
      ['HEAD /v1/pet/:id', '/v1/pet/:id', 200],
      ['OPTIONS /v1/pet/:id', '/v1/pet/:id', 200],
      ['GET /files', '/files', 200],
      ['GET', undefined, 404],
      ['PATCH', undefined, 405],
    ]);
  });
  for (const [how, write, listeners] of WAYS) {
    await check(`${how}: the spans that an operation makes are below that of its own request`, async () => {
      const chains = findChains(await zoo.spansOf(REQUESTS, write, { listeners }));
      assert.deepEqual(chains.map(([work]) => work.attributes.name), NAMES);
      assert.deepEqual(chains.map(([, server]) => server.attributes['url.query']), NAMES.map((name) => `name=${name}`));
      assert.deepEqual(chains.map(({ length }) => length), NAMES.map(() => 2));
    });
  }
  await check('a request with traceparent goes on with the trace of its client', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const spans = await zoo.spansOf([{ ...REQUESTS[1], headers: { traceparent } }], (client, bytes) => client.writeSlowly(bytes));
    assert.deepEqual([...new Set(spans.map((span) => span.spanContext().traceId))], ['0af7651916cd43dd8448eb211c80319c']);
  });
});
